import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isPlainMap } from "../../resources/values";
import { namesService } from "../../service/environment";
import { codeOf } from "../../service/files/privateFile";
import { CliError } from "../exitCodes";
import type { Terminal } from "../terminal";
import type { ConnectionFlags } from "./connection";

/** The file that `webextract use` writes. It has no secrets. */
export const defaultsFile = ".webextract.json";

/** What the file can contain. No address: a file of a cloned folder must not choose where credentials of the environment go. */
export type Defaults = Pick<ConnectionFlags, "stack" | "profile">;

export const defaultNames: readonly string[] = ["stack", "profile"] satisfies (keyof Defaults)[];

/**
 * The flags of a command with the defaults of the folder, where neither the command line nor the environment names a service: so the credentials of a stack
 * never go to another service. Says that it uses them.
 * @throws CliError if the file cannot be read
 */
export function withDefaults<Flags extends ConnectionFlags>(flags: Flags, folder: string, terminal: Terminal): Flags {
  const defaults = flags.stack === undefined && flags.baseUrl === undefined ? readDefaults(folder) : undefined;
  if (defaults === undefined) {
    return flags;
  }
  if (namesService()) {
    terminal.say(`${defaultsFile} is not used: WEBEXTRACT_BASE_URL names a service.`);
    return flags;
  }
  terminal.say(`Using ${describeDefaults(defaults)} of ${defaultsFile}.`);
  return { ...flags, ...defaults, profile: flags.profile ?? defaults.profile };
}

/** `stack "dev", profile "uploads"`. */
export function describeDefaults(defaults: Defaults): string {
  return Object.entries(defaults)
    .map(([name, value]) => `${name} "${value}"`)
    .join(", ");
}

/**
 * The defaults of a folder; undefined if it has none.
 * @throws CliError
 */
export function readDefaults(folder: string): Defaults | undefined {
  requireRegularFile(folder);
  let found: unknown;
  try {
    found = JSON.parse(readFileSync(join(folder, defaultsFile), "utf8"));
  } catch (error) {
    if (codeOf(error) === "ENOENT") {
      return undefined;
    }
  }
  if (areDefaults(found)) {
    return found;
  }
  throw new CliError(
    `${defaultsFile} must be JSON with only ${defaultNames.join(" and ")}, ${mustBe}. Write it again with "webextract use", or remove it. No request was sent.`,
    "usage",
  );
}

/**
 * A link of a cloned folder must not choose which file is written, and to read a pipe can take for ever.
 * @throws CliError
 */
export function requireRegularFile(folder: string): void {
  if (lstatSync(join(folder, defaultsFile), { throwIfNoEntry: false })?.isFile() === false) {
    throw new CliError(`${defaultsFile} is not a regular file: remove it. No request was sent.`, "usage");
  }
}

export const mustBe = "each a non-empty string in one line";

export function areDefaults(found: unknown): found is Defaults {
  const isDefault = ([name, value]: [string, unknown]): boolean =>
    defaultNames.includes(name) && typeof value === "string" && value !== "" && !/\p{Cc}/u.test(value);
  return isPlainMap(found) && Object.entries(found).every(isDefault);
}
