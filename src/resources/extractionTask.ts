import { isServiceError } from "../service/errors/errors";
import { messageOf, PartialFailure } from "../values/errors";
import type { Problem } from "../values/kinds";
import { boolean, choice, id, string } from "../values/kinds";
import { isRecord } from "../values/plain";
import { declaredOf, partsOf, shownTask } from "./adopt/imported";
import type { ArgsSpec } from "./args";
import { object } from "./args";
import type { GivenList } from "./lists/checkList";
import { everything } from "./ownership";
import type { CheckContext, Context, Difference, PendingState, ProfileArgs, Resource } from "./resource";
import { givenItems } from "./settings/loop";
import type { CheckedActions, ParameterActions } from "./settings/parameterActions";
import {
  actionsWith,
  checkActionRules,
  checkParameterActions,
  loopPath,
  parameterActionsKind,
  settingsOfActions,
} from "./settings/parameterActions";
import { settingsToRestore } from "./settings/restore";
import { sendParameters } from "./settings/sendParameters";
import { drifts, typesOf, without } from "./settings/setting";
import { appends, writesFor } from "./settings/settingsLife";
import { lookBefore } from "./settings/unknownProperties";
import type { LostResponseState } from "./task/lostResponse";
import { isOutcomeUnknown, onlyDiffers } from "./task/lostResponse";
import type { TaskCopyArgs, TaskCopyState } from "./task/taskCopy";
import { checkedSource, checkSource, taskCopy } from "./task/taskCopy";
import { lookUpByAll } from "./task/taskPresence";
import type { StartUrls, StartUrlsForm } from "./task/taskStartUrls";
import { checkStartUrls, givenStartUrls, startUrlsSpec, startUrlsUpload, warnOfStartUrls } from "./task/taskStartUrls";
import { writeTask } from "./task/taskWrite";

/**
 * A whole task as one resource, made by two requests, or by three with an upload, after one read of the template for all
 * its copies. Made for many tasks, because the engine's time and state grow with the number of resources.
 *
 * | step | call |
 * |---|---|
 * | create | `POST /task/copy`, `POST /task/updateTaskParameters`, `POST /task/urls:file` |
 * | adopt | `POST /task/getActions`, `POST /task/updateTaskParameters` for what differs, if anything, `POST /task/urls:file` if start URLs are declared |
 * | read | `POST /task/getActions` |
 * | update | `POST /task/updateTaskParameters` for all that changed, after a read if a property is new, `POST /task/urls:file` if the list changed |
 * | loops | as in TaskParameters |
 * | delete | as TaskCopy; a setting that is removed from the declaration keeps its value at the service, with a warning |
 */
export interface ExtractionTaskArgs extends ProfileArgs {
  /**
   * The source of the task: arguments of a TaskCopy. A change replaces as it does there. The settings of an adopted
   * task are read first, and only those that differ are written.
   * @see TaskCopy
   */
  from: Pick<TaskCopyArgs, "sourceTaskId" | "taskGroupId" | "adoptTaskId">;
  /** The declared actions by actionId. */
  actions?: ParameterActions;
  /**
   * The URLs at which the task starts: a list, or a file with one URL on each line. The API has no call that shows
   * them, so those of an adopted task are uploaded once, even if the task has the same URLs.
   * @see TaskStartUrls
   */
  startUrls?: StartUrlsForm;
  /**
   * As in TaskCopy.
   * @default "removeData" for a copy, "retain" for an adopted task
   */
  onDelete?: "retain" | "removeData";
  /**
   * As in TaskCopy.
   * @default false
   */
  forceDestroy?: boolean;
  /** As in TaskCopy. */
  retry?: string;
}

export interface CheckedExtractionTaskArgs extends Omit<ExtractionTaskArgs, "actions" | "startUrls"> {
  /** As declared, each list as one string with its count and digest. */
  actions?: CheckedActions;
  /** As declared, the list as one string, with count, digest and hosts. */
  startUrls?: StartUrls;
}

export interface ExtractionTaskState extends CheckedExtractionTaskArgs, LostResponseState, PendingState {
  /** The task's id; the same as `id`. */
  taskId: string;
}

const fromSpec: ArgsSpec<ExtractionTaskArgs["from"]> = {
  sourceTaskId: { kind: id },
  taskGroupId: { kind: id },
  adoptTaskId: { kind: id },
};

