/** The options of a `ServiceClient`, with meaning, unit and default. */

/**
 * The lines that `log` receives. `debug`: one line for each request. `trace`: also the reason for each repeat and wait.
 */
export type LogLevel = "silent" | "debug" | "trace";

/**
 * The credential that requests carry. `contract`: as the service's contract says (x-api-key for the upload of start
 * URLs, the access token for all other operations). `bearer` and `apiKey`: the same credential for every operation, for
 * services that accept only one.
 */
export type CredentialScheme = "contract" | "bearer" | "apiKey";

/** Options of a `ServiceClient`. Only `baseUrl` is required. */
export interface ServiceClientOptions {
  /**
   * The service's base address; a path is kept as a prefix. https, unless the host is loopback or `allowInsecureHttp`
   * is set.
   */
  baseUrl: string;
  /** An access token. Used until the service refuses it. */
  accessToken?: string;
  /** The first refresh token. The service can replace it at each refresh; `tokenStore` keeps the newest one. */
  refreshToken?: string;
  /** Sent as `x-api-key` where the contract asks for it. */
  apiKey?: string;
  /** A command line that prints `{"Version": 1, "AccessToken": "…", "Expiration": "…"}` on stdout. */
  credentialCommand?: string;
  /**
   * Where rotated refresh tokens are kept: a folder, or for several machines an object store, as `s3://bucket/prefix`,
   * `gs://bucket/prefix` or `azblob://container/prefix?storage_account=NAME`.
   * Default: `pulumi-webextract` in the user's state folder.
   */
  tokenStore?: string;
  /** Whether requests to S3 have the bucket in the path. Default: as the AWS SDK does it. */
  s3ForcePathStyle?: boolean;
  /** The folder where the SDK is installed for a `tokenStore` in an object store. Default: the present folder. */
  packagesFolder?: string;
  /** Earlier base addresses of a service that has moved: their stored tokens are taken along. Default: none. */
  movedFrom?: string[];
  /** Separates the stored tokens of several accounts at one service. Default: an account of its own, without a name. */
  profile?: string;
  /** Seconds a single request can take, from connecting to the last byte of the response. Default 30. */
  timeoutSeconds?: number;
  /** How often a request is repeated, if that is safe. Default 5. */
  maxRetries?: number;
  /**
   * Most requests per second, over all clients of this process for the same service with the same limits. Default: no
   * limit until the service responds with 429.
   */
  requestsPerSecond?: number;
  /** Most requests in flight, over all clients of this process for the same service with the same limits. Default 8. */
  concurrency?: number;
  /** Most rows per page. The client uses smaller pages if the service refuses this size. Default 1000. */
  pageSize?: number;
  /** Seconds that a write waits while the task is running and cannot be changed; 0 does not wait. Default 120. */
  busyTimeoutSeconds?: number;
  /** Seconds that a call can take, with repeats and waits. Default 900. */
  deadlineSeconds?: number;
  /** Allows plain http to another machine: credentials then travel unencrypted. Default false. */
  allowInsecureHttp?: boolean;
  /**
   * Error codes that mean "not executed" at this service. The client does not send the request again. Default: none.
   */
  notExecutedCodes?: string[];
  /**
   * Whether a start that is confirmed without a `lotNo` counts as started. Its run gets an id that only this package
   * knows, so its rows cannot be read as a batch. Default false: an error, and the run may exist.
   */
  startsWithoutLotNo?: boolean;
  /** The credential that requests carry. Default `contract`. */
  credentials?: CredentialScheme;
  /** Path of the token refresh. Default `/token`. */
  refreshPath?: string;
  /** Whether a line of the log is text, or a JSON object. Both begin with the time. Default `text`. */
  logFormat?: "text" | "json";
  /** How much `log` receives. Default `silent`. */
  logLevel?: LogLevel;
  /** Receives the lines of the log, without bodies and credentials. Default: standard error. */
  log?: (line: string) => void;
  /** Receives warnings, for example of a token that could not be stored. Default: standard error. */
  warn?: (message: string) => void;
  /** Receives a message when a call begins to wait for a task that is running. Default: none. */
  waiting?: (message: string) => void;
  /** The name of an option in errors, for example its key in a configuration file. Default: its own name. */
  settingName?: (option: string) => string;
  /** Largest accepted response, in bytes. Default 64 MiB. */
  maxResponseBytes?: number;
  /**
   * After an abort, no call waits for the limiter or for the next attempt: the call ends with an error. A request in
   * progress completes.
   */
  interrupted?: AbortSignal;
  /**
   * Whether a refresh token is sent only if its successor can be stored. Default false.
   * @internal
   */
  mustStoreTokens?: boolean;
  /**
   * Whether another account is the one that earlier versions stored as `default` too. Nobody can tell then whose the
   * tokens under that name are. Default false.
   * @internal
   */
  sharesDefault?: boolean;
  /**
   * Follows each request. Default: none.
   * @internal
   */
  watch?: RequestWatch;
}

/** Follows the requests of a client: `probe` limits their number, and looks at responses as they came. */
export interface RequestWatch {
  /** Called before each attempt. What it throws ends the call, and nothing is sent. */
  before(operation: string): void;
  /** Called with each response, whatever its status. */
  after(operation: string, response: WatchedResponse): void;
}

/** A response as it came. */
export interface WatchedResponse {
  status: number;
  body: Buffer;
  /** The names of the headers that tell a limit of requests. */
  rateHeaders?: readonly string[];
}

/** Options of a single call. */
export interface CallOptions {
  /** Ends the call, and closes the connection of a request in progress. */
  signal?: AbortSignal;
  /** Seconds that this call can take, with repeats and waits. Default: `deadlineSeconds` of the client. */
  deadlineSeconds?: number;
  /**
   * Makes one attempt only, without waits and repeats: for a write that is correct only at this moment. Default false.
   */
  once?: boolean;
}

/** A proxy between this process and the service. */
export interface ProxyServer {
  /** Without user name and password, so that messages can contain the address. */
  readonly url: URL;
  readonly user?: { readonly username: string; readonly password: string };
}

type NotInSettings =
  | "tokenStore"
  | "s3ForcePathStyle"
  | "packagesFolder"
  | "accessToken"
  | "refreshToken"
  | "apiKey"
  | "credentialCommand";

/** The options, checked and with their defaults. Credentials are not included: only the token code holds those. */
export interface ClientSettings extends Required<Omit<ServiceClientOptions, NotInSettings>> {
  /** Undefined for a user without a home folder, if no token needs it. */
  tokenStore: string | undefined;
  /** The proxy that the environment sets for this service. */
  proxy: ProxyServer | undefined;
}
