import type { ResourceValidationPolicy } from "@pulumi/policy";
import type { Properties } from "./declared";
import { isOneOf, linesOf, loopsOf, within } from "./declared";
import { matchesOne } from "./patterns";

/** The provider names so many hosts of a file, and no more. */
const hostsShown = 20;

/** Where a run may begin: start URLs, and URLs that a loop goes through. Items are named by their place, for they may be secret. */
export const startUrlHosts: ResourceValidationPolicy = {
  name: "start-url-hosts",
  description: "Runs begin at hosts that are allowed.",
  configSchema: {
    properties: {
      hosts: {
        type: "array",
        items: { type: "string" },
        default: [],
        description:
          "The allowed hosts, with the port where it is not the usual one; * stands for any text. None: every host is allowed.",
      },
    },
  },
  validateResource: (args, report) => {
    const { hosts } = args.getConfig<{ hosts: string[] }>();
    if (hosts.length === 0) {
      return;
    }
    const complain = (path: string, reason: string): void => report(`${path} ${reason}; allowed: ${hosts.join(", ")}.`);
    const checkLines = (path: string, lines: string[]): void => {
      lines.forEach((line, index) => {
        const host = hostOf(line);
        if (host !== undefined && !matchesOne(host, hosts)) {
          complain(`${path}[${index}]`, "is at a host that is not allowed");
        }
      });
    };
    const checkStartUrls = (at: string, { urls, file, hosts: found }: Properties): void => {
      checkLines(`${at}urls`, linesOf(urls));
      if (file === undefined || !Array.isArray(found)) {
        return;
      }
      const wrong = found.map(String).filter((host) => !matchesOne(host, hosts));
      if (wrong.length > 0) {
        complain(`${at}file`, `holds hosts that are not allowed (${wrong.join(", ")})`);
      } else if (found.length >= hostsShown) {
        complain(`${at}file`, `holds ${hostsShown} hosts or more, of which a policy sees ${hostsShown}: split it`);
      }
    };
    if (isOneOf(args, "TaskStartUrls")) {
      checkStartUrls("", args.props);
    }
    if (isOneOf(args, "ExtractionTask")) {
      checkStartUrls("startUrls.", within(args.props.startUrls));
    }
    for (const { at, loop } of loopsOf(args)) {
      checkLines(`${at}items`, linesOf(loop.items));
      if (loop.itemsFile !== undefined && /url/i.test(String(loop.loopType))) {
        complain(`${at}itemsFile`, "holds URLs that a policy cannot see: give them as items");
      }
    }
  },
};

function hostOf(line: string): string | undefined {
  try {
    return new URL(line).host;
  } catch {
    // Items of other loops are any text.
    return undefined;
  }
}
