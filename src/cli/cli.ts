import type { Context } from "../resources/resource";
import { messageOf } from "../resources/resource";
import { ActionReader } from "../resources/task/actionReader";
import { ServiceClient } from "../service/client";
import { pause } from "../service/clock";
import { optionProblems } from "../service/settings";
import type { Connection, ConnectionFlags } from "./connection/connection";
import { connectionOf } from "./connection/connection";
import type { NamedTask } from "./connection/namedTask";
import { namedTasks, requireOrigin } from "./connection/namedTask";
import { CliError } from "./exitCodes";
import type { Terminal } from "./terminal";

/** A connection of a command. */
export interface Connected extends Connection {
  client: ServiceClient;
  /** The stack whose configuration it has, if any. */
  stack?: string;
}

/** A connection of a command about one task. */
export interface ConnectedTo extends Connected {
  task: NamedTask;
}

/** A connection of a command about several tasks of one account. */
export interface ConnectedToAll extends Connected {
  tasks: NamedTask[];
  /** The account, if it is not the default one. */
  profile?: string;
}

/** @throws CliError if the tasks have several */
function profileOf(tasks: readonly NamedTask[]): string | undefined {
  const profiles = [...new Set(tasks.map(({ profile }) => profile))];
  if (profiles.length > 1) {
    const accounts = profiles.map((profile) => (profile === undefined ? "the default one" : `profile "${profile}"`));
    throw new CliError(
      `The tasks are in several accounts: ${accounts.join(", ")}. Name only the tasks of one account.`,
      "usage",
    );
  }
  return profiles[0];
}

const lostRefresh =
  "The command was ended before it received the response to a token refresh. The refresh token may be used up, and the new tokens are lost. " +
  'If the next command is refused, import a newly issued refresh token with "webextract token import".';

/** What a command uses to do its work. */
export class Cli {
  /** What a forced end must say during a start of a run: the request, which must not be sent twice, may take effect. */
  startWords: string | undefined;
  /** What a forced end must say about what exists by then, without a doubt. */
  leftWords: string | undefined;
  private readonly clients: ServiceClient[] = [];

  constructor(
    readonly terminal: Terminal,
    /** Aborted by Ctrl-C, by a SIGTERM, and when nobody reads the result any more. */
    readonly interrupted: AbortSignal,
  ) {}

  /** What a forced end must say now, because the outcome of a request is unknown. */
  get lastWords(): string | undefined {
    return this.startWords ?? (this.clients.some(({ isRefreshing }) => isRefreshing) ? lostRefresh : undefined);
  }

  /** The configuration that the options name, and a client of it. */
  async connect(flags: ConnectionFlags): Promise<Connected> {
    const connection = await connectionOf(flags, this.interrupted);
    return { ...connection, client: this.client(connection.options), stack: flags.stack };
  }

  /**
   * The same for a command about one task.
   * @param task an id, or the name of a task in the state of the stack
   * @throws CliError if the name belongs to several tasks
   */
  async connectTo(task: string, flags: ConnectionFlags): Promise<ConnectedTo> {
    const { tasks, ...connected } = await this.connectToAll([task], flags);
    return { ...connected, task: tasks[0] ?? { taskId: task } };
  }

  /**
   * The same for a command about several tasks of one account.
   * @throws CliError also if the tasks are in several accounts
   */
  async connectToAll(given: readonly string[], flags: ConnectionFlags): Promise<ConnectedToAll> {
    const connected = await this.connect(flags);
    const tasks = await namedTasks(given, connected.stack, this.context(connected));
    const profile = flags.profile ?? profileOf(tasks);
    // The tasks are in the account of their resources.
    const own = profile === flags.profile ? connected : await this.connect({ ...flags, profile });
    for (const task of tasks) {
      requireOrigin(task, own);
    }
    return { ...own, tasks, profile };
  }

  /**
   * A client that ends with the command.
   * @throws CliError that names every invalid option
   */
  client(options: Connection["options"]): ServiceClient {
    const { terminal, interrupted } = this;
    const problems = optionProblems(options);
    if (problems.length > 0) {
      throw new CliError(`${problems.join(" ")} No request was sent.`, "usage");
    }
    const client = new ServiceClient({
      ...options,
      warn: (message) => terminal.warn(message),
      log: (line) => terminal.say(line),
      waiting: (message) => terminal.say(message),
      interrupted,
      // A command that only reads must not cost the account its refresh token.
      mustStoreTokens: true,
    });
    this.clients.push(client);
    return client;
  }

  /** What the resources use to do their work: the command line waits, exports and reads with their code. */
  context({ config, options, client }: Connected): Context {
    const { terminal, interrupted } = this;
    return {
      client,
      actionReader: new ActionReader(client),
      loopWay: {},
      settings: { ...config.settings, pageSize: config.settings.pageSize ?? options.pageSize },
      folder: process.cwd(),
      exclusive: (_taskId, work) => work(),
      isOwnedElsewhere: () => false,
      saw: () => undefined,
      copied: () => undefined,
      isNewCopy: () => false,
      redact: (text) => client.redact(config.redact(text)),
      warn: (message) => terminal.warn(message),
      progress: (message) => terminal.progress(message),
      now: () => performance.now(),
      sleep: (milliseconds) => pause(milliseconds, interrupted),
      interrupted,
    };
  }

  /**
   * Asks before something is written or replaced.
   * @param yes the option with this name
   * @throws CliError if the answer is no, or there is nobody to ask
   */
  async confirm(question: string, yes: boolean | undefined, otherwise: string): Promise<void> {
    if (yes !== true && !(await this.terminal.confirm(question, this.interrupted))) {
      throw new CliError(otherwise);
    }
  }

  /**
   * For commands that would otherwise go on after Ctrl-C, or report as if they had done all of their work.
   * @throws CliError after Ctrl-C
   */
  checkInterrupted(what: string): void {
    if (this.interrupted.aborted) {
      throw new CliError(`Interrupted. ${what}`, "interrupted");
    }
  }

  /** Waits for a refresh in progress, whether it fails or not. */
  async tokensSettled(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.tokensSettled()));
  }

  /**
   * To be called at the end. Waits for a refresh in progress: its response can hold the only valid refresh token.
   * @returns the messages of refresh tokens that are lost now
   */
  async close(): Promise<string[]> {
    const lost: string[] = [];
    await this.tokensSettled();
    for (const client of this.clients) {
      try {
        client.close();
      } catch (error) {
        lost.push(messageOf(error));
      }
    }
    return lost;
  }
}
