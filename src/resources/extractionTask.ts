import { typesOf } from "./actionProperties";
import { anything, choice, flag, isMap, objectOf, text } from "./args";
import { listOrText } from "./listArgs";
import type { LostAnswerState } from "./lostAnswer";
import { isOutcomeUnknown } from "./lostAnswer";
import type { CheckedActions, ParameterActions } from "./parameterActions";
import { actionsSeen, appends, checkParameterActions, parameterActionsCheck, updatesFor } from "./parameterActions";
import type { CheckContext, Context, Created, Difference, PendingState, Read, Resource } from "./resource";
import { messageOf, PartialFailure } from "./resource";
import type { TaskCopyArgs, TaskCopyState } from "./taskCopy";
import { taskCopy } from "./taskCopy";
import { lookUpByRows, lookUpTask } from "./taskPresence";
import type { StartUrls } from "./taskStartUrls";
import { checkStartUrls, startUrlsUpload } from "./taskStartUrls";

/**
 * One whole task as one resource: made by two requests, or three with an upload. For fleets, where the engine's time and state grow
 * with the number of resources.
 *
 * | step | call |
 * |---|---|
 * | create | `POST /task/copy`, `POST /task/updateTaskParameters`, `POST /task/urls:file` |
 * | read | `POST /task/getActions` |
 * | update | `POST /task/updateTaskParameters` for all that changed, `POST /task/urls:file` when the list changed |
 * | delete | as TaskCopy |
 */
export interface ExtractionTaskArgs {
  /** Where the task comes from: as the arguments of a TaskCopy. A change replaces, as there. */
  from: Pick<TaskCopyArgs, "sourceTaskId" | "taskGroupId" | "adoptTaskId">;
  /** What is declared of its actions, by actionId. */
  actions?: ParameterActions;
  /** The URLs at which it starts: a list, or a file with a URL a line. */
  startUrls?: { urls?: string[]; file?: string };
  /** As in TaskCopy. */
  onDelete?: "removeData" | "retain";
  /** As in TaskCopy. */
  forceDestroy?: boolean;
  /** As in TaskCopy. */
  retry?: string;
  /** Name of a set of credentials in `webextract:profiles`. Default: the top-level ones. */
  profile?: string;
}

interface CheckedArgs extends Omit<ExtractionTaskArgs, "actions" | "startUrls"> {
  actions?: CheckedActions;
  startUrls?: StartUrls;
}

export interface ExtractionTaskState extends CheckedArgs, LostAnswerState, PendingState {
  /** The task's id; the same as `id`. */
  taskId: string;
}

const fromSpec = {
  sourceTaskId: { check: text },
  taskGroupId: { check: text },
  adoptTaskId: { check: text },
};

const startUrlsSpec = {
  urls: { check: listOrText },
  file: { check: text },
  count: { check: anything, derived: true },
  sha256: { check: anything, derived: true },
  hosts: { check: anything, derived: true },
};

