import { choice, id, string } from "../../values/kinds";
import { importedSettings, partsOf } from "../adopt/imported";
import type { ArgsSpec } from "../args";
import type { DriftState, PendingState, ProfileArgs, Resource } from "../resource";
import type { CheckedActions, LeavingState, ParameterActions, Previous } from "./parameterActions";
import {
  actionsWith,
  checkActionRules,
  checkParameterActions,
  parameterActionsKind,
  previousOf,
  rememberedOf,
  settingsOfActions,
} from "./parameterActions";
import type { RestoreArgs } from "./restore";
import { sendParameters } from "./sendParameters";
import { idsOfActions } from "./setting";
import type { SettingsForm } from "./settingsLife";
import { settingsLife } from "./settingsLife";

/**
 * Properties and loops of a task's actions, in one request. Until a read has shown that the service takes loops there,
 * each is read back. Lists to append to, and loops that it ignores, are sent by `POST /task/updateLoopItems`.
 *
 * | step | call |
 * |---|---|
 * | create | `POST /task/getActions`, then one `POST /task/updateTaskParameters` for what differs, if anything; for copies that the same run made, one read of their template, and all actions |
 * | read | `POST /task/getActions`; compares the declared properties and loops |
 * | update | `POST /task/updateTaskParameters`, one request for all that changed, after a read if a property is new |
 * | delete | none, or one request that restores the old values and lists (`onDelete: "restore"`) |
 */
export interface TaskParametersArgs extends RestoreArgs, ProfileArgs {
  /** The task to configure. Pass the `id` of a TaskCopy. A change replaces. */
  taskId: string;
  /**
   * The declared actions by actionId. Only what is declared here is written and compared.
   * @see ExtractionTask
   */
  actions: ParameterActions;
}

export interface CheckedTaskParametersArgs extends Omit<TaskParametersArgs, "actions"> {
  /** As declared, each list as one string with its count and digest. */
  actions: CheckedActions;
}

export interface TaskParametersState extends CheckedTaskParametersArgs, PendingState, DriftState, LeavingState {
  /** The service's response to the last write. Secret, because the contract does not define its fields. */
  updatedParameters?: Record<string, unknown>;
  /**
   * The settings before the first write, with `onDelete: "restore"`. Secret.
   * @internal
   */
  previous?: Previous;
}

const args: ArgsSpec<TaskParametersArgs> = {
  taskId: { kind: id, required: true, replaces: true },
  actions: { kind: parameterActionsKind, required: true },
  onDelete: { kind: choice("retain", "restore"), default: "retain", option: true },
  profile: { kind: string, option: true },
};

const form: SettingsForm<CheckedTaskParametersArgs, TaskParametersState> = {
  args,
  settings: ({ actions }) => settingsOfActions(actions),
  remembered: ({ previous }) => rememberedOf(previous),
  previous: previousOf,
  withDrift: (state, drift) => ({ ...state, actions: actionsWith(state.actions, drift) }),

  async send(sending, context, took) {
    const updatedParameters = await sendParameters(sending, context, took);
    return updatedParameters && { updatedParameters };
  },
};

export const taskParameters: Resource<TaskParametersArgs, TaskParametersState, CheckedTaskParametersArgs> = {
  type: "TaskParameters",
  idIs: "taskId",
  args,
  outputs: ["updatedParameters", "previous", "leaving"],
  secretOutputs: ["updatedParameters", "previous", "leaving"],

  manages: ({ actions }) => idsOfActions(actions),

  rules: ({ actions }, problems) => checkActionRules(actions, problems),

  check(given, context) {
    const isSame = context.previous?.taskId === given.taskId;
    return { ...given, actions: checkParameterActions(given, isSame, context) };
  },

  ...settingsLife(form),
  imported: (taskId, context) => importedSettings("TaskParameters", taskId, partsOf, context),
};
