import type { ArgsSpec } from "../args";
import { id, string } from "../args";
import type { StartUrls, StartUrlsArgs } from "../lists/startUrls";
import { checkStartUrls, startUrlsSpec, startUrlsUpload, warnOfStartUrls } from "../lists/startUrls";
import type { Context, PendingState, ProfileArgs, Resource } from "../resource";
import { writeTask } from "./taskWrite";

/**
 * The URLs at which a task starts, uploaded as a file. Needs an API key, and a Professional or Enterprise plan.
 *
 * | step | call |
 * |---|---|
 * | create | `POST /task/urls:file`, streamed, even if the task has the same URLs: the API does not show them |
 * | read | none: the API has no call that shows the URLs, so the state keeps those of the last upload |
 * | update | `POST /task/urls:file` if the list changed |
 * | delete | none: the list stays, and a warning says so |
 */
export interface TaskStartUrlsArgs extends StartUrlsArgs, ProfileArgs {
  /** The task. Pass the `id` of a TaskCopy. A change replaces. */
  taskId: string;
}

export interface TaskStartUrlsState extends Omit<TaskStartUrlsArgs, "urls">, StartUrls, PendingState {}

export type CheckedArgs = Omit<TaskStartUrlsState, "pending">;
type Derived = "count" | "sha256" | "hosts";

const args: ArgsSpec<TaskStartUrlsArgs, Derived> = {
  taskId: { kind: id, required: true, replaces: true },
  ...startUrlsSpec,
  profile: { kind: string, option: true },
};

export const taskStartUrls: Resource<TaskStartUrlsArgs, TaskStartUrlsState, CheckedArgs, Derived> = {
  type: "TaskStartUrls",
  idIs: "taskId",
  provides: "settings",
  args,
  outputs: [],

  manages: () => [{ part: "startUrls" }],

  check(given, context) {
    return { ...given, ...checkStartUrls(given, "", context.previous, context) } as CheckedArgs;
  },

  async create(checked, context) {
    return { id: checked.taskId, state: await upload(checked, context) };
  },

  async update(_id, state, checked, context) {
    return state.sha256 === checked.sha256 && !state.pending?.length ? checked : upload(checked, context);
  },

  async delete(_id, state, context) {
    warnOfStartUrls(state.taskId, state, context);
  },
};

async function upload(state: TaskStartUrlsState, context: Context): Promise<TaskStartUrlsState> {
  const send = await startUrlsUpload(state.taskId, state, context);
  await context.exclusive(state.taskId, () => writeTask({ state }, send, context));
  return state;
}
