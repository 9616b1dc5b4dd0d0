import type { Context, ProfileArgs, Resource } from "../internals/resources";
import { id, string } from "../internals/resources";

/** The start URL of a task: the property `Url` of its first action. */
export interface TaskUrlArgs extends ProfileArgs {
  /** The task. A change replaces. */
  taskId: string;
  /** The id of the action. A change replaces. */
  actionId: string;
  /** The URL. */
  url: string;
}

export const taskUrl: Resource<TaskUrlArgs, TaskUrlArgs> = {
  type: "TaskUrl",
  idIs: "taskId",
  args: {
    taskId: { kind: id, required: true, replaces: true },
    actionId: { kind: string, required: true, replaces: true },
    url: { kind: string, required: true },
    profile: { kind: string, option: true },
  },
  outputs: [],

  async create(args, context) {
    await send(args, context);
    return { id: args.taskId, state: args };
  },

  async update(_id, _state, args, context) {
    await send(args, context);
    return args;
  },

  async delete() {
    // The task keeps its URL.
  },
};

/** Writes to one task at a time, whichever resource writes. */
function send({ taskId, actionId, url }: TaskUrlArgs, { client, tasks }: Context): Promise<unknown> {
  const action = { actionId, actionType: "NavigateAction", properties: [{ name: "Url", value: url }] };
  return tasks.exclusive(taskId, () => client.updateActionProperties({ taskId, actions: [action] }));
}
