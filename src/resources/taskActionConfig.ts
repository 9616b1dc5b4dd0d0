import {
  type ActionSettingsMap,
  actionSettingsCheck,
  changedActions,
  decidedActions,
  mergeActions,
  type PropertyValues,
  readConfigured,
  takenOut,
  toUpdates,
  typesOf,
  valuesShown,
  withValues,
  writeSettings,
} from "./actionProperties";
import { choice, text } from "./args";
import { type RestoreArgs, rememberValues, valuesToPutBack } from "./previousValues";
import type { Context, Created, PendingState, Read, Resource } from "./resource";

/**
 * Properties of a task's actions.
 *
 * | step | call |
 * |---|---|
 * | create | `POST /task/updateActionProperties`, one for all actions |
 * | read | `POST /task/getActions`; compares what is declared |
 * | update | `POST /task/updateActionProperties`, one for the actions that changed |
 * | delete | none, or one that puts the old values back (`onDelete: "restore"`) |
 */
export interface TaskActionConfigArgs extends RestoreArgs {
  /** The task to configure; pass the `id` of a TaskCopy. A change replaces. */
  taskId: string;
  /** The declared properties by actionId: `{ open: { actionType: "NavigateAction", properties: { Url: "https://…" } } }`. */
  actions: ActionSettingsMap;
  /** Name of a set of credentials in `webextract:profiles`. Default: the top-level ones. */
  profile?: string;
}

export interface TaskActionConfigState extends TaskActionConfigArgs, PendingState {
  /** What stood at the service before, with `onDelete: "restore"`. Secret. */
  previous?: PropertyValues;
}

export const taskActionConfig: Resource<TaskActionConfigArgs, TaskActionConfigState> = {
  type: "TaskActionConfig",
  configuresTask: true,
  args: {
    taskId: { check: text, required: true, replaces: true },
    actions: { check: actionSettingsCheck, required: true },
    onDelete: { check: choice("retain", "restore"), option: true },
    profile: { check: text, option: true },
  },
  outputs: ["previous"],
  secretOutputs: ["previous"],

  decides: ({ actions }) => decidedActions(actions),

  async create(args: TaskActionConfigArgs, context: Context): Promise<Created<TaskActionConfigState>> {
    const { taskId, actions } = args;
    const previous = await rememberValues(taskId, args, {}, actions, context);
    const state = await writeSettings({ ...args, previous }, context, () =>
      context.client.updateActionProperties({ taskId, actions: toUpdates(actions) }),
    );
    return { id: taskId, state };
  },

  async read(_id: string, state: TaskActionConfigState, context: Context): Promise<Read<TaskActionConfigState>> {
    return readConfigured(state, typesOf(state.actions), context, (shown) => ({
      ...state,
      actions: withValues(state.actions, valuesShown(shown, state.actions)),
    }));
  },

  async update(
    _id: string,
    state: TaskActionConfigState,
    args: TaskActionConfigArgs,
    context: Context,
  ): Promise<TaskActionConfigState> {
    const { taskId } = args;
    const back = await valuesToPutBack(state, takenOut(state.actions, args.actions), context);
    const fresh = takenOut(args.actions, state.actions);
    const previous = await rememberValues(taskId, args, state.previous ?? {}, fresh, context);
    const changed = state.pending?.length ? args.actions : changedActions(state.actions, args.actions);
    const toWrite = mergeActions(changed, back);
    return writeSettings({ ...args, previous }, context, async () => {
      if (Object.keys(toWrite).length > 0) {
        await context.client.updateActionProperties({ taskId, actions: toUpdates(toWrite) });
      }
    });
  },

  async delete(_id: string, state: TaskActionConfigState, context: Context): Promise<void> {
    const { taskId } = state;
    const back = await valuesToPutBack(state, state.actions, context);
    if (Object.keys(back).length > 0) {
      await context.exclusive(taskId, () =>
        context.client.updateActionProperties({ taskId, actions: toUpdates(back) }),
      );
    }
  },
};
