import { isServiceError } from "../../service/errors/errors";
import { ResourceError } from "../../values/errors";
import { choice, id, idLines, string } from "../../values/kinds";
import { noTask } from "../adopt/imported";
import { joinLines, splitLines } from "../lists/lines";
import type { Context, ProfileArgs, Resource, Statuses } from "../resource";
import { terminalStatusOf } from "./statuses";
import { noteTask } from "./subtaskList";

/**
 * Subtasks of a task that should be started or stopped. Needs a Professional or Enterprise plan.
 *
 * | step | call |
 * |---|---|
 * | create | `POST /cloudextraction/subtasks:start` or `subtasks:stop` |
 * | read | `GET /cloudextraction/task/subtasks`; a subtask that is not in the desired state is drift |
 * | update | as create, for the subtasks that were added, or for all if `desired` changed |
 * | delete | none |
 */
export interface CloudSubtasksArgs extends ProfileArgs {
  /** The task. Pass the `id` of a TaskCopy. A change replaces. */
  taskId: string;
  /** The ids of the subtasks, in any order. A subtask that is removed from the list is left as it is. */
  subTaskIds: string[];
  /**
   * `started`: running or finished. `stopped`: not running, for whatever reason. A change makes a call for all
   * subtasks.
   */
  desired: "started" | "stopped";
}

export interface CloudSubtasksState extends Omit<CloudSubtasksArgs, "subTaskIds"> {
  /** The ids of the subtasks, sorted, one on each line. */
  subTaskIds: string;
}

export const cloudSubtasks: Resource<CloudSubtasksArgs, CloudSubtasksState, CloudSubtasksState> = {
  type: "CloudSubtasks",
  idIs: "taskId",
  waitsFor: "runs",
  args: {
    taskId: { kind: id, required: true, replaces: true },
    subTaskIds: { kind: idLines, required: true },
    desired: { kind: choice("started", "stopped"), required: true },
    profile: { kind: string, option: true },
  },
  outputs: [],

  holds({ taskId, subTaskIds, desired }) {
    // A list, if what it needs has failed and no check made lines of it.
    const ids = [subTaskIds ?? []].flat().flatMap((each) => splitLines(String(each)));
    const isStarted = typeof taskId === "string" && desired === "started";
    return isStarted ? ids.map((subTaskId) => ({ part: "subtask", taskId, subTaskId })) : [];
  },

  check(args, { previous }) {
    return { ...args, subTaskIds: sortedLines(args.subTaskIds, previous?.subTaskIds) };
  },

  async create(args, context) {
    await send(splitLines(args.subTaskIds), args, context);
    return { id: args.taskId, state: args };
  },

  async read(_id, state, context) {
    try {
      const list = await context.client.allSubtasks(state.taskId);
      noteTask(state.taskId, list, context);
      const statusOf = new Map(list.map(({ subTaskId, status }) => [subTaskId, status]));
      const asDesired = splitLines(state.subTaskIds).filter((subTaskId) =>
        satisfies(statusOf.get(subTaskId), state.desired, context.settings.statuses),
      );
      // A subtask that is left out here shows as added in the next diff, and the next update sends it.
      return { found: true, state: { ...state, subTaskIds: joinLines(asDesired, state.subTaskIds) } };
    } catch (error) {
      if (isServiceError(error, "notFound")) {
        context.tasks.saw(state.taskId, "gone");
        return { found: false };
      }
      throw error;
    }
  },

  async update(_id, state, args, context) {
    const before = state.desired === args.desired ? new Set(splitLines(state.subTaskIds)) : new Set();
    await send(
      splitLines(args.subTaskIds).filter((subTaskId) => !before.has(subTaskId)),
      args,
      context,
    );
    return args;
  },

  async delete() {
    // The service has no call that removes a subtask.
  },

  async imported(taskId, context) {
    const list = await context.client.allSubtasks(taskId).catch((error: unknown) => {
      throw isServiceError(error, "notFound") ? noTask(taskId) : error;
    });
    if (list.length === 0) {
      throw new ResourceError(`Task "${taskId}" has no subtasks to import or read.`);
    }
    const isAtRest = list.every(({ status }) => {
      const terminal = terminalStatusOf(status, context.settings.statuses);
      return terminal !== undefined && terminal !== "finished";
    });
    const subTaskIds = list.map(({ subTaskId }) => subTaskId).sort();
    return { id: taskId, args: { taskId, subTaskIds, desired: isAtRest ? "stopped" : "started" } };
  },
};

async function send(subTaskIds: string[], { taskId, desired }: CloudSubtasksState, context: Context): Promise<void> {
  if (subTaskIds.length === 0) {
    return;
  }
  const request = { taskId, subTaskIds };
  await context.tasks.exclusive(taskId, () =>
    desired === "started" ? context.client.startSubtasks(request) : context.client.stopSubtasks(request),
  );
}

/**
 * A subtask that the service does not list can belong to an earlier run. Its status is unknown, so it does not count as
 * drift.
 */
function satisfies(status: string | undefined, desired: "started" | "stopped", statuses: Statuses): boolean {
  if (status === undefined) {
    return true;
  }
  const terminal = terminalStatusOf(status, statuses);
  return desired === "started" ? terminal === undefined || terminal === "finished" : terminal !== undefined;
}

/** A list that holds an unknown value is unknown as a whole. */
function sortedLines(ids: unknown, before: unknown): string {
  if (!Array.isArray(ids)) {
    return typeof ids === "string" ? joinLines([...new Set(splitLines(ids))].sort(), before) : (ids as string);
  }
  const unknownId = ids.find((id) => typeof id !== "string");
  return unknownId ?? joinLines([...new Set(ids)].sort(), before);
}
