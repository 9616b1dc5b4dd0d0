import type { Statuses } from "../resources/resource";
import type { ServiceClientOptions } from "../service/options";
import { optionKinds } from "../service/settings";
import type { Kind, Shape } from "../values/kinds";
import { boolean, choice, filePath, freeMap, list, string } from "../values/kinds";

/**
 * The keys of the namespace `webextract`, each described once. The program and the provider parse them with this
 * description, and docs/reference/configuration.md is generated from it.
 */
export interface Key extends Description {
  readonly environment: string;
}

interface Description {
  readonly kind: Shape;
  /** What is allowed, for errors and the documentation, if the kind does not say all of it. */
  readonly allowed?: string;
  /** What a string must match. */
  readonly pattern?: RegExp;
  /**
   * The environment variable that is used if the configuration does not have the key. Default: `WEBEXTRACT_PAGE_SIZE`
   * for `pageSize`.
   */
  readonly environment?: string;
  /** For the documentation. */
  readonly meaning: string;
  /** For the documentation: the default, or `required`. Absent: there is no default. */
  readonly default?: string;
  /** Whether the value is a credential, which must be encrypted in the configuration. */
  readonly isSecret?: true;
  /** Whether a folder is relative to that of the project. */
  readonly inProject?: true;
  /** Whether a profile can have a value of its own. */
  readonly inProfile?: true;
}

