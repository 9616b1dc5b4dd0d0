/** What a `ServiceClient` can be told, with the meaning, unit and default of each option. */

/** How much `log` is told. `debug`: a line for each request sent. `trace`: besides, why something was repeated or waited for. */
export type LogLevel = "silent" | "debug" | "trace";

/**
 * Which credential an operation is sent with. `contract`: as the service's contract says (x-api-key for the upload of start URLs, the
 * access token for everything else). `bearer` and `apiKey`: that one for every operation, for services that take only one.
 */
export type CredentialScheme = "contract" | "bearer" | "apiKey";

/** Options of a `ServiceClient`. All but `baseUrl` may be left out. */
export interface ServiceClientOptions {
  /** The service's base address; a path is kept as a prefix. https, unless the host is loopback or `allowInsecureHttp` is set. */
  baseUrl: string;
  /** A ready access token. Used as long as it is not refused. */
  accessToken?: string;
  /** The refresh token to begin with. The service may replace it at each refresh; the newest one is kept in `tokenStore`. */
  refreshToken?: string;
  /** Sent as `x-api-key` where the contract asks for it. */
  apiKey?: string;
  /** A command line that prints `{"Version": 1, "AccessToken": "…", "Expiration": "…"}` on stdout. */
  credentialCommand?: string;
  /** Folder in which rotated refresh tokens are kept. Default: `pulumi-webextract` in the user's state folder. */
  tokenStore?: string;
  /** Keeps the stored tokens of several accounts on one service apart. Default: `default`. */
  profile?: string;
  /** Seconds a single request may take, from connecting to the last byte of the answer. Default 30. */
  timeoutSeconds?: number;
  /** How often a request is sent again where that is safe. Default 5. */
  maxRetries?: number;
  /** Upper bound of requests a second, over all clients of this process for the same service. Default: none until the service answers 429. */
  requestsPerSecond?: number;
  /** Upper bound of requests in flight, over all clients of this process for the same service. Default 8. */
  concurrency?: number;
  /** Rows a page, at most. It falls by itself where the service refuses it. Default 1000. */
  pageSize?: number;
  /** Seconds a write waits for a task that is running and cannot be changed meanwhile; 0 does not wait. Default 120. */
  busyTimeoutSeconds?: number;
  /** Seconds a call may take in all, with repeats and waits. Default: 900. */
  deadlineSeconds?: number;
  /** Allows plain http to a host that is not this machine: credentials then travel unencrypted. Default false. */
  allowInsecureHttp?: boolean;
  /** Error codes by which this service says that nothing was done, so that even a copy or a start may be sent again. Default: none. */
  notExecutedCodes?: string[];
  /** Default `contract`. */
  credentials?: CredentialScheme;
  /** Path of the token refresh, for services that have it elsewhere. Default `/token`. */
  refreshPath?: string;
  /** Default `silent`. */
  logLevel?: LogLevel;
  /** Takes the lines of the log: never a body, never a credential. Default: standard error. */
  log?: (line: string) => void;
  /** Takes what the user must know and what is no error, for example a token that could not be stored. Default: standard error. */
  warn?: (message: string) => void;
  /** How errors name an option, for example as the key of a file in which it is set. Default: its own name. */
  settingName?: (option: string) => string;
  /** Largest answer taken, in bytes. Default 64 MiB. */
  maxResponseBytes?: number;
  /** Once aborted, nothing waits any more, for its turn or to be sent again: those calls end with an error. What is under way comes to its end. */
  interrupted?: AbortSignal;
}

/** What any single call can be told. */
export interface CallOptions {
  /** Ends the call: a request under way is cut off with its connection. */
  signal?: AbortSignal;
  /** Seconds this call may take in all, with repeats and waits. Default: the client's. */
  deadlineSeconds?: number;
  /** The call ends with a failure that would otherwise be waited out and repeated: for a write that is right at this moment only. Default false. */
  once?: boolean;
}
