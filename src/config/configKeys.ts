import type { ServiceClientOptions } from "../service/options";
import type { Kind } from "./kinds";
import { boolean, booleanOrList, choice, integer, label, list, mapOfLists, mapOfMaps, number, string } from "./kinds";

/**
 * The keys of the namespace `webextract`, each described once. The program and the provider parse them with this description, and
 * docs/reference/configuration.md is generated from it.
 */
export interface Key extends Description {
  readonly environment: string;
}

interface Description {
  readonly kind: Kind<unknown>;
  /** The environment variable that is used if the configuration does not have the key. Default: `WEBEXTRACT_PAGE_SIZE` for `pageSize`. */
  readonly environment?: string;
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
export const clientKeys = withVariables({
  baseUrl: {
    kind: string("a URL"),
    meaning: "base address of the service",
    default: "required",
    inProfile: true,
  },
  accessToken: {
    kind: string(),
    meaning: "access token",
    isSecret: true,
    inProfile: true,
  },
  refreshToken: {
    kind: string(),
    meaning: "first refresh token; the newest one is kept in `tokenStore`",
    isSecret: true,
    inProfile: true,
  },
  apiKey: {
    kind: string(),
    meaning: "API key, for the upload of start URLs",
    isSecret: true,
    inProfile: true,
  },
  credentialCommand: {
    kind: string("a command line"),
    meaning: 'prints `{"Version": 1, "AccessToken": "…", "Expiration": "…"}`',
    inProfile: true,
  },
  tokenStore: {
    kind: string("a folder"),
    meaning: "where the newest refresh tokens are kept",
    default: "`pulumi-webextract` in the user's state folder",
    inProfile: true,
  },
  timeoutSeconds: {
    kind: number,
    meaning: "maximum time for one request",
    default: "30",
  },
  deadlineSeconds: {
    kind: number,
    meaning: "maximum time for one call with its retries",
    default: "900",
  },
  busyTimeoutSeconds: {
    kind: number,
    meaning: "how long a write waits for a task that is running",
    default: "120",
  },
  maxRetries: {
    kind: integer,
    meaning: "maximum number of retries of one call, where a retry is safe",
    default: "5",
  },
  requestsPerSecond: {
    kind: number,
    meaning: "maximum rate of requests",
    default: "none until the service responds with 429",
  },
  concurrency: {
    kind: integer,
    meaning: "maximum number of requests at a time",
    default: "8",
  },
  pageSize: {
    kind: integer,
    meaning: "maximum number of rows on a page",
    default: "1000",
  },
  allowInsecureHttp: {
    kind: boolean,
    meaning: "allows plain http to other machines",
    default: "`false`",
  },
  notExecutedCodes: {
    kind: list("error codes"),
    meaning: "error codes that prove that this service did not execute the request",
    default: "none",
  },
  credentials: {
    kind: choice("contract", "bearer", "apiKey"),
    meaning: "which credential requests carry: the one of the contract for each operation, or one for all operations",
    default: "`contract`",
  },
  refreshPath: {
    kind: string("a path"),
    meaning: "path of the token refresh",
    default: "`/token`",
  },
  logLevel: {
    kind: choice("silent", "debug", "trace"),
    environment: "WEBEXTRACT_LOG",
    meaning: "`debug` writes a line for each request, `trace` also the reason for each retry; no body, no credential",
    default: "`silent`",
  },
} satisfies Partial<Record<keyof ServiceClientOptions, Description>>);

/** The keys that the provider itself uses. */
const providerKeys = withVariables({
  profiles: {
    kind: mapOfMaps("profiles"),
    meaning: profilesMeaning(),
    default: "none",
  },
  journal: {
    kind: string("a folder, or off"),
    meaning: "where the [journal](../explanation/lost-responses.md#the-journal) is kept",
    default: "`journal` in the folder of `tokenStore`",
  },
  actionTypes: {
    kind: list("action types"),
    meaning:
      "action types that a refresh requests in addition to the declared ones; with the type of loops it finds their drift",
    default: "none",
  },
  allowedFolders: {
    kind: list("folders"),
    meaning:
      "folders outside of the program's folder, relative to it, whose files `itemsFile`, `file`, `checks.schema` and the `path` of a Manifest can name. Those of the configuration and of the environment count",
    default: "none",
  },
  packagesFolder: {
    kind: string("a folder"),
    meaning:
      "where the packages are installed that only some exports need, such as `hyparquet-writer`; for programs in other languages, which have no `node_modules`",
    default: "the program's folder",
  },
  markScope: {
    kind: choice("task", "returned"),
    meaning: "what the service marks as exported: all rows of the task, or the rows that it has returned",
    default: "`task`",
  },
  statuses: {
    kind: mapOfLists("finished", "failed", "stopped"),
    meaning: 'which subtask statuses mean what, for example `{"finished": ["done"]}`',
    default: "finished: `finished`, `completed`, `done`; failed: `failed`, `error`; stopped: `stopped`",
  },
  runLabel: {
    kind: label,
    meaning:
      "starts one run of each CloudRun that has not run under this label yet; meant for the environment of a [scheduled job](../how-to/schedule.md)",
    default: "none: nothing is started",
  },
  native: {
    kind: boolean,
    meaning: "whether the classes run on the [native plugin](../explanation/two-engines.md), which must be installed",
    default: "`false`",
  },
  s3ForcePathStyle: {
    kind: boolean,
    meaning:
      "whether requests to [S3](../how-to/s3.md) have the bucket in the path, as many compatible stores need it; region, endpoint and credentials are those of the AWS SDK",
    default: "`false`",
  },
  forceDestroy: {
    kind: booleanOrList("task ids"),
    meaning: "allows the removal of the rows of all or of these tasks; both sources count",
    default: "`false`",
  },
  movedFrom: {
    kind: list("URLs"),
    meaning: "earlier base addresses of a service that has moved; both sources count",
    default: "none",
  },
});

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

type WithVariables<Keys> = { readonly [Name in keyof Keys]: Keys[Name] & Pick<Key, "environment"> };

function withVariables<Keys extends Readonly<Record<string, Description>>>(keys: Keys): WithVariables<Keys> {
  const named = Object.entries(keys).map(([name, key]) => [
    name,
    { environment: `WEBEXTRACT_${name.replace(/[A-Z]/g, "_$&").toUpperCase()}`, ...key },
  ]);
  return Object.fromEntries(named);
}

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
