import { ResourceError } from "../../values/errors";
import { choice, id, string } from "../../values/kinds";
import { secretValue } from "../adopt/adoptedTask";
import { idsOf, shownTask } from "../adopt/imported";
import type { ArgsSpec } from "../args";
import type { DriftState, PendingState, ProfileArgs, Resource } from "../resource";
import { checkLoop, loopOf, loopSpec } from "./loop";
import { previousOf, rememberedOf } from "./parameterActions";
import type { RestoreArgs } from "./restore";
import type { ActionLoop, Loop } from "./setting";
import { toLoopUpdate } from "./setting";
import type { SettingsForm } from "./settingsLife";
import { settingsLife } from "./settingsLife";

/**
 * The items that one loop of a task goes through.
 *
 * | step | call |
 * |---|---|
 * | create | `POST /task/getActions`, then `POST /task/updateLoopItems` if the list differs; on a copy that the same run made, only the second |
 * | read | `POST /task/getActions` with the types of `webextract:actionTypes` |
 * | update | `POST /task/updateLoopItems`: the whole list, or with `mode: "append"` only the missing items |
 * | delete | none, or one request that restores the old list (`onDelete: "restore"`) |
 */
export interface TaskLoopItemsArgs extends ActionLoop, RestoreArgs, ProfileArgs {
  /** The task. Pass the `id` of a TaskCopy. A change replaces. */
  taskId: string;
  /** The action that loops. A change replaces. */
  actionId: string;
  /** The type of the list, as the service names it, for example `UrlList`. A change replaces. */
  loopType: string;
}

export interface TaskLoopItemsState extends Omit<TaskLoopItemsArgs, "items">, Loop, PendingState, DriftState {
  /**
   * The settings before the first write, with `onDelete: "restore"`. Secret.
   * @internal
   */
  previous?: { loopType: string; items: string };
}

export type CheckedTaskLoopItemsArgs = Omit<TaskLoopItemsState, "previous" | "pending">;

const args: ArgsSpec<TaskLoopItemsArgs, "count" | "sha256"> = {
  taskId: { kind: id, required: true, replaces: true },
  actionId: { kind: id, required: true, replaces: true },
  ...loopSpec,
  loopType: { ...loopSpec.loopType, replaces: true },
  onDelete: { kind: choice("retain", "restore"), default: "retain", option: true },
  profile: { kind: string, option: true },
};

const form: SettingsForm<CheckedTaskLoopItemsArgs, TaskLoopItemsState> = {
  args,
  settings: (given) => [{ actionId: given.actionId, part: "loop", value: loopOf(given) }],
  remembered: ({ actionId, previous }) => rememberedOf({ loops: previous && { [actionId]: previous } }),
  previous: (remembered) => Object.values(previousOf(remembered).loops)[0],
  withDrift: (state, [drift]) => (drift?.part === "loop" ? { ...state, ...drift.value } : state),

  async send({ taskId, writes }, { client }) {
    for (const write of writes) {
      if (write.part === "loop") {
        await client.updateLoopItems({ taskId, ...toLoopUpdate(write) });
      }
    }
    return undefined;
  },
};

export const taskLoopItems: Resource<
  TaskLoopItemsArgs,
  TaskLoopItemsState,
  CheckedTaskLoopItemsArgs,
  "count" | "sha256"
> = {
  type: "TaskLoopItems",
  idIs: "taskId",
  args,
  outputs: ["previous"],
  secretOutputs: ["previous"],

  manages: ({ actionId }) => (typeof actionId === "string" ? [{ actionId, part: "loop" }] : []),

  check(given, context) {
    const before = context.previous as (Loop & Partial<TaskLoopItemsArgs>) | undefined;
    const isSame = before?.taskId === given.taskId && before.actionId === given.actionId;
    return {
      ...given,
      ...checkLoop(given, { at: "", before, isSame, onDelete: given.onDelete }, context),
    } as CheckedTaskLoopItemsArgs;
  },

  ...settingsLife(form),

  async imported(given, context) {
    const [taskId, actionId] = idsOf("TaskLoopItems", given, "ACTION");
    const { actions } = await shownTask(taskId, context);
    const { loop } = actions.find((action) => action.actionId === actionId) ?? {};
    if (loop === undefined || loop.items === secretValue) {
      throw new ResourceError(
        `The service shows no list of action "${actionId}" of task "${taskId}" to import or read. The request is for the actions of webextract:actionTypes.`,
      );
    }
    return { id: taskId, args: { taskId, actionId, loopType: loop.loopType, items: [...loop.items] } };
  },
};