export const extractionTask: Resource<ExtractionTaskArgs, ExtractionTaskState, CheckedExtractionTaskArgs> = {
  type: "ExtractionTask",
  idIs: "taskId",
  knowsEarlier: true,
  args: {
    from: { kind: object(fromSpec), required: true, createOnly: true },
    actions: { kind: parameterActionsKind },
    startUrls: { kind: object<StartUrlsForm>(startUrlsSpec) },
    onDelete: { kind: choice("retain", "removeData"), option: true },
    forceDestroy: { kind: boolean, default: false, option: true },
    retry: { kind: string, option: true },
    profile: { kind: string, option: true },
  },
  outputs: ["taskId"],

  manages: () => [everything],

  // The state of a task that is only looked up has no `from`.
  copiedFrom: ({ from }: Partial<ExtractionTaskState>) => from?.sourceTaskId,

  rules({ from, actions }, problems) {
    const found: Problem[] = [];
    if (isRecord(from)) {
      checkSource(from, found);
    }
    problems.push(...found.map(({ path, reason }) => ({ path: `from.${path}`, reason })));
    checkActionRules(actions, problems);
  },

  check({ actions, startUrls, ...args }, context) {
    const { from } = args;
    const [previous, replaced] = [context.previous?.from, context.replaced?.from].map(mapIn);
    const checked: CheckedExtractionTaskArgs = isRecord(from)
      ? { ...args, from: checkedSource(from, { ...context, previous, replaced }, "from.") }
      : args;
    if (actions !== undefined) {
      checked.actions = checkParameterActions({ actions }, true, context);
    }
    if (startUrls !== undefined) {
      const before = context.previous?.startUrls as CheckContext["previous"];
      const list = isRecord(startUrls) ? checkStartUrls(startUrls, "startUrls.", before, context) : undefined;
      checked.startUrls = (isRecord(startUrls) ? { ...startUrls, ...list } : startUrls) as StartUrls;
    }
    return checked;
  },

  diff(state, declared) {
    // A value that a preview does not know can turn out to be unchanged.
    const args = isRecord(declared.from) ? declared : { ...declared, from: state.from };
    const { replaces = [], ...copied }: Difference = taskCopy.diff?.(copyState(state), copyArgs(args)) ?? {};
    const isRetry = replaces.includes("retry");
    const names = replaces.length === 0 ? [] : [isRetry ? "retry" : "from"];
    const same = names.length === 0 && onlyDiffers(extractionTask.args, flat(state), flat(args), ["adoptTaskId"]);
    return { ...copied, replaces: names, same };
  },

  async create(args, context) {
    const { id } = await copy(args, context);
    const nothing: ExtractionTaskState = { ...args, taskId: id, actions: undefined, startUrls: undefined };
    return { id, state: await configure(nothing, args, context, true) };
  },

  async read(id, state, context) {
    if (state.actions === undefined || isOutcomeUnknown(state)) {
      const seen = await taskCopy.read?.(id, copyState(state), context);
      return seen?.found === false ? seen : { found: true, state };
    }
    const settings = settingsOfActions(state.actions);
    // Unclear is not enough here: a task that is gone must be copied again.
    const presence = await lookUpByAll(id, typesOf(settings), context);
    const drift = presence.is === "there" ? drifts(settings, presence.actions) : [];
    return presence.is === "gone"
      ? { found: false }
      : { found: true, state: { ...state, actions: actionsWith(state.actions, drift) } };
  },

  async update(id, state, args, context) {
    await taskCopy.update(id, copyState(state), copyArgs(args), context);
    return configure(state, args, context);
  },

  async delete(id, state, context) {
    await taskCopy.delete(id, copyState(state), context);
    // In the other cases, the delete of the copy has already warned that the task stays with all of its settings.
    const isOnlyLeft = state.from.sourceTaskId === undefined && state.onDelete !== "removeData";
    if (isOnlyLeft && !isOutcomeUnknown(state)) {
      await context.tasks.exclusive(id, () => nameWhatStays(state, {}, context));
    }
  },

  async imported(taskId, context) {
    const actions = declaredOf(await shownTask(taskId, context), partsOf);
    return { id: taskId, args: { from: { adoptTaskId: taskId }, ...(actions && { actions }) } };
  },
};

/** The lists among the arguments, with the names that `check` gives them. */
export function givenLists({ actions, startUrls }: Partial<ExtractionTaskArgs>): GivenList[] {
  const loops = Object.entries(isRecord(actions) ? actions : {}).flatMap(([actionId, action]) =>
    isRecord(action) && isRecord(action.loop) ? [givenItems(action.loop, loopPath(actionId))] : [],
  );
  return isRecord(startUrls) ? [...loops, givenStartUrls(startUrls, "startUrls.")] : loops;
}

function mapIn(value: unknown): CheckContext["previous"] {
  return isRecord(value) ? value : undefined;
}

/** The id to adopt beside the other arguments, as in a TaskCopy. */
function flat<T extends Pick<CheckedExtractionTaskArgs, "from">>(args: T): T & { adoptTaskId?: string } {
  const { adoptTaskId, ...from } = args.from;
  return { ...args, from, adoptTaskId };
}

function copyArgs({ from, onDelete, forceDestroy, retry, profile }: CheckedExtractionTaskArgs): TaskCopyArgs {
  return { ...from, onDelete, forceDestroy, retry, profile };
}

