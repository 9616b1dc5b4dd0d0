import type { Context } from "../../resources/resource";
import { ActionReader } from "../../resources/task/actionReader";
import { ServiceClient } from "../../service/client";
import { pause } from "../../service/clock";
import { optionProblems } from "../../service/settings";
import type { Cli } from "../cli";
import { CliError, usageError } from "../exitCodes";
import type { Connection, ConnectionFlags } from "./connection";
import { connectionOf } from "./connection";
import type { NamedTask } from "./namedTask";
import { namedTasks, requireOrigin } from "./namedTask";

/** A connection of a command. */
export interface Connected extends Connection {
  client: ServiceClient;
  /** What the resources use to do their work: the command line waits, exports and reads with their code. */
  context: Context;
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

/** The configuration that the options name, and a client of it. */
export async function connect(flags: ConnectionFlags, cli: Cli): Promise<Connected> {
  const connection = await connectionOf(flags, cli.interrupted);
  const client = clientOf(connection.options, cli);
  return { ...connection, client, context: contextOf(connection, client, cli), stack: flags.stack };
}

/**
 * The same for a command about one task.
 * @param task an id, or the name of a task in the state of the stack
 * @throws CliError if the name belongs to several tasks
 */
export async function connectTo(task: string, flags: ConnectionFlags, cli: Cli): Promise<ConnectedTo> {
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
  cli: Cli,
): Promise<ConnectedToAll> {
  const connected = await connect(flags, cli);
  const tasks = await namedTasks(given, connected.stack, connected.context);
  const profile = flags.profile ?? profileOf(tasks);
  // The tasks are in the account of their resources.
  const own = profile === flags.profile ? connected : await connect({ ...flags, profile }, cli);
  for (const task of tasks) {
    requireOrigin(task, own);
  }
  return { ...own, tasks, profile };
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
export function clientOf(options: Connection["options"], cli: Cli): ServiceClient {
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

function contextOf({ config, options }: Connection, client: ServiceClient, { terminal, interrupted }: Cli): Context {
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
