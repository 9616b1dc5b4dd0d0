import { existsSync, readFileSync } from "node:fs";
import { readdir, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import satisfies from "semver/functions/satisfies";
import type { CredentialsInUse } from "../../../src/service/auth/accessToken";
import type { ServiceClient } from "../../../src/service/client";
import { proxyFromEnvironment } from "../../../src/service/environment";
import { isServiceError, pathAdvice, withoutHint } from "../../../src/service/errors/errors";
import { proxyOf } from "../../../src/service/http/proxy";
import type { ServiceClientOptions } from "../../../src/service/options";
import { isRefusedAsPath } from "../../../src/service/wrongPath";
import type { StoreSettings } from "../../../src/store/objectStore";
import { SharedStore } from "../../../src/store/sharedStore";
import { isStoreAddress } from "../../../src/store/storeAddress";
import { ownPackage } from "../../../src/system/ownPackage";
import { codeOf, namesIn, obstacleOf } from "../../../src/system/privateFile";
import { temporaryPathFor } from "../../../src/system/temporaryFiles";
import { messageOf } from "../../../src/values/errors";
import { counted, shellWord } from "../../../src/values/words";
import { engineVersion } from "../connection/pulumi";
import { sources } from "../connection/storedTokens";

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

export function good(check: string, found: string): Finding {
  return { check, is: "good", found };
}

export function warning(check: string, found: string, remedy: string): Finding {
  return { check, is: "warning", found, remedy };
}

export function problem(check: string, found: string, remedy: string): Finding {
  return { check, is: "problem", found, remedy };
}

export async function versionFindings(folder: string, signal: AbortSignal): Promise<Finding[]> {
  const { version, engines, peerDependencies } = ownPackage;
  const range = peerDependencies["@pulumi/pulumi"] ?? "*";
  const node = process.versions.node;
  const [engine, sdk] = [await engineVersion(signal), versionUsedIn(folder, "@pulumi/pulumi")];
  const fits = (found: string): boolean => satisfies(found, range, { includePrerelease: true });
  const goodIf = (isGood: boolean, check: string, found: string, remedy: string): Finding =>
    isGood ? good(check, found) : problem(check, found, remedy);
  return [
    good("package", `pulumi-webextract ${version}`),
    goodIf(satisfies(node, engines.node), "Node.js", node, `Use Node.js ${engines.node}.`),
    engine === undefined
      ? warning(
          "engine",
          "no program pulumi on the PATH",
          `Install Pulumi (${range}) to run programs. The other commands do without it.`,
        )
      : goodIf(fits(engine), "engine", `pulumi ${engine}`, `Install Pulumi ${range}.`),
    sdk === undefined
      ? good("SDK", "no @pulumi/pulumi in this folder")
      : goodIf(fits(sdk), "SDK", `@pulumi/pulumi ${sdk}`, `Run: npm install @pulumi/pulumi@"${range}"`),
  ];
}

/** The version of a package that a project in this folder uses; undefined if it uses none. */
function versionUsedIn(folder: string, name: string): string | undefined {
  try {
    const file = createRequire(join(folder, "package.json")).resolve(`${name}/package.json`);
    return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
  } catch {
    return undefined;
  }
}

/** A folder of private files: it must be possible to write there, and nobody else may read the files. */
export async function folderFinding(
  check: string,
  folder: string,
  setting: string,
  options: StoreSettings,
): Promise<Finding> {
  if (isStoreAddress(folder)) {
    return await storeFinding(check, setting === "tokenStore" ? "tokens" : setting, folder, options);
  }
  // As the provider does, to which a link that leads nowhere is no empty folder.
  const unreadable = await namesIn(folder).then(
    () => undefined,
    (error) => obstacleOf(folder, error, "readable"),
  );
  if (unreadable !== undefined) {
    const { reason, remedy } = unreadable;
    return problem(check, `${folder} cannot be read ${reason}`, `${remedy} Or set ${setting} to another folder.`);
  }
  const existing = nearestExisting(folder);
  const why = await writeProblem(existing);
  if (why !== undefined) {
    const remedy = `Make ${existing} a folder that can be written, or set ${setting} to another one.`;
    return problem(check, `${existing} cannot keep files (${why})`, remedy);
  }
  const open = existing === folder ? await filesOpenToOthers(folder) : [];
  if (open.length > 0) {
    const found = `other users can read ${counted(open.length, "file")} of ${folder}, such as ${open[0]}`;
    // The folder can have other things in it, such as the journal, which has a finding of its own.
    return problem(check, found, `Run: find -L ${shellWord(folder)} -maxdepth 1 -type f -exec chmod go= {} +`);
  }
  return good(check, existing === folder ? folder : `${folder}, which does not exist yet`);
}

/** A store of several machines: it must be possible to write there, and it must keep conditions. */
async function storeFinding(check: string, folder: string, address: string, settings: StoreSettings): Promise<Finding> {
  try {
    const store = new SharedStore(address, { folder: process.cwd(), settings });
    const objects = await store.names(folder);
    await store.requireConditions();
    return good(check, `${address}, which keeps conditions and has ${counted(objects.length, "object")} of this kind`);
  } catch (error) {
    return problem(check, messageOf(error), "Do this, then run doctor again.");
  }
}

/** Writes a file to the disk, as the journal does. */
async function writeProblem(folder: string): Promise<string | undefined> {
  const path = temporaryPathFor(join(folder, ".webextract-doctor"));
  try {
    await writeFile(path, "doctor\n", { flag: "wx", mode: 0o600, flush: true });
    return undefined;
  } catch (error) {
    return codeOf(error);
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
}

export function proxyFinding({ baseUrl }: ServiceClientOptions): Finding {
  const address = proxyFromEnvironment(baseUrl);
  const proxy = address === undefined ? undefined : proxyOf(address);
  return good("proxy", proxy?.url.origin ?? "none for this service");
}

/** Nothing without a credential: the read says so, with the remedy. */
export function credentialFindings({ source, apiKey }: CredentialsInUse): Finding[] {
  const found = `access token: ${sources[source]}; API key: ${apiKey ? "configured" : "none"}`;
  return source === "none" && !apiKey ? [] : [good("credentials", found)];
}

/** A task that no account has. The refusal shows that the service was reached, and that it accepts the credential. */
const noTask = "webextract-doctor";

/**
 * One read. An error about the task, and not about the connection, shows that the connection works. One whose code is
 * not known can be about the path: then a second read, of a path that no service has, shows what that looks like.
 */
export async function readFinding(client: ServiceClient, nameOf: (option: string) => string): Promise<Finding> {
  const check = "read";
  const responded = good(check, "the service responded");
  const reply: unknown = await client.getData({ taskId: noTask, offset: 0, size: 1 }).catch((error: unknown) => error);
  if (reply instanceof Error && !isServiceError(reply)) {
    throw reply;
  }
  const error = isServiceError(reply) ? reply : undefined;
  if (error !== undefined) {
    const { kind, status, code = "", hint } = error;
    if (kind === "notFound" || kind === "notYours") return responded;
    if (kind === "refused" && (await isRefusedAsPath(error, client))) {
      const found = `the response was ${[status, code].join(" ").trim()}, as for a path that the service does not have`;
      const remedy = pathAdvice("/data/all", nameOf);
      const unless =
        'If "webextract rows TASK" works for a task of yours, it is, and a proxy hides the errors of the service.';
      return problem(check, found, code === "" ? `${remedy} ${unless}` : remedy);
    }
    if (kind === "refused" && code !== "") return responded;
    // An error of the service, such as ServerError, or a page that says nothing: neither shows what is wrong.
    if (kind === "refused" || (kind === "outcomeUnknown" && /[a-z]/i.test(code))) {
      const remedy = `Some services respond so for a task that does not exist. If "webextract rows TASK" fails for a task of yours too: ${hint}`;
      return warning(check, withoutHint(error), remedy);
    }
    return problem(check, withoutHint(error), error.hint);
  }
  return responded;
}

/** More than this makes tokens look expired, in milliseconds. */
const mostSkew = 60_000;

export function clockFinding({ clockAhead }: Pick<ServiceClient, "clockAhead">): Finding {
  const check = "clock";
  if (clockAhead === undefined) {
    return warning(check, "the service told no time", "Compare the clock of this machine with another one.");
  }
  const seconds = Math.round(Math.abs(clockAhead) / 1000);
  return Math.abs(clockAhead) <= mostSkew
    ? good(check, `within ${Math.max(1, seconds)} s of the service's clock`)
    : problem(
        check,
        `${seconds} s ${clockAhead > 0 ? "ahead of" : "behind"} the service's clock`,
        "Set the clock of this machine, or tokens look expired too early or too late.",
      );
}

export function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
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
