// biome-ignore-all lint/suspicious/noUnsafeDeclarationMerging: the operations are methods, which derive from the contract

import { clock } from "../system/clock";
import type { CredentialsInUse } from "./auth/accessToken";
import { NoToken } from "./auth/accessToken";
import type { CommandCredential } from "./auth/credentialCommand";
import { Tokens } from "./auth/tokens";
import type { Operation, OperationName, ResponseOf } from "./contract/operations";
import { operations } from "./contract/operations";
import type { PreparedRequest } from "./contract/requests";
import { prepare } from "./contract/requests";
import type { NewTokens } from "./contract/responses";
import { readNewTokens, readResponse } from "./contract/responses";
import type { Subtask } from "./contract/types";
import { Redactor } from "./errors/hideWords";
import type { Limiter } from "./http/limiter";
import { joinLimiter } from "./http/limiter";
import { secretsOf } from "./http/proxy";
import type { Read } from "./http/requestSender";
import { RequestSender } from "./http/requestSender";
import { Transport } from "./http/transport";
import { UploadSender } from "./http/uploadSender";
import type { CallOptions, ClientSettings, ServiceClientOptions } from "./options";
import type { RowPage, RowSource } from "./rows/rowPage";
import { readPage, rowRequest } from "./rows/rowPage";
import type { RowsOptions } from "./rows/rows";
import { readByOffset, readNotExported } from "./rows/rows";
import { allSubtasks } from "./rows/subtasks";
import { settingsOf } from "./settings";
import { refuseWrongPath } from "./wrongPath";

/** The call of one operation. */
export type CallOf<Of> =
  Of extends Operation<infer Request, infer Response>
    ? (request: Request, options?: CallOptions) => Promise<Response>
    : never;

/** A method for each operation of the contract. */
export type OperationCalls = { [Name in keyof typeof operations]: CallOf<(typeof operations)[Name]> };

export interface ServiceClient extends OperationCalls {}

/** The request as the contract describes it, if it does, and what is sent in place of its parts. */
export type UndescribedRequest = { request?: object } & Partial<
  Pick<PreparedRequest, "json" | "path" | "credential" | "headers">
>;

/**
 * The service's 16 operations, and methods for all rows and all subtasks. Each operation takes its request and returns
 * the complete response, both spelled as on the wire, and fails with a {@link ServiceError} only.
 * docs/reference/client.md describes which requests are repeated, and when.
 */
export class ServiceClient {
  readonly #settings: ClientSettings;
  readonly #sender: RequestSender;
  readonly #tokens: Tokens;
  readonly #secrets = new Redactor();
  readonly #transport: Transport;
  readonly #limiter: Limiter;
  readonly #uploads = new UploadSender();
  #leaveLimiter: (() => void) | undefined;

  /** Makes no request and reads no file. @throws TypeError that names every invalid option */
  constructor(options: ServiceClientOptions) {
    const settings = settingsOf(options);
    const { apiKey } = options;
    const secrets = this.#secrets;
    for (const word of [apiKey, ...secretsOf(settings.proxy)]) secrets.add(word);
    const { limiter, leave } = joinLimiter(settings);
    const transport = new Transport(settings.maxResponseBytes, settings.proxy);
    const refresh = (token: string, deadlineSeconds?: number): Promise<NewTokens> => {
      const request = { refresh_token: token, grant_type: "refresh_token" };
      return this.#sender.call(prepare("refreshToken", request, settings), readNewTokens, { deadlineSeconds });
    };
    const tokens = new Tokens({ options, settings, secrets, refresh });
    this.#settings = settings;
    this.#tokens = tokens;
    this.#transport = transport;
    this.#limiter = limiter;
    this.#leaveLimiter = leave;
    this.#sender = new RequestSender({ settings, transport, limiter, tokens, secrets, apiKey });
  }

  /**
   * All rows of a task or of a batch, or all rows that are not exported, page by page and in order, in constant memory.
   * The last page has `complete`. The service returns rows that are not exported again until they are marked: mark them
   * between two pages, or get one page only.
   */
  rows(source: RowSource, options: RowsOptions = {}): AsyncGenerator<RowPage, void, void> {
    const { pageSize, concurrency } = this.#settings;
    const { maxRows = Number.POSITIVE_INFINITY, offset = 0, signal, deadlineSeconds, once } = options;
    const { name, request } = rowRequest(source);
    const reading = {
      fetch: (from: number, size: number, pageSignal: AbortSignal) =>
        this.#sender.call(
          prepare(name, { ...request, offset: from, size }, this.#settings),
          (body, anyLost) => readPage(name, body, anyLost),
          { signal: pageSignal, deadlineSeconds, once },
        ),
      pageSize: options.pageSize ?? pageSize,
      maxRows,
      offset,
      ahead: concurrency,
      signal,
    };
    return name === "getNotExportedData" ? readNotExported(reading) : readByOffset(reading);
  }

