import { join } from "node:path";
import type { Settings, Statuses } from "./resources/resource";
import { defaultTokenStore } from "./service/environment";
import type { ServiceClientOptions } from "./service/options";
import { optionProblems } from "./service/settings";

/**
 * The configuration: namespace `webextract`, environment variables `WEBEXTRACT_…` where it is silent. One parser for the program, which
 * refuses what is wrong once at preview, and for the provider host, which uses it.
 */

type Parse = (raw: string) => unknown;

interface Key {
  parse: Parse;
  /** What is allowed, for the error. */
  allowed: string;
  environment: string;
  /** Belongs to the set of things that a profile may have. */
  inProfile?: boolean;
}

class Malformed extends Error {}

const plainText: Parse = (raw) => raw;

const truth: Parse = (raw) => {
  const word = raw.toLowerCase();
  if (word !== "true" && word !== "false") {
    throw new Malformed();
  }
  return word === "true";
};

const number: Parse = (raw) => {
  if (raw.trim() === "" || !Number.isFinite(Number(raw))) {
    throw new Malformed();
  }
  return Number(raw);
};

/** A JSON list, or items with commas between them. */
const list: Parse = (raw) => {
  const items = raw.trimStart().startsWith("[") ? (json(raw) as unknown[]) : raw.split(",").map((item) => item.trim());
  if (!Array.isArray(items) || items.length === 0 || items.some((item) => typeof item !== "string" || item === "")) {
    throw new Malformed();
  }
  return items;
};

const oneOf =
  (...words: string[]): Parse =>
  (raw) => {
    if (!words.includes(raw)) {
      throw new Malformed();
    }
    return raw;
  };

/** Words that mean true or false elsewhere: taken for an id, one would be a setting that does nothing, or less than what was meant. */
const wordsOfTruth = ["true", "false", "yes", "no", "on", "off", "1", "0"];

const truthOrList: Parse = (raw) => {
  if (/^(true|false)$/i.test(raw)) {
    return truth(raw);
  }
  const items = list(raw) as string[];
  if (!raw.trimStart().startsWith("[") && items.some((item) => wordsOfTruth.includes(item.toLowerCase()))) {
    throw new Malformed();
  }
  return items;
};

function json(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    throw new Malformed();
  }
}

const statusSets = ["finished", "failed", "stopped"] as const;

const statuses: Parse = (raw) => {
  const sets = json(raw);
  const right =
    isRecord(sets) &&
    Object.entries(sets).every(
      ([name, words]) =>
        statusSets.some((each) => each === name) &&
        Array.isArray(words) &&
        words.every((word) => typeof word === "string"),
    );
  if (!right) {
    throw new Malformed();
  }
  return sets;
};

const profiles: Parse = (raw) => {
  const named = json(raw);
  if (!isRecord(named) || !Object.values(named).every(isRecord)) {
    throw new Malformed();
  }
  return named;
};

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const text = { parse: plainText, allowed: "a text" };
const positive = { parse: number, allowed: "a number" };
const items = { parse: list, allowed: "a list of texts, as JSON or with commas" };

/** Every key, without its namespace. */
export const configKeys = {
  baseUrl: {
    ...text,
    allowed: "an address such as https://host/path",
    environment: "WEBEXTRACT_BASE_URL",
    inProfile: true,
  },
  accessToken: { ...text, environment: "WEBEXTRACT_ACCESS_TOKEN", inProfile: true },
  refreshToken: { ...text, environment: "WEBEXTRACT_REFRESH_TOKEN", inProfile: true },
  apiKey: { ...text, environment: "WEBEXTRACT_API_KEY", inProfile: true },
  credentialCommand: { ...text, environment: "WEBEXTRACT_CREDENTIAL_COMMAND", inProfile: true },
  tokenStore: { ...text, environment: "WEBEXTRACT_TOKEN_STORE", inProfile: true },
  journal: { ...text, allowed: "a folder, or off", environment: "WEBEXTRACT_JOURNAL" },
  profiles: { parse: profiles, allowed: "a map of profiles", environment: "WEBEXTRACT_PROFILES" },
  timeoutSeconds: { ...positive, environment: "WEBEXTRACT_TIMEOUT_SECONDS" },
  deadlineSeconds: { ...positive, environment: "WEBEXTRACT_DEADLINE_SECONDS" },
  busyTimeoutSeconds: { ...positive, environment: "WEBEXTRACT_BUSY_TIMEOUT_SECONDS" },
  maxRetries: { ...positive, environment: "WEBEXTRACT_MAX_RETRIES" },
  requestsPerSecond: { ...positive, environment: "WEBEXTRACT_REQUESTS_PER_SECOND" },
  concurrency: { ...positive, environment: "WEBEXTRACT_CONCURRENCY" },
  pageSize: { ...positive, environment: "WEBEXTRACT_PAGE_SIZE" },
  actionTypes: { ...items, environment: "WEBEXTRACT_ACTION_TYPES" },
  markScope: { parse: oneOf("task", "returned"), allowed: "task or returned", environment: "WEBEXTRACT_MARK_SCOPE" },
  statuses: {
    parse: statuses,
    allowed: 'lists of words named finished, failed and stopped: {"finished": ["done"]}',
    environment: "WEBEXTRACT_STATUSES",
  },
  forceDestroy: {
    parse: truthOrList,
    allowed:
      "true, false or a list of task ids (yes, no, on, off, 1 and 0 are none of these; a task of such an id goes into a JSON list)",
    environment: "WEBEXTRACT_FORCE_DESTROY",
  },
  movedFrom: { ...items, allowed: "a list of base URLs", environment: "WEBEXTRACT_MOVED_FROM" },
  allowInsecureHttp: { parse: truth, allowed: "true or false", environment: "WEBEXTRACT_ALLOW_INSECURE_HTTP" },
  notExecutedCodes: { ...items, environment: "WEBEXTRACT_NOT_EXECUTED_CODES" },
  credentials: {
    parse: oneOf("contract", "bearer", "apiKey"),
    allowed: "contract, bearer or apiKey",
    environment: "WEBEXTRACT_CREDENTIALS",
  },
  refreshPath: { ...text, environment: "WEBEXTRACT_REFRESH_PATH" },
  logLevel: {
    parse: oneOf("silent", "debug", "trace"),
    allowed: "silent, debug or trace",
    environment: "WEBEXTRACT_LOG",
  },
} satisfies Record<string, Key>;

