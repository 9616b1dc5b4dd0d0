import type { CredentialsInUse } from "./accessToken";
import type { AnswerOf } from "./answers";
import { readAnswer } from "./answers";
import { Caller } from "./caller";
import { joinLimiter } from "./limiter";
import type { OperationName } from "./operations";
import type { CallOptions, ServiceClientOptions } from "./options";
import { secretsOf } from "./proxyServer";
import { prepare } from "./requests";
import type { RowPage, RowSource } from "./rowPage";
import { readRawPage, rowRequest } from "./rowRequests";
import type { RowsOptions } from "./rows";
import { readByOffset, readNotExported } from "./rows";
import { SecretWords } from "./secretWords";
import type { Settings } from "./settings";
import { settingsOf } from "./settings";
import { allSubtasks } from "./subtasks";
import { TokenStore } from "./tokenStore";
import { Tokens } from "./tokens";
import { Transport } from "./transport";
import type * as wire from "./types";
import type { UpdateTaskUrlsRequest } from "./uploadSource";

/** The service's 16 operations, and on top of them all rows and all subtasks. */
export class ServiceClient {
  readonly #settings: Settings;
  readonly #caller: Caller;
  readonly #tokens: Tokens;
  readonly #transport: Transport;
  readonly #leaveLimiter: () => void;
  readonly #secrets = new SecretWords();
  readonly #hasApiKey: boolean;

