import type { Resource } from "../internals/resources";
import { id, string } from "../internals/resources";

/** Marks all rows of a task as exported, once for each `reason`. */
export interface MarkedRowsArgs {
  /** The task. A change replaces. */
  taskId: string;
  /** Why, for people. A change marks again. */
  reason: string;
}

export const markedRows: Resource<MarkedRowsArgs, MarkedRowsArgs> = {
  type: "MarkedRows",
  idIs: "taskId",
  args: {
    taskId: { kind: id, required: true, replaces: true },
    reason: { kind: string, required: true },
  },
  outputs: [],

  async create(args, { client }) {
    await client.markExported({ taskId: args.taskId });
    return { id: args.taskId, state: args };
  },

  async update(_id, _state, args, { client }) {
    await client.markExported({ taskId: args.taskId });
    return args;
  },

  async delete() {
    // The service has no call that takes marks away.
  },
};
