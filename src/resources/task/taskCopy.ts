import type { CopyTaskRequest } from "../../service/contract/types";
import type { Problem } from "../../values/kinds";
import { boolean, choice, id, string } from "../../values/kinds";
import { differs } from "../../values/plain";
import { shownTask } from "../adopt/imported";
import type { CheckContext, Context, ProfileArgs, Resource } from "../resource";
import type { LostResponseState, MakingRequest } from "./lostResponse";
import {
  earlierRequest,
  isOutcomeUnknown,
  keepingAdoption,
  lostResponseDifference,
  onlyDiffers,
  refuseUpdateOfUnknown,
  sendOnce,
  takeOver,
} from "./lostResponse";
import { lookUpExistence } from "./taskPresence";
import { removeRows } from "./taskRows";

/**
 * A task: a copy of another task, or a task that exists already and is adopted.
 *
 * | step | call |
 * |---|---|
 * | create | `POST /task/copy`; none if it adopts a task. The first of a command reads one row before |
 * | read | `POST /task/getActions`, or `GET /data/all` of one row, to see whether the task exists |
 * | update | none |
 * | delete | `POST /data/remove` or none; the API cannot delete a task |
 */
export interface TaskCopyArgs extends ProfileArgs {
  /** The task to copy. Requires `taskGroupId`. A change replaces. */
  sourceTaskId?: string;
  /** The group of the copy. Requires `sourceTaskId`. A change replaces. */
  taskGroupId?: string;
  /**
   * The id of a task to adopt. Without `sourceTaskId`: a task that exists already; by default its rows are never
   * removed; with `webextract:trialGroup`, it is copied. With `sourceTaskId`: a copy whose response was lost. Adding or
   * removing the id of the present task changes nothing. Another id replaces.
   */
  adoptTaskId?: string;
  /**
   * What a delete does with the task's rows. `removeData` removes them, but refuses to if there are any and
   * `forceDestroy` is not set. The task itself always stays. A change makes no call.
   * @default "removeData" for a copy, "retain" for an adopted task
   */
  onDelete?: "retain" | "removeData";
  /**
   * Lets a delete remove rows that the task still has. Takes effect when it is in the state, so run `pulumi up` first.
   * @default false
   */
  forceDestroy?: boolean;
  /**
   * After a copy whose response was lost, a new string copies again, as a replace. At any other time a change makes no
   * call.
   */
  retry?: string;
}

export interface TaskCopyState extends TaskCopyArgs, LostResponseState {
  /** The task's id; the same as `id`. */
  taskId: string;
}

const identity = ["sourceTaskId", "taskGroupId"] as const;

/** Refuses arguments that name no task, or half of a source. */
export function checkSource(
  args: Pick<TaskCopyArgs, "sourceTaskId" | "taskGroupId" | "adoptTaskId">,
  problems: Problem[],
): void {
  const given = identity.filter((name) => args[name] !== undefined);
  if (given.length === 0 && args.adoptTaskId === undefined) {
    problems.push({
      path: "sourceTaskId",
      reason: "is missing: give sourceTaskId and taskGroupId for a copy, or adoptTaskId for a task that exists",
    });
  } else if (given.length === 1) {
    const missing = given[0] === "sourceTaskId" ? "taskGroupId" : "sourceTaskId";
    problems.push({ path: missing, reason: "is missing: a copy needs sourceTaskId and taskGroupId" });
  }
}

type Source = Pick<TaskCopyArgs, (typeof identity)[number] | "adoptTaskId">;

/**
 * The source of a task, with the id to adopt as long as the source is the same. In a trial stack, a task that is adopted
 * becomes the source of a copy. An id to adopt beside the source that the resource has already is that of a lost copy.
 * @param at the path of the source
 */
export function checkedSource<Args extends Source>(
  args: Args,
  { previous, replaced, settings, problems }: Pick<CheckContext, "previous" | "replaced" | "settings" | "problems">,
  at = "",
): Args {
  const { trialGroup } = settings;
  const { adoptTaskId, ...others } = args;
  const earlier = previous ?? replaced;
  const isTrial = trialGroup !== undefined && adoptTaskId !== undefined && !hasSource(args, earlier);
  if (isTrial && earlier?.adoptTaskId !== undefined && earlier.sourceTaskId === undefined) {
    problems.push({
      path: `${at}adoptTaskId`,
      reason:
        "names a task that this stack has adopted, and webextract:trialGroup is set: a trial only has copies. Remove the key, or make the trial a stack of its own",
    });
  }
  const checked = isTrial
    ? ({ ...others, sourceTaskId: adoptTaskId, taskGroupId: trialGroup } as unknown as Args)
    : args;
  return keepingAdoption(checked, previous, "adoptTaskId", hasSource(checked, previous));
}

