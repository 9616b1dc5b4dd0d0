import type { ResourceValidationPolicy } from "@pulumi/policy";
import type { Properties } from "./declared";
import { isOneOf, linesOf, loopsOf, within } from "./declared";
import { matchesOne } from "./patterns";

/** The provider lists at most this many hosts of a file. */
const hostsShown = 20;

/** Limits the hosts of start URLs and of URLs in loops. Messages name an item by its index, because it may be secret. */
export const startUrlHosts: ResourceValidationPolicy = {
  name: "start-url-hosts",
  description: "Start URLs and URLs in loops are at allowed hosts.",
  configSchema: {
    properties: {
      hosts: {
        type: "array",
        items: { type: "string" },
        default: [],
        description:
          "The allowed hosts, with the port if it is not the default. * matches any characters. An empty list allows every host.",
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
        complain(`${at}file`, `has hosts that are not allowed (${wrong.join(", ")})`);
      } else if (found.length >= hostsShown) {
        complain(`${at}file`, `has ${hostsShown} hosts or more, and a policy sees only ${hostsShown}: split the file`);
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
        complain(`${at}itemsFile`, "has URLs that a policy cannot see: use items instead");
      }
    }
  },
};

function hostOf(line: string): string | undefined {
  try {
    return new URL(line).host;
  } catch {
    // Items of other loops can be any string.
    return undefined;
  }
}
