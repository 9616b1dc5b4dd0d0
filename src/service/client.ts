import type { CredentialsInUse } from "./auth/accessToken";
import type { CommandCredential } from "./auth/credentialCommand";
import { SecretWords } from "./auth/secretWords";
import { TokenStore } from "./auth/tokenStore";
import { Tokens } from "./auth/tokens";
import type { AnswerOf } from "./contract/answers";
import { readAnswer, readNewTokens } from "./contract/answers";
import type { OperationName } from "./contract/operations";
import { prepare } from "./contract/requests";
import type * as wire from "./contract/types";
import { Caller } from "./http/caller";
import { clock } from "./http/clock";
import { joinLimiter } from "./http/limiter";
import { secretsOf } from "./http/proxyServer";
import { TransportOnDemand } from "./http/transportOnDemand";
import type { UpdateTaskUrlsRequest } from "./http/uploadSource";
import type { CallOptions, ServiceClientOptions } from "./options";
import type { RowPage, RowSource } from "./rows/rowPage";
import { readRawPage, rowRequest } from "./rows/rowRequests";
import type { RowsOptions } from "./rows/rows";
import { readByOffset, readNotExported } from "./rows/rows";
import type { Settings } from "./settings";
import { settingsOf } from "./settings";
import { allSubtasks } from "./subtasks";

/**
 * The service's 16 operations, and on top of them all rows and all subtasks. Each operation takes its request and answers with the whole
 * answer, both spelled as on the wire, and fails with a {@link ServiceError} and nothing else. What is sent again, and when, stands in
 * docs/client.md.
 */
export class ServiceClient {
  readonly #settings: Settings;
  readonly #caller: Caller;
  readonly #tokens: Tokens;
  readonly #transport: TransportOnDemand;
  readonly #leaveLimiter: () => void;
  readonly #secrets = new SecretWords();
  readonly #hasApiKey: boolean;

