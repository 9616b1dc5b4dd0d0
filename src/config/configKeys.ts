import type { ServiceClientOptions } from "../service/options";
import type { Kind } from "./kinds";
import { boolean, booleanOrList, choice, integer, label, list, mapOfLists, mapOfMaps, number, string } from "./kinds";

/**
 * The keys of the namespace `webextract`, each described once. The program and the provider parse them with this description, and
 * docs/reference/configuration.md is generated from it.
 */
export interface Key {
  readonly kind: Kind<unknown>;
  /** The environment variable that is used if the configuration does not have the key. */
  readonly environment: string;
  /** For the documentation. */
  readonly meaning: string;
  /** For the documentation: the default, or `required`. Absent: there is no default. */
  readonly default?: string;
  /** Whether the value is a credential, which must be encrypted in the configuration. */
  readonly isSecret?: true;
  /** Whether a profile can have a value of its own. */
  readonly inProfile?: true;
}

/** The keys that are options of the client, under the same names. */
export const clientKeys = {
  baseUrl: {
    kind: string("a URL"),
    environment: "WEBEXTRACT_BASE_URL",
    meaning: "base address of the service",
    default: "required",
    inProfile: true,
  },
  accessToken: {
    kind: string(),
    environment: "WEBEXTRACT_ACCESS_TOKEN",
    meaning: "access token",
    isSecret: true,
    inProfile: true,
  },
  refreshToken: {
    kind: string(),
    environment: "WEBEXTRACT_REFRESH_TOKEN",
    meaning: "first refresh token; the newest one is kept in `tokenStore`",
    isSecret: true,
    inProfile: true,
  },
  apiKey: {
    kind: string(),
    environment: "WEBEXTRACT_API_KEY",
    meaning: "API key, for the upload of start URLs",
    isSecret: true,
    inProfile: true,
  },
  credentialCommand: {
    kind: string("a command line"),
    environment: "WEBEXTRACT_CREDENTIAL_COMMAND",
    meaning: 'prints `{"Version": 1, "AccessToken": "…", "Expiration": "…"}`',
    inProfile: true,
  },
  tokenStore: {
    kind: string("a folder"),
    environment: "WEBEXTRACT_TOKEN_STORE",
    meaning: "where the newest refresh tokens are kept",
    default: "`pulumi-webextract` in the user's state folder",
    inProfile: true,
  },
  timeoutSeconds: {
    kind: number,
    environment: "WEBEXTRACT_TIMEOUT_SECONDS",
    meaning: "maximum time for one request",
    default: "30",
  },
  deadlineSeconds: {
    kind: number,
    environment: "WEBEXTRACT_DEADLINE_SECONDS",
    meaning: "maximum time for one call with its retries",
    default: "900",
  },
  busyTimeoutSeconds: {
    kind: number,
    environment: "WEBEXTRACT_BUSY_TIMEOUT_SECONDS",
    meaning: "how long a write waits for a task that is running",
    default: "120",
  },
  maxRetries: {
    kind: integer,
    environment: "WEBEXTRACT_MAX_RETRIES",
    meaning: "maximum number of retries of one call, where a retry is safe",
    default: "5",
  },
  requestsPerSecond: {
    kind: number,
    environment: "WEBEXTRACT_REQUESTS_PER_SECOND",
    meaning: "maximum rate of requests",
    default: "none until the service responds with 429",
  },
  concurrency: {
    kind: integer,
    environment: "WEBEXTRACT_CONCURRENCY",
    meaning: "maximum number of requests at a time",
    default: "8",
  },
  pageSize: {
    kind: integer,
    environment: "WEBEXTRACT_PAGE_SIZE",
    meaning: "maximum number of rows on a page",
    default: "1000",
  },
  allowInsecureHttp: {
    kind: boolean,
    environment: "WEBEXTRACT_ALLOW_INSECURE_HTTP",
    meaning: "allows plain http to other machines",
    default: "`false`",
  },
  notExecutedCodes: {
    kind: list("error codes"),
    environment: "WEBEXTRACT_NOT_EXECUTED_CODES",
    meaning: "error codes that prove that this service did not execute the request",
    default: "none",
  },
  credentials: {
    kind: choice("contract", "bearer", "apiKey"),
    environment: "WEBEXTRACT_CREDENTIALS",
    meaning: "which credential requests carry: the one of the contract for each operation, or one for all operations",
    default: "`contract`",
  },
  refreshPath: {
    kind: string("a path"),
    environment: "WEBEXTRACT_REFRESH_PATH",
    meaning: "path of the token refresh",
    default: "`/token`",
  },
  logLevel: {
    kind: choice("silent", "debug", "trace"),
    environment: "WEBEXTRACT_LOG",
    meaning: "`debug` writes a line for each request, `trace` also the reason for each retry; no body, no credential",
    default: "`silent`",
  },
} as const satisfies Partial<Record<keyof ServiceClientOptions, Key>>;

