import { constants } from "node:fs";
import { access, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import satisfies from "semver/functions/satisfies";
import { isFolder } from "../resources/export/destinations/diskFile";
import { messageOf } from "../resources/resource";
import { counted } from "../resources/values";
import type { ServiceClient } from "../service/client";
import { proxyFromEnvironment } from "../service/environment";
import { isServiceError } from "../service/errors/errors";
import { proxyOf } from "../service/http/proxyServer";
import type { ServiceClientOptions } from "../service/options";
import { ownPackage } from "../service/ownPackage";
import { engineVersion } from "./connection/pulumi";
import { sourceInWords } from "./connection/storedTokens";
import { versionUsedIn } from "./packageFile";

/** One finding of `doctor`. */
export interface Finding {
  /** What was looked at. */
  check: string;
  is: "good" | "warning" | "problem";
  /** What was found. Never a credential. */
  found: string;
  /** What to do. Absent if all is good. */
  remedy?: string;
}

export async function versionFindings(folder: string, signal: AbortSignal): Promise<Finding[]> {
  const { version, engines, peerDependencies } = ownPackage;
  const range = peerDependencies["@pulumi/pulumi"] ?? "*";
  const node = process.versions.node;
  const [engine, sdk] = [await engineVersion(signal), versionUsedIn(folder, "@pulumi/pulumi")];
  const fits = (found: string): boolean => satisfies(found, range, { includePrerelease: true });
  return [
    { check: "package", is: "good", found: `pulumi-webextract ${version}` },
    satisfies(node, engines.node)
      ? { check: "Node.js", is: "good", found: node }
      : {
          check: "Node.js",
          is: "problem",
          found: `${node}, which is not supported`,
          remedy: `Use Node.js ${engines.node}.`,
        },
    engine === undefined
      ? {
          check: "engine",
          is: "warning",
          found: "no program pulumi on the PATH",
          remedy: `Install Pulumi (${range}) to run programs. The other commands do without it.`,
        }
      : {
          check: "engine",
          found: `pulumi ${engine}`,
          ...(fits(engine) ? { is: "good" } : { is: "problem", remedy: `Install Pulumi ${range}.` }),
        },
    sdk === undefined
      ? { check: "SDK", is: "good", found: "no @pulumi/pulumi in this folder" }
      : {
          check: "SDK",
          found: `@pulumi/pulumi ${sdk}`,
          ...(fits(sdk) ? { is: "good" } : { is: "problem", remedy: `Run: npm install @pulumi/pulumi@"${range}"` }),
        },
  ];
}

/** A folder of private files: it must be possible to write there, and nobody else may read the files. */
export async function folderFinding(check: string, folder: string, setting: string): Promise<Finding> {
  const existing = await nearestExisting(folder);
  if (!(await isFolder(existing))) {
    const remedy = `Move that file away, or set ${setting} to another folder.`;
    return { check, is: "problem", found: `${existing} is not a folder`, remedy };
  }
  const isWritable = await access(existing, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable) {
    const remedy = `Make the folder writable, or set ${setting} to another folder.`;
    return { check, is: "problem", found: `${existing} cannot be written`, remedy };
  }
  if (existing !== folder) {
    return { check, is: "good", found: `${folder}, which does not exist yet` };
  }
  const open = await filesOpenToOthers(folder);
  return open.length === 0
    ? { check, is: "good", found: folder }
    : {
        check,
        is: "problem",
        found: `other users can read ${counted(open.length, "file")} of ${folder}, such as ${open[0]}`,
        remedy: `Run: chmod 600 ${folder}/*`,
      };
}

export function proxyFinding({ baseUrl }: ServiceClientOptions): Finding {
  const address = proxyFromEnvironment(baseUrl);
  const proxy = address === undefined ? undefined : proxyOf(address);
  const found =
    proxy === undefined
      ? "none for this service"
      : `${proxy.url.origin}${proxy.user === undefined ? "" : ", with a user name"}`;
  return { check: "proxy", is: "good", found };
}

export function credentialFinding(client: ServiceClient): Finding {
  const inUse = client.describeCredentials();
  const found = `access token: ${sourceInWords(inUse)}; API key: ${inUse.apiKey ? "configured" : "none"}`;
  return inUse.source === "none" && !inUse.apiKey
    ? {
        check: "credentials",
        is: "problem",
        found,
        remedy: "Set WEBEXTRACT_ACCESS_TOKEN, WEBEXTRACT_REFRESH_TOKEN or WEBEXTRACT_CREDENTIAL_COMMAND.",
      }
    : { check: "credentials", is: "good", found };
}

/** A task that no account has. The refusal shows that the service was reached, and that it accepts the credential. */
const noTask = "webextract-doctor";

/** One read. Kinds of errors that are about the task, and not about the way to the service, are good news. */
export async function readFinding(client: ServiceClient, taskId: string | undefined): Promise<Finding> {
  const check = "read";
  try {
    const { data } = await client.getData({ taskId: taskId ?? noTask, offset: 0, size: 1 });
    const found = taskId === undefined ? "the service responded" : `task "${taskId}" has ${data.total} rows`;
    return { check, is: "good", found };
  } catch (error) {
    if (!isServiceError(error)) {
      throw error;
    }
    if (taskId === undefined && (error.kind === "notFound" || error.kind === "refused")) {
      return { check, is: "good", found: "the service responded" };
    }
    const message = error.message.endsWith(error.hint) ? error.message.slice(0, -error.hint.length) : error.message;
    return { check, is: "problem", found: message.trim(), remedy: error.hint };
  }
}

/** More than this makes tokens look expired, in milliseconds. */
const mostSkew = 60_000;

export function clockFinding({ clockAhead }: Pick<ServiceClient, "clockAhead">): Finding {
  const check = "clock";
  if (clockAhead === undefined) {
    return {
      check,
      is: "warning",
      found: "the service told no time",
      remedy: "Compare the clock of this machine with another one.",
    };
  }
  const seconds = Math.round(Math.abs(clockAhead) / 1000);
  return Math.abs(clockAhead) <= mostSkew
    ? { check, is: "good", found: `within ${Math.max(1, seconds)} s of the service's clock` }
    : {
        check,
        is: "problem",
        found: `${seconds} s ${clockAhead > 0 ? "ahead of" : "behind"} the service's clock`,
        remedy: "Set the clock of this machine, or tokens look expired too early or too late.",
      };
}

export function failedFinding(check: string, error: unknown, remedy: string): Finding {
  return { check, is: "problem", found: messageOf(error), remedy };
}

export async function nearestExisting(folder: string): Promise<string> {
  for (let path = folder; ; path = dirname(path)) {
    const isThere = await stat(path).then(
      () => true,
      () => false,
    );
    if (isThere || dirname(path) === path) {
      return path;
    }
  }
}

/** On Windows, the folder of the user is private, and modes say nothing. */
async function filesOpenToOthers(folder: string): Promise<string[]> {
  if (process.platform === "win32") {
    return [];
  }
  const names = await readdir(folder);
  const open = await Promise.all(
    names.map(async (name) => {
      const found = await stat(join(folder, name)).catch(() => undefined);
      return found?.isFile() === true && (found.mode & 0o077) !== 0 ? [name] : [];
    }),
  );
  return open.flat();
}