function copyState(state: ExtractionTaskState): TaskCopyState {
  const { taskId, outcome, explanation } = state;
  return { ...copyArgs(state), taskId, outcome, explanation };
}

/** Copies the task. After a lost response, the error contains this resource's state, and names its arguments. */
async function copy(args: CheckedExtractionTaskArgs, context: Context): Promise<{ id: string }> {
  try {
    return await taskCopy.create(copyArgs(args), context);
  } catch (error) {
    if (!(error instanceof PartialFailure)) throw error;
    const { outcome, explanation } = error.state as LostResponseState;
    const named = (text = ""): string => text.replaceAll("adoptTaskId", "from.adoptTaskId");
    throw new PartialFailure(named(error.message), error.id, { ...args, outcome, explanation: named(explanation) });
  }
}

/**
 * The remaining steps after the copy. `actions`: nothing was written. `write` and `append`: the response was lost.
 * `startUrls`: not uploaded, or the response was lost.
 */
type PendingStep = "actions" | "write" | "append" | "startUrls";

/** Brings the task from `state` to `args`. If a step fails, the task is kept with the steps that are still to do. */
async function configure(
  state: ExtractionTaskState,
  args: CheckedExtractionTaskArgs,
  context: Context,
  isNew = false,
): Promise<ExtractionTaskState> {
  const { taskId, startUrls: urlsBefore } = state;
  const { startUrls } = args;
  const pending = (state.pending ?? []) as PendingStep[];
  const sendUrls = startUrls?.sha256 !== urlsBefore?.sha256 || pending.includes("startUrls");
  const upload = startUrls !== undefined && sendUrls ? startUrls : undefined;
  const isAdopted = args.from.adoptTaskId !== undefined;
  const laterSteps: PendingStep[] = upload === undefined ? [] : ["startUrls"];
  try {
    await context.tasks.exclusive(taskId, async () => {
      await nameWhatStays(state, args, context);
      await writeActions(state, args, context, isNew);
    });
  } catch (error) {
    // A task to adopt must not be kept in the state before the service has shown that it exists.
    if (isAdopted && !(error instanceof PartialFailure)) throw error;
    const lost = error instanceof PartialFailure ? (error.state as PendingState).pending : undefined;
    const kept = lost === undefined ? state.actions : args.actions;
    const left = [...(lost ?? ["actions"]), ...laterSteps];
    throw stillToDo(error, { ...args, actions: kept, taskId, pending: left });
  }
  try {
    if (upload !== undefined) {
      const send = startUrlsUpload(taskId, upload, context);
      if (isNew) await context.client.requirePath(taskId);
      await context.tasks.exclusive(taskId, send);
    }
  } catch (error) {
    const isRefused = isServiceError(error) && error.outcome === "notExecuted";
    if (isAdopted && isRefused && args.actions === undefined) throw error;
    throw stillToDo(error, { ...args, taskId, pending: laterSteps });
  }
  return { ...args, taskId };
}

async function writeActions(
  state: ExtractionTaskState,
  args: CheckedExtractionTaskArgs,
  context: Context,
  isNew: boolean,
): Promise<void> {
  const { taskId } = state;
  const [before, now] = [settingsOfActions(state.actions), settingsOfActions(args.actions)];
  const pending = state.pending?.filter((step) => step === "write" || step === "append");
  const isAdopted = args.from.adoptTaskId !== undefined;
  const shown = await lookBefore(taskId, without(now, before), isAdopted, context);
  const writes = await writesFor({ taskId, before, now, shown, pending }, context);
  if (writes.length > 0) {
    if (isNew) await context.client.requirePath(taskId);
    const append = appends(writes) ? extractionTask.args : undefined;
    const send = (took: () => void) => sendParameters({ taskId, writes, shown }, context, took);
    await writeTask({ state: { ...args, taskId }, append }, send, context);
  }
}

function stillToDo(error: unknown, state: ExtractionTaskState): PartialFailure {
  const { taskId, pending = [] } = state;
  const message = `${messageOf(error)} Task "${taskId}" exists and stays in the state. The next up continues with the remaining steps: ${pending.join(", ")}.`;
  return new PartialFailure(message, taskId, state);
}

/** Warns of settings that are no longer declared. They keep their values, because the earlier values are not known. */
async function nameWhatStays(
  state: ExtractionTaskState,
  args: Partial<CheckedExtractionTaskArgs>,
  context: Context,
): Promise<void> {
  const { taskId } = state;
  const gone = without(settingsOfActions(state.actions), settingsOfActions(args.actions));
  await settingsToRestore({ taskId, remembered: [] }, gone, context);
  if (state.startUrls !== undefined && args.startUrls === undefined) {
    warnOfStartUrls(taskId, state.startUrls, context);
  }
}