/** The keys that the provider itself uses. */
const providerKeys = {
  profiles: {
    kind: mapOfMaps("profiles"),
    environment: "WEBEXTRACT_PROFILES",
    meaning: profilesMeaning(),
    default: "none",
  },
  journal: {
    kind: string("a folder, or off"),
    environment: "WEBEXTRACT_JOURNAL",
    meaning: "where the [journal](../explanation/lost-responses.md#the-journal) is kept",
    default: "`journal` in the folder of `tokenStore`",
  },
  actionTypes: {
    kind: list("action types"),
    environment: "WEBEXTRACT_ACTION_TYPES",
    meaning:
      "action types that a refresh requests in addition to the declared ones; with the type of loops it finds their drift",
    default: "none",
  },
  allowedFolders: {
    kind: list("folders"),
    environment: "WEBEXTRACT_ALLOWED_FOLDERS",
    meaning:
      "folders outside of the program's folder, relative to it, whose files `itemsFile`, `file`, `checks.schema` and the `path` of a Manifest can name. Those of the configuration and of the environment count",
    default: "none",
  },
  markScope: {
    kind: choice("task", "returned"),
    environment: "WEBEXTRACT_MARK_SCOPE",
    meaning: "what the service marks as exported: all rows of the task, or the rows that it has returned",
    default: "`task`",
  },
  statuses: {
    kind: mapOfLists("finished", "failed", "stopped"),
    environment: "WEBEXTRACT_STATUSES",
    meaning: 'which subtask statuses mean what, for example `{"finished": ["done"]}`',
    default: "finished: `finished`, `completed`, `done`; failed: `failed`, `error`; stopped: `stopped`",
  },
  runLabel: {
    kind: label,
    environment: "WEBEXTRACT_RUN_LABEL",
    meaning:
      "starts one run of each CloudRun that has not run under this label yet; meant for the environment of a [scheduled job](../how-to/schedule.md)",
    default: "none: nothing is started",
  },
  s3ForcePathStyle: {
    kind: boolean,
    environment: "WEBEXTRACT_S3_FORCE_PATH_STYLE",
    meaning:
      "whether requests to [S3](../how-to/s3.md) have the bucket in the path, as many compatible stores need it; region, endpoint and credentials are those of the AWS SDK",
    default: "`false`",
  },
  forceDestroy: {
    kind: booleanOrList("task ids"),
    environment: "WEBEXTRACT_FORCE_DESTROY",
    meaning: "allows the removal of the rows of all or of these tasks; both sources count",
    default: "`false`",
  },
  movedFrom: {
    kind: list("URLs"),
    environment: "WEBEXTRACT_MOVED_FROM",
    meaning: "earlier base addresses of a service that has moved; both sources count",
    default: "none",
  },
} as const satisfies Record<string, Key>;

/** Every key, without its namespace. */
export const configKeys = { ...clientKeys, ...providerKeys };

export type ConfigKey = keyof typeof configKeys;

type ValuesOf<Keys> = { [Name in keyof Keys]?: Keys[Name] extends { kind: Kind<infer T> } ? T : never };

export type ConfigValues = ValuesOf<typeof configKeys>;
export type ClientValues = ValuesOf<typeof clientKeys>;

export const keyNames = Object.keys(configKeys) as ConfigKey[];
/** The keys that a profile can have. */
export const profileKeys = profileKeysOf(clientKeys);
/** The keys that are credentials. */
export const credentialKeys = Object.entries<Key>(clientKeys).flatMap(([name, { isSecret }]) =>
  isSecret ? [name] : [],
);

function profileKeysOf(keys: Readonly<Record<string, Key>>): string[] {
  return Object.entries(keys).flatMap(([name, { inProfile }]) => (inProfile ? [name] : []));
}

/** A function, because TypeScript 3.8 cannot parse the template literal type that a constant would get in the declarations. */
function profilesMeaning(): string {
  return `other accounts by name, each with any of ${inCode(profileKeysOf(clientKeys))}; both sources count`;
}

function inCode(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}
