import { isServiceError } from "../../service/errors/errors";
import { choice, lines, string } from "../args";
import type { CheckContext, Context, Created, ProfileArgs, Read, Resource, Statuses } from "../resource";
import { joinLines, splitLines } from "../urls/lines";
import { noteTask, restOf } from "./subtaskList";

/**
 * Subtasks of a cloud task that should be started, or stopped. Needs a Professional or Enterprise plan.
 *
 * | step | call |
 * |---|---|
 * | create | `POST /cloudextraction/subtasks:start` or `subtasks:stop` |
 * | read | `GET /cloudextraction/task/subtasks`; a subtask that is not as desired is drift |
 * | update | the same for the subtasks that were added, or for all when `desired` changed |
 * | delete | none |
 */
export interface CloudSubtasksArgs extends ProfileArgs {
  /** The task; pass the `id` of a TaskCopy. A change replaces. */
  taskId: string;
  /** The subtasks. Their order means nothing. One taken out is left as it is. */
  subTaskIds: string[];
  /** `started`: at work, or finished already. `stopped`: at rest, whatever the reason. */
  desired: "started" | "stopped";
}

export interface CloudSubtasksState extends Omit<CloudSubtasksArgs, "subTaskIds"> {
  /** The subtasks, sorted, one a line. */
  subTaskIds: string;
}

export const cloudSubtasks: Resource<CloudSubtasksArgs, CloudSubtasksState, CloudSubtasksState> = {
  type: "CloudSubtasks",
  idIs: "taskId",
  waitsFor: "runs",
  args: {
    taskId: { kind: string, required: true, replaces: true },
    subTaskIds: { kind: lines, required: true },
    desired: { kind: choice("started", "stopped"), required: true },
    profile: { kind: string, option: true },
  },
  outputs: [],

  check(args: CloudSubtasksArgs, { previous }: CheckContext): CloudSubtasksState {
    return { ...args, subTaskIds: sortedText(args.subTaskIds, previous?.subTaskIds) };
  },

  async create(args: CloudSubtasksState, context: Context): Promise<Created<CloudSubtasksState>> {
    await bring(splitLines(args.subTaskIds), args, context);
    return { id: args.taskId, state: args };
  },

  async read(_id: string, state: CloudSubtasksState, context: Context): Promise<Read<CloudSubtasksState>> {
    try {
      const list = await context.client.allSubtasks(state.taskId);
      noteTask(state.taskId, list, context);
      const statusOf = new Map(list.map(({ subTaskId, status }) => [subTaskId, status]));
      const asDesired = splitLines(state.subTaskIds).filter((subTaskId) =>
        satisfies(statusOf.get(subTaskId), state.desired, context.settings.statuses),
      );
      // What is left out here shows as added again in the next diff, and is what the next update acts on.
      return { found: true, state: { ...state, subTaskIds: joinLines(asDesired, state.subTaskIds) } };
    } catch (error) {
      if (isServiceError(error, "notFound")) {
        context.saw(state.taskId, "gone");
        return { found: false };
      }
      throw error;
    }
  },

  async update(
    _id: string,
    state: CloudSubtasksState,
    args: CloudSubtasksState,
    context: Context,
  ): Promise<CloudSubtasksState> {
    const before = state.desired === args.desired ? new Set(splitLines(state.subTaskIds)) : new Set();
    await bring(
      splitLines(args.subTaskIds).filter((subTaskId) => !before.has(subTaskId)),
      args,
      context,
    );
    return args;
  },

  async delete(): Promise<void> {
    // Subtasks go on as they are: the service has no call that removes one.
  },
};

async function bring(subTaskIds: string[], { taskId, desired }: CloudSubtasksState, context: Context): Promise<void> {
  if (subTaskIds.length === 0) {
    return;
  }
  const request = { taskId, subTaskIds };
  await context.exclusive(taskId, () =>
    desired === "started" ? context.client.startSubtasks(request) : context.client.stopSubtasks(request),
  );
}

/** A subtask that is not in the list may belong to a run of before: nothing is known of it, so nothing is wrong with it. */
function satisfies(status: string | undefined, desired: "started" | "stopped", statuses: Statuses): boolean {
  if (status === undefined) {
    return true;
  }
  const rest = restOf(status, statuses);
  return desired === "started" ? rest === undefined || rest === "finished" : rest !== undefined;
}

/** Unknowns pass through: a list that holds one is unknown as a whole. */
function sortedText(ids: unknown, before: unknown): string {
  if (!Array.isArray(ids)) {
    return typeof ids === "string" ? joinLines([...new Set(splitLines(ids))].sort(), before) : (ids as string);
  }
  const unknownId = ids.find((id) => typeof id !== "string");
  return unknownId ?? joinLines([...new Set(ids)].sort(), before);
}