  /** Makes no request and reads no file. @throws TypeError naming every option that cannot be right */
  constructor(options: ServiceClientOptions) {
    const settings = settingsOf(options);
    const { accessToken, refreshToken, credentialCommand, apiKey } = options;
    const { baseUrl, profile, tokenStore, warn, settingName } = settings;
    const secrets = this.#secrets;
    secrets.add(apiKey);
    for (const word of secretsOf(settings.proxy)) secrets.add(word);
    const { limiter, leave } = joinLimiter(baseUrl, settings);
    this.#settings = settings;
    this.#hasApiKey = apiKey !== undefined;
    this.#leaveLimiter = leave;
    this.#transport = new TransportOnDemand(settings.maxResponseBytes, settings.proxy);
    this.#tokens = new Tokens({
      accessToken,
      refreshToken,
      credentialCommand,
      store: new TokenStore(tokenStore, baseUrl, profile, warn),
      isStoreConfigured: options.tokenStore !== undefined,
      secrets,
      warn,
      settingName,
      refresh: (token) => {
        const request = { refresh_token: token, grant_type: "refresh_token" };
        return this.#caller.call(prepare("refreshToken", request, settings), readNewTokens);
      },
    });
    this.#caller = new Caller({ settings, transport: this.#transport, limiter, tokens: this.#tokens, secrets, apiKey });
  }

  /** A new pair of tokens: `POST /token`. A bare call: the client itself goes on with its own tokens, and what this returns is the caller's to keep. */
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

  /**
   * Writes properties and loop items of several actions at once: `POST /task/updateTaskParameters`. After a lost answer sent again only
   * where no list is appended to.
   */
  updateTaskParameters(
    request: wire.UpdateTaskParametersRequest,
    options?: CallOptions,
  ): Promise<wire.DataEnvelope<wire.UpdatedTaskParameters>> {
    return this.#call("updateTaskParameters", request, options);
  }

  /**
   * Replaces a task's start URLs by those in a file, which is streamed: `POST /task/urls:file`. Needs `apiKey`, and a Professional or
   * Enterprise plan.
   */
  updateTaskUrls(request: UpdateTaskUrlsRequest, options?: CallOptions): Promise<wire.Envelope> {
    return this.#call("updateTaskUrls", request, options);
  }

  /** Writes properties of actions: `POST /task/updateActionProperties`. Properties that are not named stay as they are. */
  updateActionProperties(
    request: wire.UpdateActionPropertiesRequest,
    options?: CallOptions,
  ): Promise<wire.DataEnvelope<wire.MessageData>> {
    return this.#call("updateActionProperties", request, options);
  }

  /** Writes the items of one loop: `POST /task/updateLoopItems`. After a lost answer sent again only with `isAppend: false`. */
  updateLoopItems(
    request: wire.UpdateLoopItemsRequest,
    options?: CallOptions,
  ): Promise<wire.DataEnvelope<wire.MessageData>> {
    return this.#call("updateLoopItems", request, options);
  }

  /** The actions of tasks, of the kinds asked for: `POST /task/getActions`. */
  getActions(request: wire.GetActionsRequest, options?: CallOptions): Promise<wire.DataEnvelope<wire.TaskActions[]>> {
    return this.#call("getActions", request, options);
  }

  /**
   * Starts a run in the cloud: `POST /cloudextraction/start`. It may cost money. Never sent again after a lost answer. Needs a
   * Professional or Enterprise plan.
   */
  startTask(request: wire.TaskRequest, options?: CallOptions): Promise<wire.DataEnvelope<wire.StartedRun>> {
    return this.#call("startTask", request, options);
  }

  /** Starts subtasks: `POST /cloudextraction/subtasks:start`. Needs a Professional or Enterprise plan. */
  startSubtasks(request: wire.SubtasksRequest, options?: CallOptions): Promise<wire.Envelope> {
    return this.#call("startSubtasks", request, options);
  }

  /** Stops subtasks: `POST /cloudextraction/subtasks:stop`. Needs a Professional or Enterprise plan. */
  stopSubtasks(request: wire.SubtasksRequest, options?: CallOptions): Promise<wire.Envelope> {
    return this.#call("stopSubtasks", request, options);
  }

  /** One page of a task's subtasks: `GET /cloudextraction/task/subtasks`. {@link allSubtasks} gives them all. */
  getSubtasks(request: wire.GetSubtasksRequest, options?: CallOptions): Promise<wire.DataEnvelope<wire.Subtask[]>> {
    return this.#call("getSubtasks", request, options);
  }

  /** One page of a batch's rows, parsed: `GET /data/lotno/all`. {@link rows} gives all of them, as they were sent. */
  getBatchData(request: wire.GetBatchDataRequest, options?: CallOptions): Promise<wire.DataEnvelope<wire.DataPage>> {
    return this.#call("getBatchData", request, options);
  }

  /** One page of a task's rows, parsed: `GET /data/all`. {@link rows} gives all of them, as they were sent. */
  getData(request: wire.GetDataRequest, options?: CallOptions): Promise<wire.DataEnvelope<wire.DataPage>> {
    return this.#call("getData", request, options);
  }

  /**
   * Rows that are not marked as exported, parsed: `GET /data/notexported`. The same ones come again until they are marked, but for
   * services that hand out each row once.
   */
  getNotExportedData(
    request: wire.GetNotExportedDataRequest,
    options?: CallOptions,
  ): Promise<wire.DataEnvelope<wire.NotExportedPage>> {
    return this.#call("getNotExportedData", request, options);
  }

  /**
   * Marks as exported: by the contract all rows of the task, read or not: `POST /data/markexported`. Never sent again after a lost
   * answer.
   */
  markExported(request: wire.TaskRequest, options?: CallOptions): Promise<wire.Envelope> {
    return this.#call("markExported", request, options);
  }

  /** Removes all rows of a task, for good: `POST /data/remove`. Never sent again after a lost answer. */
  removeData(request: wire.TaskRequest, options?: CallOptions): Promise<wire.Envelope> {
    return this.#call("removeData", request, options);
  }

  /**
   * Copies a task into a group: `POST /task/copy`. Never sent again after a lost answer: the service can neither list nor delete tasks.
   */
  copyTask(request: wire.CopyTaskRequest, options?: CallOptions): Promise<wire.DataEnvelope<wire.CopiedTask>> {
    return this.#call("copyTask", request, options);
  }

  /**
   * All rows of a task, of a batch, or of what is not exported, page by page and in order, in constant memory. The last page carries `complete`.
   * Of what is not exported the service gives the same rows until they are marked: mark them between two pages, or get one page only.
   */
  rows(source: RowSource, options: RowsOptions = {}): AsyncGenerator<RowPage, void, void> {
    const { pageSize, concurrency } = this.#settings;
    const { maxRows = Number.POSITIVE_INFINITY, offset = 0, signal, deadlineSeconds, once } = options;
    const { name, request } = rowRequest(source);
    const reading = {
      fetch: (from: number, size: number, pageSignal: AbortSignal) =>
        this.#caller.call(
          prepare(name, { ...request, offset: from, size }, this.#settings),
          (body, anyLost) => readRawPage(name, body, anyLost),
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

  /** The whole list of a task's subtasks, whatever number of them the service gives on a page. */
  allSubtasks(taskId: string, options: CallOptions = {}): Promise<wire.Subtask[]> {
    const { deadlineSeconds = this.#settings.deadline / 1000 } = options;
    const end = clock.now() + deadlineSeconds * 1000;
    return allSubtasks(async (page, size) => {
      const left = Math.max(0, end - clock.now()) / 1000;
      return (await this.getSubtasks({ taskId, page, size }, { ...options, deadlineSeconds: left })).data;
    });
  }

  /** Loads what a request needs, so that the first one need not wait for it. Makes no request; to be called where there is time. */
  prepare(): void {
    this.#transport.prepare();
  }

  /** Which credentials are in use, without their values. */
  describeCredentials(): CredentialsInUse {
    return this.#tokens.describe(this.#hasApiKey);
  }

  /**
   * What a `credentialCommand` has to print, as an object: for a broker that holds the refresh token and hands out access tokens.
   * @throws Error when there is no access token to be had
   */
  async credentialForCommand(): Promise<CommandCredential> {
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
   * Resolves when no access token is being renewed. To be awaited before the process is ended by force: what a service has answered to a
   * refresh may be the only refresh token that it still takes.
   */
  async tokensSettled(): Promise<void> {
    await this.#tokens.settled();
  }

  /**
   * Lets go of the kept connections. Calls under way end with an error; a refresh under way comes to its end, and its result is stored.
   * @throws Error when a rotated refresh token could not be stored and is lost with this client
   */
  close(): void {
    this.#leaveLimiter();
    this.#caller.close();
    this.#transport.close();
    this.#tokens.checkStored();
  }

  async #call<Name extends OperationName>(name: Name, request: object, options?: CallOptions): Promise<AnswerOf[Name]> {
    return this.#caller.call(prepare(name, request, this.#settings), (body) => readAnswer(name, body), options);
  }
}