/** White space at an end and quotes come from files of variables, and a word for a switch is no folder: `./no` is. */
const folder = /^(?![\s"'])(?!(?:yes|no|y|n|on|off|true|false|all|none|null|[01]|(?:en|dis)abled?|never)$).*\S$/is;
/** Words that switch the journal off. */
export const isOff = /^(?:off|none|false)$/i;

/** The keys that are options of the client, under the same names. */
export const clientKeys = withVariables({
  baseUrl: {
    kind: string,
    allowed: "a URL",
    meaning: "base address of the service",
    default: "required",
    inProfile: true,
  },
  accessToken: {
    kind: string,
    meaning: "access token",
    isSecret: true,
    inProfile: true,
  },
  refreshToken: {
    kind: string,
    meaning: "first refresh token; the newest one is kept in `tokenStore`",
    isSecret: true,
    inProfile: true,
  },
  apiKey: {
    kind: string,
    meaning: "API key, for the upload of start URLs",
    isSecret: true,
    inProfile: true,
  },
  credentialCommand: {
    kind: string,
    allowed: "a command line",
    meaning: 'prints `{"Version": 1, "AccessToken": "…", "Expiration": "…"}`',
    inProfile: true,
  },
  tokenStore: {
    kind: filePath,
    allowed:
      "a folder, relative to that of Pulumi.yaml, or an object store such as s3://bucket/prefix, gs://bucket/prefix or azblob://container/prefix",
    pattern: folder,
    inProject: true,
    meaning: "where the newest refresh tokens are kept; several machines share a [store](../how-to/shared-store.md)",
    default: "`pulumi-webextract` in the user's state folder",
    inProfile: true,
  },
  packagesFolder: {
    kind: filePath,
    allowed: "a folder, relative to that of Pulumi.yaml",
    pattern: folder,
    inProject: true,
    meaning:
      "where the packages are installed that only some exports need, such as `hyparquet-writer`; for programs in other languages, which have no `node_modules`",
    default: "the program's folder",
  },
  s3ForcePathStyle: {
    kind: boolean,
    allowed: "true or false",
    meaning:
      "whether requests to [S3](../how-to/s3.md) have the bucket in the path, as many compatible stores need it; region, endpoint and credentials are those of the AWS SDK",
    default: "`false`",
  },
  timeoutSeconds: {
    kind: optionKinds.timeoutSeconds,
    meaning: "maximum time for one request",
    default: "30",
  },
  deadlineSeconds: {
    kind: optionKinds.deadlineSeconds,
    meaning: "maximum time for one call with its retries",
    default: "900",
  },
  busyTimeoutSeconds: {
    kind: optionKinds.busyTimeoutSeconds,
    meaning: "how long a write waits for a task that is running",
    default: "120",
  },
  maxRetries: {
    kind: optionKinds.maxRetries,
    meaning: "maximum number of retries of one call, where a retry is safe",
    default: "5",
  },
  requestsPerSecond: {
    kind: optionKinds.requestsPerSecond,
    meaning: "maximum rate of requests",
    default: "none until the service responds with 429",
  },
  concurrency: {
    kind: optionKinds.concurrency,
    meaning: "maximum number of requests at a time",
    default: "8",
  },
  pageSize: {
    kind: optionKinds.pageSize,
    meaning: "maximum number of rows on a page",
    default: "1000",
  },
  allowInsecureHttp: {
    kind: boolean,
    allowed: "true or false",
    meaning: "allows plain http to other machines",
    default: "`false`",
  },
  notExecutedCodes: {
    kind: list(string),
    allowed: "a list of error codes, as JSON or with commas",
    meaning: "error codes that prove that this service did not execute the request",
    default: "none",
  },
  startsWithoutLotNo: {
    kind: boolean,
    allowed: "true or false",
    meaning:
      "whether runs whose start is confirmed without a `lotNo` get an id of this package; they cannot be exported as a batch",
    default: "`false`",
  },
  credentials: {
    kind: optionKinds.credentials,
    meaning: "which credential requests carry: the one of the contract for each operation, or one for all operations",
    default: "`contract`",
  },
  refreshPath: {
    kind: string,
    allowed: "a path",
    meaning: "path of the token refresh",
    default: "`/token`",
  },
  logFormat: {
    kind: optionKinds.logFormat,
    environment: "WEBEXTRACT_LOG_FORMAT",
    meaning: "whether a line of the log is text or a JSON object with the same facts",
    default: "`text`",
  },
  logLevel: {
    kind: optionKinds.logLevel,
    environment: "WEBEXTRACT_LOG",
    meaning: "`debug` writes a line for each request, `trace` also the reason for each retry; no body, no credential",
    default: "`silent`",
  },
} satisfies Partial<Record<keyof ServiceClientOptions, Description>>);

const profiles: Kind<Record<string, Record<string, unknown>>> = { is: "map", of: freeMap, mayBeEmpty: true };
const words = { kind: list(string, { mayBeEmpty: true }) };
const statuses: Kind<Partial<Statuses>> = { is: "object", fields: { finished: words, failed: words, stopped: words } };

/** The keys that the provider itself uses. */
const providerKeys = withVariables({
  profiles: {
    kind: profiles,
    allowed: "a JSON map of profiles",
    meaning: profilesMeaning(),
    default: "none",
  },
  journal: {
    kind: filePath,
    allowed: "a folder or a store as for `tokenStore`, or off",
    pattern: new RegExp(`${isOff.source}|${folder.source}`, folder.flags),
    meaning: "where the [journal](../explanation/lost-responses.md#the-journal) is kept",
    default: "`journal` in the folder of `tokenStore`, or the store itself",
  },
  actionTypes: {
    kind: list(string),
    allowed: "a list of action types, as JSON or with commas",
    meaning:
      "action types that a refresh requests in addition to the declared ones; with the type of loops it finds their drift",
    default: "none",
  },
  allowedFolders: {
    kind: list(filePath),
    allowed: "a list of folders, as JSON or with commas",
    meaning:
      "folders outside of the program's folder, relative to it, whose files `itemsFile`, `file`, `checks.schema` and the `path` of a Manifest can name. Those of the configuration and of the environment count",
    default: "none",
  },
  markScope: {
    kind: choice("task", "returned"),
    meaning: "what the service marks as exported: all rows of the task, or the rows that it has returned",
    default: "`task`",
  },
  statuses: {
    kind: statuses,
    allowed: "a JSON map of finished, failed, stopped to lists of strings",
    meaning: 'which subtask statuses mean what, for example `{"finished": ["done"]}`',
    default: "finished: `finished`, `completed`, `done`; failed: `failed`, `error`; stopped: `stopped`",
  },
  runLabel: {
    kind: string,
    allowed:
      "1 to 100 letters, digits or characters of . _ : / + @ -, which are not secret: previews and the state show them",
    // It can be in diffs, logs and files.
    pattern: /^[\p{L}\p{N}._:/+@-]{1,100}$/u,
    meaning:
      "starts one run of each CloudRun that has not run under this label yet; meant for the environment of a [scheduled job](../how-to/schedule.md)",
    default: "none: nothing is started",
  },
  trialGroup: {
    kind: string,
    allowed: "the id of a task group",
    meaning: "the group into which a [trial](../how-to/review-rows.md) copies each task that the program adopts",
    default: "none",
  },
  native: {
    kind: boolean,
    allowed: "true or false",
    meaning: "whether the classes run on the [native plugin](../explanation/two-engines.md), which must be installed",
    default: "`false`",
  },
  forceDestroy: {
    kind: { is: "any" } as Kind<boolean | string[]>,
    allowed: "true, false or a list of task ids, as JSON or with commas",
    meaning: "allows the removal of the rows of all or of these tasks; both sources count",
    default: "`false`",
  },
  movedFrom: {
    kind: list(string),
    allowed: "a list of URLs, as JSON or with commas",
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

/**
 * A function, because TypeScript 3.8 cannot parse the template literal type that a constant would get in the
 * declarations.
 */
function profilesMeaning(): string {
  return `other accounts by name, each with any of ${inCode(profileKeysOf(clientKeys))}; both sources count`;
}

function inCode(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}
