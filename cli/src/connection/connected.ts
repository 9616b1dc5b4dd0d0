import type { Context } from "../../../src/resources/resource";
import { ActionReader } from "../../../src/resources/task/actionReader";
import type { Presence } from "../../../src/resources/task/taskPresence";
import { lookUpExistence } from "../../../src/resources/task/taskPresence";
import { ServiceClient } from "../../../src/service/client";
import { isServiceError } from "../../../src/service/errors/errors";
import { shownId } from "../../../src/service/errors/foreignText";
import { optionProblems } from "../../../src/service/settings";
import { pause } from "../../../src/system/clock";
import { didYouMean, shellWord } from "../../../src/values/words";
import type { CommandContext } from "../commandContext";
import { CliError, usageError } from "../exitCodes";
import type { Connection, ConnectionFlags } from "./connection";
import { connectionOf, serviceOf } from "./connection";
import type { StackTask } from "./stackTasks";
import { stackTasks } from "./stackTasks";

/** A connection of a command. */
export interface Connected extends Connection {
  client: ServiceClient;
  /** What the resources use to do their work: the command line waits, exports and reads with their code. */
  context: Context;
  /** The stack whose configuration it has, if any. */
  stack?: string;
}

/**
 * A task that the user names by its id or by its name. Only its id is known then, or what the state of the stack says.
 */
export type NamedTask = Omit<StackTask, "exports">;

/** A connection of a command about one task. */
export interface ConnectedTo extends Connected {
  task: NamedTask;
}

/** A connection of a command about several tasks of one account. */
export interface ConnectedToAll extends Connected {
  tasks: NamedTask[];
}

/** The configuration that the options name, and a client of it. */
export async function connect(flags: ConnectionFlags, cli: CommandContext): Promise<Connected> {
  const connection = await connectionOf(flags, cli.interrupted);
  const client = clientOf(connection.options, cli);
  if (connection.warning !== undefined) {
    cli.terminal.warn(connection.warning);
  }
  return { ...connection, client, context: contextOf(connection, client, cli), stack: flags.stack };
}

/**
 * The same for a command about one task.
 * @param task an id, or the name of a task in the state of the stack
 * @throws CliError if the name belongs to several tasks
 */
export async function connectTo(task: string, flags: ConnectionFlags, cli: CommandContext): Promise<ConnectedTo> {
  const { tasks, ...connected } = await connectToAll([task], flags, cli);
  return { ...connected, task: tasks[0] ?? { taskId: task } };
}

/**
 * The same for a command about several tasks of one account.
 * @throws CliError also if the tasks are in several accounts
 */
