import { choice, id, mapOf, scalar, string } from "../../values/kinds";
import { importedSettings, propertiesOf } from "../adopt/imported";
import type { ArgsSpec } from "../args";
import { object } from "../args";
import type { DriftState, PendingState, ProfileArgs, Resource } from "../resource";
import type { LeavingState, ParameterAction, Previous } from "./parameterActions";
import { actionsWith, previousOf, rememberedOf, settingsOfActions } from "./parameterActions";
import type { RestoreArgs } from "./restore";
import { idsOfActions, toUpdates } from "./setting";
import type { SettingsForm } from "./settingsLife";
import { settingsLife } from "./settingsLife";

/** The declared properties of one action. */
export type ActionSettings = Required<Omit<ParameterAction, "loop">>;

/** Declared actions as the description converts them: each value is a string. */
type CheckedActionSettings = Record<
  string,
  Omit<ActionSettings, "properties"> & { properties: Record<string, string> }
>;

/**
 * Properties of a task's actions.
 *
 * | step | call |
 * |---|---|
 * | create | `POST /task/getActions`, then one `POST /task/updateActionProperties` for the properties that differ, if any; for copies that the same run made, one read of their template, and all properties |
 * | read | `POST /task/getActions`; compares the declared properties |
 * | update | `POST /task/updateActionProperties`, one request for the actions that changed, after a read if a property is new |
 * | delete | none, or one request that restores the old values (`onDelete: "restore"`) |
 */
export interface TaskActionConfigArgs extends RestoreArgs, ProfileArgs {
  /** The task to configure. Pass the `id` of a TaskCopy. A change replaces. */
  taskId: string;
  /**
   * The declared properties by actionId: `actionType` and `properties`, both required.
   * @see ExtractionTask
   */
  actions: Record<string, ActionSettings>;
}

export interface CheckedTaskActionConfigArgs extends Omit<TaskActionConfigArgs, "actions"> {
  /** As declared, each value as a string. */
  actions: CheckedActionSettings;
}

export interface TaskActionConfigState extends CheckedTaskActionConfigArgs, PendingState, DriftState, LeavingState {
  /**
   * The settings before the first write, with `onDelete: "restore"`. Secret.
   * @internal
   */
  previous?: Previous["properties"];
}

const actionSpec: ArgsSpec<ActionSettings> = {
  actionType: { kind: string, required: true },
  properties: { kind: mapOf(scalar), required: true },
};

const args: ArgsSpec<TaskActionConfigArgs> = {
  taskId: { kind: id, required: true, replaces: true },
  actions: { kind: mapOf(object(actionSpec)), required: true },
  onDelete: { kind: choice("retain", "restore"), default: "retain", option: true },
  profile: { kind: string, option: true },
};

const form: SettingsForm<CheckedTaskActionConfigArgs, TaskActionConfigState> = {
  args,
  settings: ({ actions }) => settingsOfActions(actions),
  remembered: ({ previous }) => rememberedOf({ properties: previous }),
  previous: (remembered) => previousOf(remembered).properties,
  withDrift: (state, drift) => ({ ...state, actions: actionsWith(state.actions, drift) }),

  async send({ taskId, writes }, { client }) {
    const actions = toUpdates(writes).map(({ properties = [], ...action }) => ({ ...action, properties }));
    await client.updateActionProperties({ taskId, actions });
    return undefined;
  },
};

export const taskActionConfig: Resource<TaskActionConfigArgs, TaskActionConfigState, CheckedTaskActionConfigArgs> = {
  type: "TaskActionConfig",
  idIs: "taskId",
  args,
  outputs: ["previous", "leaving"],
  secretOutputs: ["previous", "leaving"],
  manages: ({ actions }) => idsOfActions(actions),
  ...settingsLife(form),
  imported: (taskId, context) => importedSettings("TaskActionConfig", taskId, propertiesOf, context),
};