  /** Makes no request and reads no file. @throws TypeError naming every option that cannot be right */
  constructor(options: ServiceClientOptions) {
    const settings = settingsOf(options);
    const { accessToken, refreshToken, credentialCommand, apiKey } = options;
    const { baseUrl, profile, tokenStore, warn } = settings;
    const secrets = this.#secrets;
    secrets.add(apiKey);
    for (const word of secretsOf(settings.proxy)) secrets.add(word);
    const { limiter, leave } = joinLimiter(baseUrl, settings);
    this.#settings = settings;
    this.#hasApiKey = apiKey !== undefined;
    this.#leaveLimiter = leave;
    this.#transport = new Transport(settings.maxResponseBytes, settings.proxy);
    this.#tokens = new Tokens({
      accessToken,
      refreshToken,
      credentialCommand,
      store: new TokenStore(tokenStore, baseUrl, profile, warn),
      secrets,
      warn,
      refresh: async (token) => (await this.refreshToken({ refresh_token: token, grant_type: "refresh_token" })).data,
    });
    this.#caller = new Caller({ settings, transport: this.#transport, limiter, tokens: this.#tokens, secrets, apiKey });
  }

  /** A bare call: the client itself goes on with its own tokens, and what this returns is the caller's to keep. */
  async refreshToken(
    request: wire.RefreshTokenRequest,
    options?: CallOptions,
  ): Promise<wire.DataEnvelope<wire.TokenPair>> {
    this.#secrets.add(request.refresh_token);
    const answer = await this.#call("refreshToken", request, options);
    this.#secrets.add(answer.data.access_token);
    this.#secrets.add(answer.data.refresh_token);
    return answer;
  }

  updateTaskParameters(
    request: wire.UpdateTaskParametersRequest,
    options?: CallOptions,
  ): Promise<wire.DataEnvelope<wire.UpdatedTaskParameters>> {
    return this.#call("updateTaskParameters", request, options);
  }

  updateTaskUrls(request: UpdateTaskUrlsRequest, options?: CallOptions): Promise<wire.Envelope> {
    return this.#call("updateTaskUrls", request, options);
  }

  updateActionProperties(
    request: wire.UpdateActionPropertiesRequest,
    options?: CallOptions,
  ): Promise<wire.DataEnvelope<wire.MessageData>> {
    return this.#call("updateActionProperties", request, options);
  }

  updateLoopItems(
    request: wire.UpdateLoopItemsRequest,
    options?: CallOptions,
  ): Promise<wire.DataEnvelope<wire.MessageData>> {
    return this.#call("updateLoopItems", request, options);
  }

  getActions(request: wire.GetActionsRequest, options?: CallOptions): Promise<wire.DataEnvelope<wire.TaskActions[]>> {
    return this.#call("getActions", request, options);
  }

  startTask(request: wire.TaskRequest, options?: CallOptions): Promise<wire.DataEnvelope<wire.StartedRun>> {
    return this.#call("startTask", request, options);
  }

  startSubtasks(request: wire.SubtasksRequest, options?: CallOptions): Promise<wire.Envelope> {
    return this.#call("startSubtasks", request, options);
  }

  stopSubtasks(request: wire.SubtasksRequest, options?: CallOptions): Promise<wire.Envelope> {
    return this.#call("stopSubtasks", request, options);
  }

  getSubtasks(request: wire.GetSubtasksRequest, options?: CallOptions): Promise<wire.DataEnvelope<wire.Subtask[]>> {
    return this.#call("getSubtasks", request, options);
  }

  getBatchData(request: wire.GetBatchDataRequest, options?: CallOptions): Promise<wire.DataEnvelope<wire.DataPage>> {
    return this.#call("getBatchData", request, options);
  }

  getData(request: wire.GetDataRequest, options?: CallOptions): Promise<wire.DataEnvelope<wire.DataPage>> {
    return this.#call("getData", request, options);
  }

  getNotExportedData(
    request: wire.GetNotExportedDataRequest,
    options?: CallOptions,
  ): Promise<wire.DataEnvelope<wire.NotExportedPage>> {
    return this.#call("getNotExportedData", request, options);
  }

  markExported(request: wire.TaskRequest, options?: CallOptions): Promise<wire.Envelope> {
    return this.#call("markExported", request, options);
  }

  removeData(request: wire.TaskRequest, options?: CallOptions): Promise<wire.Envelope> {
    return this.#call("removeData", request, options);
  }

  copyTask(request: wire.CopyTaskRequest, options?: CallOptions): Promise<wire.DataEnvelope<wire.CopiedTask>> {
    return this.#call("copyTask", request, options);
  }

  /**
   * All rows of a task, of a batch, or of what is not exported, page by page and in order, in constant memory. The last page carries `complete`.
   * Of what is not exported the service gives the same rows until they are marked: mark them between two pages, or get one page only.
   */
  rows(source: RowSource, options: RowsOptions = {}): AsyncGenerator<RowPage, void, void> {
    const { pageSize, concurrency } = this.#settings;
    const { maxRows = Number.POSITIVE_INFINITY, offset = 0, signal, deadlineSeconds } = options;
    const { name, request } = rowRequest(source);
    const reading = {
      fetch: (from: number, size: number, pageSignal: AbortSignal) =>
        this.#caller.call(
          prepare(name, { ...request, offset: from, size }, this.#settings),
          (body, anyLost) => readRawPage(name, body, anyLost),
          { signal: pageSignal, deadlineSeconds },
        ),
      pageSize: options.pageSize ?? pageSize,
      maxRows,
      offset,
      ahead: concurrency,
      signal,
    };
    return name === "getNotExportedData" ? readNotExported(reading) : readByOffset(reading);
  }

  /** The whole list of a task's subtasks, whatever number of them the service gives on a page. */
  allSubtasks(taskId: string, options?: CallOptions): Promise<wire.Subtask[]> {
    return allSubtasks(async (page, size) => (await this.getSubtasks({ taskId, page, size }, options)).data);
  }

  /** Which credentials are in use, without their values. */
  describeCredentials(): CredentialsInUse {
    return this.#tokens.describe(this.#hasApiKey);
  }

  /**
   * What a `credentialCommand` has to print, as an object: for a broker that holds the refresh token and hands out access tokens.
   * @throws Error when there is no access token to be had
   */
  async credentialForCommand(): Promise<{ Version: 1; AccessToken: string; Expiration?: string }> {
    const token = await this.#tokens.get(new AbortController().signal);
    if (!("value" in token)) throw new Error(this.#secrets.scrub(`${token.problem} ${token.hint}`));
    const { value, expiresAt } = token;
    return {
      Version: 1,
      AccessToken: value,
      Expiration: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString(),
    };
  }

  /**
   * Lets go of the kept connections. Calls under way end with an error.
   * @throws Error when a rotated refresh token could not be stored and is lost with this client
   */
  close(): void {
    this.#leaveLimiter();
    this.#transport.close();
    this.#tokens.checkStored();
  }

  async #call<Name extends OperationName>(name: Name, request: object, options?: CallOptions): Promise<AnswerOf[Name]> {
    return this.#caller.call(prepare(name, request, this.#settings), (body) => readAnswer(name, body), options);
  }
}