export const extractionTask: Resource<ExtractionTaskArgs, ExtractionTaskState, CheckedArgs> = {
  type: "ExtractionTask",
  idIs: "taskId",
  args: {
    from: { check: objectOf(fromSpec), required: true },
    actions: { check: parameterActionsCheck, list: true },
    startUrls: { check: objectOf(startUrlsSpec), list: true },
    onDelete: { check: choice("removeData", "retain"), option: true },
    forceDestroy: { check: flag, option: true },
    retry: { check: text, option: true },
    profile: { check: text, option: true },
  },
  outputs: ["taskId"],

  decides: () => ["everything"],

  copiedFrom: ({ from }) => from.sourceTaskId,

  async check(args: ExtractionTaskArgs, context: CheckContext): Promise<CheckedArgs> {
    const { from, actions, startUrls, ...options } = args;
    const problems: CheckContext["problems"] = [];
    if (isMap(from)) {
      taskCopy.check?.(from, { ...context, problems });
    }
    context.problems.push(...problems.map(({ path, reason }) => ({ path: `from.${path}`, reason })));
    const checked: CheckedArgs = { ...options, from };
    if (actions !== undefined) {
      checked.actions = await checkParameterActions(actions, "", sameTask(context));
    }
    if (startUrls !== undefined) {
      checked.startUrls = isMap(startUrls)
        ? ({ ...startUrls, ...(await checkStartUrls({ ...startUrls }, "startUrls.", context)) } as StartUrls)
        : startUrls;
    }
    return checked;
  },

  diff(state: ExtractionTaskState, args: CheckedArgs): Difference {
    const { replaces = [], deleteFirst, forced }: Difference = taskCopy.diff?.(copyState(state), copyArgs(args)) ?? {};
    const isRetry = replaces.includes("retry");
    const names = replaces.length === 0 ? [] : [isRetry ? "retry" : "from"];
    return { replaces: names, deleteFirst, forced };
  },

  async create(args: CheckedArgs, context: Context): Promise<Created<ExtractionTaskState>> {
    const { id } = await copy(args, context);
    const nothing: ExtractionTaskState = { ...args, taskId: id, actions: undefined, startUrls: undefined };
    return { id, state: await configure(nothing, args, context) };
  },

  async read(id: string, state: ExtractionTaskState, context: Context): Promise<Read<ExtractionTaskState>> {
    if (state.actions === undefined || isOutcomeUnknown(state)) {
      const seen = await taskCopy.read?.(id, copyState(state), context);
      return seen?.found === false ? seen : { found: true, state };
    }
    const presence = await lookUpTask(id, typesOf(state.actions), context);
    if (presence.is === "there") {
      return { found: true, state: { ...state, actions: actionsSeen(id, state.actions, presence.actions) } };
    }
    // Its parts keep their state where nothing is clear; whether a task is to be copied again must be found out.
    const existence = presence.is === "unclear" ? await lookUpByRows(id, context) : presence.is;
    return existence === "gone" ? { found: false } : { found: true, state };
  },

  async update(
    id: string,
    state: ExtractionTaskState,
    args: CheckedArgs,
    context: Context,
  ): Promise<ExtractionTaskState> {
    await taskCopy.update(id, copyState(state), copyArgs(args), context);
    return configure(state, args, context);
  },

  async delete(id: string, state: ExtractionTaskState, context: Context): Promise<void> {
    await taskCopy.delete(id, copyState(state), context);
  },
};

/** A declaration of actions stays with its task, whatever `from` says of where the task came from. */
function sameTask(context: CheckContext): CheckContext {
  return context.previous === undefined ? context : { ...context, previous: { ...context.previous, taskId: "" } };
}

function copyArgs({ from, onDelete, forceDestroy, retry, profile }: CheckedArgs): TaskCopyArgs {
  return { ...from, onDelete, forceDestroy, retry, profile };
}

function copyState(state: ExtractionTaskState): TaskCopyState {
  const { taskId, outcome, explanation } = state;
  return { ...copyArgs(state), taskId, outcome, explanation };
}

/** A lost answer is kept as this resource's own state. */
async function copy(args: CheckedArgs, context: Context): Promise<{ id: string }> {
  try {
    return await taskCopy.create(copyArgs(args), context);
  } catch (error) {
    if (error instanceof PartialFailure) {
      const { outcome, explanation } = error.state as LostAnswerState;
      throw new PartialFailure(error.message, error.id, { ...args, outcome, explanation });
    }
    throw error;
  }
}

/** What is still to do of the steps after the copy. */
type Step = "write" | "append" | "startUrls";

/** Brings the task from `state` to `args`. Whatever fails, the task exists: it is kept with what is still to do. */
async function configure(
  state: ExtractionTaskState,
  args: CheckedArgs,
  context: Context,
): Promise<ExtractionTaskState> {
  const { taskId } = state;
  const pending = (state.pending ?? []) as Step[];
  const parametersPending = pending.filter((step) => step !== "startUrls");
  const urlsChanged = args.startUrls !== undefined && args.startUrls.sha256 !== state.startUrls?.sha256;
  const sendUrls = args.startUrls !== undefined && (urlsChanged || pending.includes("startUrls"));
  const next: ExtractionTaskState = { ...args, taskId };
  let left: Step[] = sendUrls ? ["write", "startUrls"] : ["write"];
  try {
    const { actions = {} } = args;
    const updates = await updatesFor(taskId, state.actions ?? {}, actions, parametersPending, context);
    if (updates.length > 0) {
      left = [appends(updates) ? "append" : "write", ...left.slice(1)];
      await context.exclusive(taskId, () => context.client.updateTaskParameters({ taskId, actions: updates }));
    }
    left = left.slice(1);
    if (sendUrls && args.startUrls !== undefined) {
      await context.exclusive(taskId, await startUrlsUpload(taskId, args.startUrls, context));
    }
    return next;
  } catch (error) {
    const message = `${messageOf(error)} Task "${taskId}" exists and is kept; the next up goes on with what is left to do: ${left.join(", ")}.`;
    throw new PartialFailure(message, taskId, { ...next, pending: left });
  }
}