/** Profiles, each with its fields. */
type NamedOptions = Record<string, Record<string, unknown>> | undefined;

export type ConfigKey = keyof typeof configKeys;

const keys: Readonly<Record<string, Key>> = configKeys;

/** Raw text of a key, or undefined. */
export type ReadKey = (key: ConfigKey) => string | undefined;

export interface ProviderConfig {
  settings: Settings;
  /** Origins from which a resource's service may have moved to the present one. */
  movedFrom: readonly string[];
  /** Folder of the journal; undefined where it is switched off. */
  journal: string | undefined;
  /** Why nothing can be reached with a profile, or without one. */
  profileProblem(profile: string | undefined): string | undefined;
  /** Options of the client for a profile; the top-level ones without a name. Throws where there is no such profile. */
  clientOptions(profile: string | undefined): ServiceClientOptions;
}

const defaultStatuses: Statuses = {
  finished: ["finished", "completed", "done"],
  failed: ["failed", "error"],
  stopped: ["stopped"],
};

/** What is configured, and every problem with it as a sentence; a value is never part of one, for it may be a secret. */
export function parseConfig(
  read: ReadKey,
  environment: NodeJS.ProcessEnv = process.env,
): { config: ProviderConfig; problems: string[] } {
  const problems: string[] = [];
  const fromBoth = (name: ConfigKey): { config?: unknown; environment?: unknown } => ({
    config: parseOne(read(name), name, `webextract:${name}`, problems),
    environment: parseOne(environment[keys[name]?.environment ?? ""], name, keys[name]?.environment ?? "", problems),
  });
  const values = new Map(
    (Object.keys(keys) as ConfigKey[]).map((name) => {
      const found = fromBoth(name);
      return [name, { ...found, value: found.config ?? found.environment }] as const;
    }),
  );
  const configured = <T>(name: ConfigKey): T | undefined => values.get(name)?.value as T | undefined;
  /** What lifts a refusal counts from both, for a refresh and a destroy use the configuration of the last up. */
  const both = (name: ConfigKey): unknown[] => [values.get(name)?.config, values.get(name)?.environment].flat();

  const top = topOptions(configured);
  const ofProfiles = values.get("profiles");
  const named = { ...(ofProfiles?.environment as NamedOptions), ...(ofProfiles?.config as NamedOptions) };
  const optionsOf = new Map<string | undefined, ServiceClientOptions>([[undefined, top]]);
  for (const [name, fields] of Object.entries(named)) {
    const own = profileOptions(name, fields, problems);
    optionsOf.set(name, { ...withoutCredentials(top), ...own, profile: name, settingName: settingNames(name) });
  }
  const known = Object.keys(named).join(", ") || "none";
  const noProfile = (name: string): string => `There is no profile "${name}" in webextract:profiles. Known: ${known}.`;
  for (const [name, options] of optionsOf) {
    const needed = name !== undefined || optionsOf.size === 1 || options.baseUrl !== undefined;
    problems.push(...clientProblems(name, options, needed));
  }
  const forced = both("forceDestroy");
  const config: ProviderConfig = {
    settings: {
      actionTypes: configured<string[]>("actionTypes") ?? [],
      markScope: configured<"task" | "returned">("markScope") ?? "task",
      statuses: { ...defaultStatuses, ...configured<Partial<Statuses>>("statuses") },
      pageSize: configured<number>("pageSize"),
      forceDestroy: (taskId) => forced.includes(true) || forced.includes(taskId),
    },
    movedFrom: both("movedFrom")
      .filter((each) => typeof each === "string")
      .map(originOf),
    journal: journalFolder(configured("journal"), top.tokenStore, environment),
    profileProblem(profile) {
      if (profile !== undefined) {
        return optionsOf.has(profile) ? undefined : noProfile(profile);
      }
      return top.baseUrl !== undefined || optionsOf.size === 1
        ? undefined
        : `It names no profile, and webextract:baseUrl is not configured. Name a profile (known: ${known}), or set webextract:baseUrl.`;
    },
    clientOptions(profile) {
      const options = optionsOf.get(profile);
      if (options === undefined) {
        throw new Error(
          `${noProfile(profile ?? "")} What was made with it needs it until it is deleted: put it back into webextract:profiles and run "pulumi up" ` +
            `(a refresh or a destroy goes by the configuration of the last up), or name it in WEBEXTRACT_PROFILES, which counts at once.`,
        );
      }
      return options;
    },
  };
  return { config, problems: [...new Set(problems)] };
}