  /** All subtasks of a task, however many of them the service returns on a page. */
  allSubtasks(taskId: string, options: CallOptions = {}): Promise<Subtask[]> {
    const { deadlineSeconds = this.#settings.deadlineSeconds } = options;
    const end = clock.now() + deadlineSeconds * 1000;
    return allSubtasks(async (page, size) => {
      const left = Math.max(0, end - clock.now()) / 1000;
      return (await this.getSubtasks({ taskId, page, size }, { ...options, deadlineSeconds: left })).data;
    });
  }

  /**
   * Sends a request with parts that the contract does not describe, to find out what the service does with them: for
   * `probe`.
   * @returns the body of a success, as it came
   * @internal
   */
  send(name: OperationName, { request, ...parts }: UndescribedRequest, options?: CallOptions): Promise<Buffer> {
    const prepared = prepare(name, request ?? {}, this.#settings);
    const problem = request === undefined ? undefined : prepared.problem;
    return this.#exchange({ ...prepared, problem, ...parts }, (body) => body, options);
  }

  /** Which credentials are in use, without their values. */
  describeCredentials(): CredentialsInUse {
    return this.#tokens.describe();
  }

  /** Hides the credentials in use in a text of somebody else, as in the messages of errors. */
  redact(text: string): string {
    return this.#secrets.scrub(text);
  }

  /**
   * What a `credentialCommand` must print, as an object: for a broker that holds the refresh token and issues access
   * tokens.
   * @throws Error if there is no access token
   */
  async credentialForCommand(): Promise<CommandCredential> {
    const { value, expiresAt } = await this.#redacted(this.#tokens.get(new AbortController().signal));
    return {
      Version: 1,
      AccessToken: value,
      Expiration: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString(),
    };
  }

  /**
   * Exchanges the newest refresh token for new tokens now, and stores them, although the access token can still be
   * valid.
   * @throws Error if there is no refresh token, or the service accepts none
   */
  async renewTokens(): Promise<CredentialsInUse> {
    await this.#redacted(this.#tokens.renew());
    return this.describeCredentials();
  }

  /**
   * How far the clock of this machine is ahead of the service's, in milliseconds, as the latest response shows.
   * Accurate to a second and the time of the response. Undefined before a response that has a date.
   */
  get clockAhead(): number | undefined {
    return this.#sender.clockAhead;
  }

  /**
   * The headers Server, Via and X-Varnish of the latest response, with which the service and proxies name themselves.
   * Undefined if it has none.
   */
  get answeredBy(): string | undefined {
    return this.#sender.answeredBy;
  }

  /**
   * Call it before a request that must not be sent twice, and before the first write of a new resource. If the service
   * has not responded to this process with a success yet, one read shows whether the base URL is right.
   * @throws ServiceError if it is wrong
   * @internal
   */
  async requirePath(taskId: string): Promise<void> {
    const limiter = this.#limiter;
    if (limiter.isReached) return;
    limiter.reading ??= refuseWrongPath(taskId, this);
    await limiter.reading;
  }

  /**
   * How many seconds before a cache on the way had stored a response to a read (Age). Undefined if no response came
   * from a cache. Otherwise, do not mark rows: they can be other rows than those that were read.
   */
  get cacheAge(): number | undefined {
    return this.#sender.cacheAge;
  }

  /**
   * Resolves when no refresh is in progress. Await it before you end the process by force: the response to a refresh
   * can hold the only refresh token that the service still accepts.
   */
  async tokensSettled(): Promise<void> {
    await this.#tokens.settled();
  }

  /** Whether a refresh is in progress now: see `tokensSettled`. */
  get isRefreshing(): boolean {
    return this.#tokens.isExchanging;
  }

  /**
   * Sends no further request, and refuses further calls. Requests in progress can complete.
   * @internal
   */
  stop(): void {
    this.#sender.stop();
  }

  /**
   * Closes the kept connections. Calls in progress end with an error, and so does each further call. A refresh in
   * progress completes, and its result is stored.
   * @throws Error if a rotated refresh token could not be stored and is lost with this client
   */
  close(): void {
    this.#leaveLimiter?.();
    this.#leaveLimiter = undefined;
    this.#sender.close();
    this.#transport.close();
    this.#tokens.checkStored();
  }

  #redacted<T>(work: Promise<T>): Promise<T> {
    return work.catch((error: unknown) => {
      throw error instanceof NoToken ? new Error(this.#secrets.scrub(error.message)) : error;
    });
  }

  #exchange<T>(request: PreparedRequest, read: Read<T>, options?: CallOptions): Promise<T> {
    const call = (each: PreparedRequest): Promise<T> => this.#sender.call(each, read, options);
    return request.upload === undefined ? call(request) : this.#uploads.send(request, call);
  }

  async #call<Name extends OperationName>(
    name: Name,
    request: object,
    options?: CallOptions,
  ): Promise<ResponseOf<Name>> {
    const secrets = this.#secrets;
    if ("refresh_token" in request) secrets.add(String(request.refresh_token));
    const read = (body: Buffer): ResponseOf<Name> =>
      readResponse(name, body, { ...request }, this.#settings.startsWithoutLotNo);
    const response = await this.#exchange(prepare(name, request, this.#settings), read, options);
    if (name === "refreshToken") {
      const { data } = response as ResponseOf<"refreshToken">;
      secrets.add(data.access_token);
      secrets.add(data.refresh_token);
    }
    return response;
  }

  static {
    for (const name of Object.keys(operations) as OperationName[]) {
      Object.defineProperty(ServiceClient.prototype, name, {
        configurable: true,
        writable: true,
        value(this: ServiceClient, request: object, options?: CallOptions): Promise<unknown> {
          return this.#call(name, request, options);
        },
      });
    }
  }
}