export async function connectToAll(
  given: readonly string[],
  flags: ConnectionFlags,
  cli: CommandContext,
): Promise<ConnectedToAll> {
  const connected = await connect(flags, cli);
  const tasks = await namedTasks(given, connected);
  const profile = flags.profile ?? profileOf(tasks);
  // The tasks are in the account of their resources.
  const own = profile === connected.profile ? connected : await connect({ ...flags, profile: profile ?? null }, cli);
  for (const task of tasks) {
    requireOrigin(task, own);
  }
  return { ...own, tasks };
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

/**
 * A client that ends with the command.
 * @throws CliError that names every invalid option
 */
export function clientOf(options: Connection["options"], cli: CommandContext): ServiceClient {
  const { terminal, interrupted } = cli;
  const problems = optionProblems(options);
  if (problems.length > 0) {
    throw usageError(problems.join(" "));
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
  cli.noteClient(client);
  return client;
}

/** A command works on one thing at a time, and knows nothing from before. */
const noTasks: Omit<Context["tasks"], "actions" | "loopWay"> = {
  exclusive: (_taskId, work) => work(),
  isOwnedElsewhere: () => false,
  heldBy: () => undefined,
  saw: () => undefined,
  copied: () => undefined,
  isNewRun: () => true,
  templateOf: () => undefined,
};

function contextOf(
  { config, options }: Connection,
  client: ServiceClient,
  { terminal, interrupted }: CommandContext,
): Context {
  return {
    client,
    tasks: { ...noTasks, actions: new ActionReader(client), loopWay: {} },
    settings: { ...config.settings, pageSize: config.settings.pageSize ?? options.pageSize },
    folder: process.cwd(),
    redact: (text) => client.redact(config.redact(text)),
    warn: (message) => terminal.warn(message),
    progress: (message) => terminal.progress(message),
    now: () => performance.now(),
    sleep: (milliseconds) => pause(milliseconds, interrupted),
    interrupted,
  };
}

/** `task "shop-1"`, or `task "books" (id shop-1, stack dev)`. */
export function describeTask({ taskId, name }: NamedTask, stack: string | undefined): string {
  const ofStack = stack === undefined ? [] : [`stack ${stack}`];
  const more = [...(name === undefined ? [] : [`id ${shownId(taskId)}`]), ...ofStack];
  return `task "${name ?? taskId}"${more.length === 0 ? "" : ` (${more.join(", ")})`}`;
}

/**
 * The tasks that arguments mean. An id that the service knows counts first: then the state of the stack is not read. An
 * argument that is neither that nor a name counts as an id, because some services do not show whether a task exists.
 * An id that the state does not name is in the account of the connection.
 * @throws CliError if the name belongs to several tasks, no task is meant, or the state cannot be read
 */
async function namedTasks(given: readonly string[], { stack, context, profile }: Connected): Promise<NamedTask[]> {
  const presences = stack === undefined ? [] : await Promise.all(given.map((each) => presenceOf(each, context)));
  if (stack === undefined || presences.every((presence) => presence === "there")) {
    return given.map((taskId) => ({ taskId, profile }));
  }
  const inState = await stackTasks(stack, context.interrupted);
  const unknown: string[] = [];
  const meant = given.map((each, index): NamedTask => {
    const ofId = inState.find(({ taskId }) => taskId === each);
    if (presences[index] === "there" || ofId !== undefined) {
      return { taskId: each, profile: presences[index] === "there" ? profile : ofId?.profile };
    }
    const found = inState.filter(({ name }) => name === each);
    const places = new Set(
      found.map((task) => `${shownId(task.taskId)}${task.profile ? ` (profile ${task.profile})` : ""}`),
    );
    if (places.size > 1) {
      throw new CliError(
        `Stack "${stack}" has ${places.size} tasks with the name "${each}": ${[...places].join(", ")}. Give the id of the one that you mean.`,
        "usage",
        { taskIds: found.map(({ taskId }) => taskId) },
      );
    }
    unknown.push(...(found.length === 0 && presences[index] === "gone" ? [each] : []));
    return found[0] ?? { taskId: each, profile };
  });
  if (unknown.length > 0) {
    const names = inState.flatMap(({ name }) => name ?? []);
    const likely = unknown.map((each) => `"${each}"${didYouMean(each, names)}`).join(", ");
    throw new CliError(
      `Neither the service nor stack "${stack}" knows ${likely}${likely.endsWith("?") ? "" : "."} "webextract list --stack ${shellWord(stack)}" shows its tasks.`,
      "notFound",
      { taskIds: unknown },
    );
  }
  return meant;
}

/** @throws CliError if the task is at another service: the same id there is another task */
export function requireOrigin(
  { name, origin }: NamedTask,
  connected: Pick<Connected, "config" | "options" | "stack">,
): void {
  const service = serviceOf(connected);
  if (origin !== undefined && !connected.config.isPresent(origin, service)) {
    throw new CliError(
      `Task "${name}" of stack "${connected.stack}" is at ${origin}, and the command would use ${service}. Nothing was sent about it.`,
      "usage",
    );
  }
}

async function presenceOf(taskId: string, context: Context): Promise<Presence["is"]> {
  try {
    return await lookUpExistence(taskId, context);
  } catch (error) {
    if (!isServiceError(error) || isServiceError(error, "credential", "rateLimited", "aborted")) {
      throw error;
    }
    // Some services refuse a name because it does not look like an id, others fail with a 5xx. The command itself finds
    // out whether the service is there.
    return "unclear";
  }
}