/** With the token store, for both are to be kept: whoever carries that folder from one machine to the next carries the journal too. */
function journalFolder(
  journal: string | undefined,
  tokenStore: string | undefined,
  environment: NodeJS.ProcessEnv,
): string | undefined {
  return journal === "off" ? undefined : (journal ?? join(tokenStore ?? defaultTokenStore(environment), "journal"));
}

/** Keys in the namespace that mean nothing: mostly a slip of the pen. */
export function unknownKeys(names: readonly string[]): string[] {
  return names.filter((name) => !Object.hasOwn(keys, name));
}

/** Scheme, host and port: what is remembered of the service that a resource was made at. */
export function originOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).origin : baseUrl;
}

function parseOne(raw: string | undefined, name: ConfigKey, where: string, problems: string[]): unknown {
  if (raw === undefined || raw === "") {
    return undefined;
  }
  try {
    return keys[name]?.parse(raw);
  } catch {
    problems.push(`${where} must be ${keys[name]?.allowed}.`);
    return undefined;
  }
}

function topOptions(configured: <T>(name: ConfigKey) => T | undefined): ServiceClientOptions {
  return {
    baseUrl: configured<string>("baseUrl") as string,
    accessToken: configured("accessToken"),
    refreshToken: configured("refreshToken"),
    apiKey: configured("apiKey"),
    credentialCommand: configured("credentialCommand"),
    tokenStore: configured("tokenStore"),
    timeoutSeconds: configured("timeoutSeconds"),
    deadlineSeconds: configured("deadlineSeconds"),
    busyTimeoutSeconds: configured("busyTimeoutSeconds"),
    maxRetries: configured("maxRetries"),
    requestsPerSecond: configured("requestsPerSecond"),
    concurrency: configured("concurrency"),
    pageSize: configured("pageSize"),
    allowInsecureHttp: configured("allowInsecureHttp"),
    notExecutedCodes: configured("notExecutedCodes"),
    credentials: configured("credentials"),
    refreshPath: configured("refreshPath"),
    logLevel: configured("logLevel"),
    settingName: settingNames(undefined),
  };
}

/** How the client's errors name its options. */
function settingNames(profile: string | undefined): (option: string) => string {
  return (option) =>
    profile !== undefined && keys[option]?.inProfile
      ? `webextract:profiles.${profile}.${option}`
      : `webextract:${option}`;
}

/** Credentials are never lent from one account to another. */
function withoutCredentials(options: ServiceClientOptions): ServiceClientOptions {
  const { accessToken, refreshToken, apiKey, credentialCommand, ...rest } = options;
  return rest;
}

function profileOptions(
  profile: string,
  fields: Record<string, unknown>,
  problems: string[],
): Partial<ServiceClientOptions> {
  const allowed = Object.keys(keys).filter((name) => keys[name]?.inProfile);
  const options: Record<string, string> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (!allowed.includes(name)) {
      problems.push(`webextract:profiles.${profile}.${name} is not known. Known: ${allowed.join(", ")}.`);
    } else if (typeof value !== "string" || value === "") {
      problems.push(`webextract:profiles.${profile}.${name} must be a text that is not empty.`);
    } else {
      options[name] = value;
    }
  }
  return options;
}

function clientProblems(profile: string | undefined, options: ServiceClientOptions, needed: boolean): string[] {
  const where = profile === undefined ? "webextract:" : `webextract:profiles.${profile}.`;
  if (options.baseUrl === undefined) {
    const missing = `${where}baseUrl is missing. Set it with: pulumi config set webextract:baseUrl <address of the service>, or in WEBEXTRACT_BASE_URL.`;
    return needed ? [missing] : [];
  }
  return optionProblems(options).map((problem) => `${where}${problem}`);
}
