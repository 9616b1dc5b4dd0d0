import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { didYouMean } from "../../resources/likelyName";
import { isPlainMap } from "../../resources/values";
import { namesService } from "../../service/environment";
import { CliError } from "../exitCodes";
import type { Terminal } from "../terminal";
import type { ConnectionFlags } from "./connection";

/** The file that `webextract use` writes. It has no secrets. */
export const defaultsFile = ".webextract.json";

/** What the file can contain. No address: a file of a cloned folder must not choose where credentials of the environment go. */
export type Defaults = Pick<ConnectionFlags, "stack" | "profile">;

export const defaultNames = ["stack", "profile"] as const satisfies (keyof Defaults)[];

/**
 * The flags of a command with the defaults of the folder, where neither the command line nor the environment names a service: so the credentials of a stack
 * never go to another service. Says that it uses them.
 * @throws CliError if the file cannot be read
 */
export function withDefaults<Flags extends ConnectionFlags>(flags: Flags, folder: string, terminal: Terminal): Flags {
  if (flags.stack !== undefined || flags.baseUrl !== undefined) {
    return flags;
  }
  const defaults = readDefaults(folder);
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
  return defaultNames
    .flatMap((name) => (defaults[name] === undefined ? [] : [`${name} "${defaults[name]}"`]))
    .join(", ");
}

/**
 * The defaults of a folder; undefined if it has none.
 * @throws CliError
 */
export function readDefaults(folder: string): Defaults | undefined {
  const found = parsed(folder);
  if (found === undefined) {
    return undefined;
  }
  const problems = isPlainMap(found)
    ? Object.entries(found).flatMap(([name, value]) => problemOf(name, value) ?? [])
    : ["must be a JSON object"];
  if (problems.length > 0) {
    throw unreadable(problems.join("; "));
  }
  return found as Defaults;
}

function parsed(folder: string): unknown {
  const path = join(folder, defaultsFile);
  try {
    if (!statSync(path).isFile()) {
      throw unreadable("is not a regular file");
    }
    return JSON.parse(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));
  } catch (error) {
    if (error instanceof CliError) {
      throw error;
    }
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") {
      return undefined;
    }
    throw unreadable(code === undefined ? "is not JSON" : `cannot be read (${code})`);
  }
}

export function problemOf(name: string, value: unknown): string | undefined {
  if (!defaultNames.some((each) => each === name)) {
    return `has "${name}", which is not known: ${defaultNames.join(", ")} are${didYouMean(name, defaultNames)}`;
  }
  const isName = typeof value === "string" && value !== "" && !/\p{Cc}/u.test(value);
  return isName ? undefined : `${name} must be a non-empty string in one line`;
}

function unreadable(reason: string): CliError {
  return new CliError(
    `${defaultsFile} ${reason}. Write it again with "webextract use", or remove it. No request was sent.`,
    "usage",
  );
}