function hasSource(args: Source, other: CheckContext["previous"]): boolean {
  return identity.every((name) => typeof args[name] === "string" && args[name] === other?.[name]);
}

export const taskCopy: Resource<TaskCopyArgs, TaskCopyState> = {
  type: "TaskCopy",
  idIs: "taskId",
  knowsEarlier: true,
  args: {
    sourceTaskId: { kind: id },
    taskGroupId: { kind: id },
    adoptTaskId: { kind: id },
    onDelete: { kind: choice("retain", "removeData"), option: true },
    forceDestroy: { kind: boolean, default: false, option: true },
    retry: { kind: string, option: true },
    profile: { kind: string, option: true },
  },
  outputs: ["taskId"],

  copiedFrom: ({ sourceTaskId }) => sourceTaskId,

  rules: checkSource,

  check: (args, context) => checkedSource(args, context),

  diff(state, args) {
    if (isOutcomeUnknown(state)) {
      return lostResponseDifference(state, args, "adoptTaskId");
    }
    if (differs(args.adoptTaskId ?? state.taskId, state.taskId)) {
      return { replaces: ["adoptTaskId"] };
    }
    if (args.adoptTaskId === undefined) {
      const replaces = identity.filter((name) => differs(state[name], args[name]));
      if (replaces.length > 0) {
        return { replaces };
      }
    }
    return { same: onlyDiffers(taskCopy.args, state, args, ["adoptTaskId"]) };
  },

  async create(args, context) {
    const { sourceTaskId, taskGroupId, adoptTaskId } = args;
    if (adoptTaskId !== undefined) {
      return { id: adoptTaskId, state: { ...args, taskId: adoptTaskId } };
    }
    const taskId = await copyOnce({ taskId: sourceTaskId ?? "", taskGroupId: taskGroupId ?? "" }, args, context);
    return { id: taskId, state: { ...args, taskId } };
  },

  async read(id, state, context) {
    if (isOutcomeUnknown(state)) {
      return { found: true, state };
    }
    return (await lookUpExistence(id, context)) === "gone" ? { found: false } : { found: true, state };
  },

  async update(id, state, args, context) {
    refuseUpdateOfUnknown(state);
    if (identity.some((name) => args[name] !== undefined && differs(state[name], args[name]))) {
      context.warn(`Task "${id}" stays, because adoptTaskId names it. The new source or group was not copied.`);
    }
    return { ...args, taskId: id };
  },

  async delete(id, state, context) {
    if (isOutcomeUnknown(state)) {
      context.warn(
        `A copy of task "${state.sourceTaskId}" in group "${state.taskGroupId}" may exist: the response to the copy was lost, and its state is deleted now.`,
      );
      return;
    }
    const isCopy = state.sourceTaskId !== undefined;
    const onDelete = state.onDelete ?? (isCopy ? "removeData" : "retain");
    let rows = "its rows were not touched";
    const other = onDelete === "removeData" ? context.tasks.heldBy({ part: "rows", taskId: id }) : undefined;
    if (other !== undefined) {
      rows = `its rows were not removed, because ${other} has the same task`;
    } else if (onDelete === "removeData") {
      const left = await context.tasks.exclusive(id, () => removeRows(id, state.forceDestroy === true, context));
      if (left === "task gone") {
        // Somebody deleted the task, or the credentials are those of another account.
        context.warn(
          `Task "${id}" is gone as far as this account can see, so nothing was removed. The state no longer has the task. If it should exist, check whether the credentials are those of another account.`,
        );
        return;
      }
      rows = "it has no rows any more";
    }
    if (isCopy || onDelete === "removeData") {
      context.warn(
        `Task "${id}" stays at the service, because the API cannot delete a task; ${rows}. If you do not need the task, delete it in the service's own interface.`,
      );
    }
  },

  async imported(taskId, context) {
    await shownTask(taskId, context);
    return { id: taskId, args: { adoptTaskId: taskId } };
  },
};

async function copyOnce(request: CopyTaskRequest, args: TaskCopyArgs, context: Context): Promise<string> {
  const { taskId, taskGroupId } = request;
  const once: MakingRequest = {
    operation: "copyTask",
    inputs: { ...request, retry: args.retry },
    what: `copy of task "${taskId}" in group "${taskGroupId}"`,
    state: args,
  };
  const earlier = await earlierRequest(once, context);
  const existing = earlier && (await takeOver(once, earlier, (id) => lookUpExistence(id, context), context));
  if (existing !== undefined) {
    return existing;
  }
  const { data } = await sendOnce(
    once,
    () => context.client.copyTask(request),
    (response) => response.data.taskId,
    context,
  );
  context.tasks.copied(data.taskId, taskId);
  return data.taskId;
}
