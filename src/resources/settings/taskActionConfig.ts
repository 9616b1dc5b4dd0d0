import { choice, string } from "../args";
import type { Context, Created, DriftState, PendingState, Read, Resource } from "../resource";
import type { ActionSettingsMap, PropertyValues } from "./actionProperties";
import {
  actionSettingsKind,
  changedActions,
  changedProperties,
  decidedActions,
  mergeActions,
  mergeUpdates,
  readConfigured,
  takenOut,
  toUpdates,
  typesOf,
  valuesShown,
  withValues,
  writeSettings,
} from "./actionProperties";
import type { RestoreArgs } from "./previousValues";
import { driftOf, mergeValues, rememberValues, valuesToPutBack, withoutValues } from "./previousValues";
import { putBackAlone, stillToPutBack } from "./stillToPutBack";

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

export interface TaskActionConfigState extends TaskActionConfigArgs, PendingState, DriftState {
  /** What stood at the service before, with `onDelete: "restore"`. Secret. */
  previous?: PropertyValues;
  /** What was taken out of the declaration and is still to be put back, after an answer was lost. Secret, as its values may have been. */
  leaving?: ActionSettingsMap;
}

export const taskActionConfig: Resource<TaskActionConfigArgs, TaskActionConfigState> = {
  type: "TaskActionConfig",
  idIs: "taskId",
  configuresTask: true,
  args: {
    taskId: { kind: string, required: true, replaces: true },
    actions: { kind: actionSettingsKind, required: true },
    onDelete: { kind: choice("retain", "restore"), option: true },
    profile: { kind: string, option: true },
  },
  outputs: ["previous"],
  secretOutputs: ["previous", "leaving"],

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
    return readConfigured(state, typesOf(state.actions), context, (shown) => {
      const actions = withValues(state.actions, valuesShown(shown, state.actions));
      return { ...state, actions, ...driftOf(state, changedProperties(state.actions, actions)) };
    });
  },

  async update(
    _id: string,
    state: TaskActionConfigState,
    args: TaskActionConfigArgs,
    context: Context,
  ): Promise<TaskActionConfigState> {
    const { taskId } = args;
    const leaving = takenOut(everDeclared(state), args.actions);
    const back = await valuesToPutBack(state, leaving, context);
    const fresh = takenOut(args.actions, state.actions);
    const known = withoutValues(state.previous ?? {}, leaving);
    const previous = await rememberValues(taskId, args, known, fresh, context);
    const changed = state.pending?.length ? args.actions : changedActions(state.actions, args.actions);
    const write = async (): Promise<void> => {
      const actions = mergeUpdates(toUpdates(changed), stillToPutBack(taskId, toUpdates(back), context));
      if (actions.length > 0) {
        await context.client.updateActionProperties({ taskId, actions });
      }
    };
    // If the answer is lost, the next update puts back what this one may not have.
    const kept: TaskActionConfigState = {
      ...args,
      leaving,
      previous: previous && mergeValues(state.previous ?? {}, previous),
    };
    const stillToRestore = Object.keys(back).length > 0;
    return writeSettings<TaskActionConfigState>({ ...args, previous }, context, write, stillToRestore ? { kept } : {});
  },

  async delete(_id: string, state: TaskActionConfigState, context: Context): Promise<void> {
    const { taskId } = state;
    const back = await valuesToPutBack(state, everDeclared(state), context);
    await putBackAlone(taskId, toUpdates(back), context, (actions) =>
      context.client.updateActionProperties({ taskId, actions }),
    );
  },
};

/** The declaration, and what left it and is still to be put back. */
function everDeclared({ leaving = {}, actions }: TaskActionConfigState): ActionSettingsMap {
  return mergeActions(leaving, actions);
}
