import type { ActionParametersUpdate } from "../../service/contract/types";
import { choice, string } from "../args";
import type { CheckContext, Context, Created, DriftState, PendingState, Read, Resource } from "../resource";
import { entryOf } from "../values";
import type { PropertyValues } from "./actionProperties";
import {
  changedProperties,
  decidedActions,
  decidedLoop,
  mergeUpdates,
  readConfigured,
  takenOut,
  toUpdates,
  typesOf,
  writeSettings,
} from "./actionProperties";
import { appendOnce } from "./appendOnce";
import type { PreviousList } from "./loopItems";
import type { CheckedActions, ParameterActions } from "./parameterActions";
import {
  actionsSeen,
  appends,
  checkParameterActions,
  loopDeclaration,
  parameterActionsKind,
  propertiesOf,
  updatesFor,
} from "./parameterActions";
import { listToPutBack, rememberList, stillRemembered } from "./previousLists";
import type { RestoreArgs } from "./previousValues";
import {
  driftOf,
  mergeValues,
  mostPreviousBytes,
  rememberValues,
  valuesToPutBack,
  withoutValues,
} from "./previousValues";
import { putBackAlone, stillToPutBack } from "./stillToPutBack";

/**
 * Properties and loops of a task's actions, in one request.
 *
 * | step | call |
 * |---|---|
 * | create | `POST /task/updateTaskParameters`, one for all actions |
 * | read | `POST /task/getActions`; compares what is declared |
 * | update | `POST /task/updateTaskParameters`, one for what changed |
 * | delete | none, or one that puts the old values and lists back (`onDelete: "restore"`) |
 */
export interface TaskParametersArgs extends RestoreArgs {
  /** The task to configure; pass the `id` of a TaskCopy. A change replaces. */
  taskId: string;
  /**
   * What is declared, by actionId: `{ actionType, properties?, loop?: { loopType, items or itemsFile, mode? } }`. Only that is written and
   * compared.
   */
  actions: ParameterActions;
  /** Name of a set of credentials in `webextract:profiles`. Default: the top-level ones. */
  profile?: string;
}

interface CheckedArgs extends Omit<TaskParametersArgs, "actions"> {
  /** As declared, each list as one text with its count and digest. */
  actions: CheckedActions;
}

/** What stood at the service before. */
interface Previous {
  properties?: PropertyValues;
  loops?: Record<string, PreviousList>;
}

export interface TaskParametersState extends CheckedArgs, PendingState, DriftState {
  /** What the service answered to the last write. Secret, for its fields are the service's own. */
  updatedParameters?: Record<string, unknown>;
  /** What stood at the service before, with `onDelete: "restore"`. Secret. */
  previous?: Previous;
  /** What was taken out of the declaration and is still to be put back, after an answer was lost. Secret, as its values may have been. */
  leaving?: CheckedActions;
}

export const taskParameters: Resource<TaskParametersArgs, TaskParametersState, CheckedArgs> = {
  type: "TaskParameters",
  idIs: "taskId",
  configuresTask: true,
  args: {
    taskId: { kind: string, required: true, replaces: true },
    actions: { kind: parameterActionsKind, required: true },
    onDelete: { kind: choice("retain", "restore"), option: true },
    profile: { kind: string, option: true },
  },
  outputs: ["updatedParameters", "previous"],
  secretOutputs: ["updatedParameters", "previous", "leaving"],

  decides: ({ actions }) => decidedActions(actions),

  async check(args: TaskParametersArgs, context: CheckContext): Promise<CheckedArgs> {
    return { ...args, actions: await checkParameterActions(args.actions, args.taskId, context) };
  },

  async create(args: CheckedArgs, context: Context): Promise<Created<TaskParametersState>> {
    const previous = await remember(args, {}, {}, context);
    const updates = await updatesFor(args.taskId, {}, args.actions, undefined, context);
    return { id: args.taskId, state: await write({ ...args, previous }, updates, context) };
  },

  async read(_id: string, state: TaskParametersState, context: Context): Promise<Read<TaskParametersState>> {
    return readConfigured(state, typesOf(state.actions), context, (shown) => {
      const actions = actionsSeen(state.taskId, state.actions, shown);
      return { ...state, actions, ...driftOf(state, changedParts(state.actions, actions)) };
    });
  },

  async update(
    _id: string,
    state: TaskParametersState,
    args: CheckedArgs,
    context: Context,
  ): Promise<TaskParametersState> {
    const back = await putBack(state, args.actions, context);
    const known = stillDeclared(state, args.actions);
    const previous = await remember(args, state.actions, known, context);
    const changed = await updatesFor(args.taskId, state.actions, args.actions, state.pending, context);
    const next = { ...args, previous, updatedParameters: state.updatedParameters };
    // If the answer is lost, the next update puts back what this one may not have.
    const kept = { ...next, leaving: everDeclared(state) };
    const keptPrevious = previous && mergePrevious(state.previous ?? {}, previous);
    return changed.length + back.length === 0
      ? next
      : write(next, changed, context, { back, kept: back.length > 0 ? { ...kept, previous: keptPrevious } : next });
  },

  async delete(_id: string, state: TaskParametersState, context: Context): Promise<void> {
    const { taskId } = state;
    const back = await putBack(state, {}, context);
    await putBackAlone(taskId, back, context, (actions) => context.client.updateTaskParameters({ taskId, actions }));
  },
};

function changedParts(before: CheckedActions, now: CheckedActions): string[] {
  const loops = Object.keys(before).filter(
    (actionId) => entryOf(before, actionId)?.loop?.sha256 !== entryOf(now, actionId)?.loop?.sha256,
  );
  return [...changedProperties(propertiesOf(before), propertiesOf(now)), ...loops.map(decidedLoop)];
}

async function write(
  state: TaskParametersState,
  changed: readonly ActionParametersUpdate[],
  context: Context,
  { back = [], kept = state }: { back?: readonly ActionParametersUpdate[]; kept?: TaskParametersState } = {},
): Promise<TaskParametersState> {
  const { taskId } = state;
  let updatedParameters = state.updatedParameters;
  const isAppend = appends(changed);
  const pending = isAppend ? ["append"] : ["write"];
  const written = await writeSettings(
    state,
    context,
    async () => {
      const actions = mergeUpdates(changed, stillToPutBack(taskId, back, context));
      if (actions.length === 0) {
        return;
      }
      const send = () => context.client.updateTaskParameters({ taskId, actions });
      const { data } = await (isAppend ? appendOnce(state, taskParameters.args, send, context) : send());
      updatedParameters = data.updatedParameters;
    },
    { pending, kept },
  );
  return { ...written, updatedParameters };
}

/** Reads what stands at the service for everything that is declared for the first time. */
async function remember(
  args: CheckedArgs,
  before: CheckedActions,
  known: Previous,
  context: Context,
): Promise<Previous | undefined> {
  if (args.onDelete !== "restore") {
    return undefined;
  }
  const fresh = takenOut(propertiesOf(args.actions), propertiesOf(before));
  const properties = await rememberValues(args.taskId, args, known.properties ?? {}, fresh, context);
  let loops = { ...known.loops };
  for (const [actionId, { actionType, loop }] of Object.entries(args.actions)) {
    if (loop !== undefined && entryOf(before, actionId)?.loop === undefined) {
      const room = mostPreviousBytes - Buffer.byteLength(JSON.stringify({ properties, loops }));
      const declared = { ...loopDeclaration(args.taskId, actionId, actionType, loop), onDelete: args.onDelete };
      const list = await rememberList(declared, context, room);
      if (list !== undefined) {
        loops = { ...loops, [actionId]: list };
      }
    }
  }
  return { properties, loops };
}

/** What is no longer declared is no longer remembered: declared again, something else may stand there before. */
function stillDeclared(state: TaskParametersState, now: CheckedActions): Previous {
  const { previous } = state;
  const leaving = takenOut(propertiesOf(everDeclared(state)), propertiesOf(now));
  const { taskId, drifted } = state;
  const loops = Object.entries(previous?.loops ?? {}).flatMap(([actionId, list]) => {
    const { actionType = "", loop: before } = entryOf(state.actions, actionId) ?? {};
    const loop = entryOf(now, actionId)?.loop;
    if (loop === undefined) {
      return [];
    }
    const declared = before && { ...loopDeclaration(taskId, actionId, actionType, before), drifted };
    return [[actionId, declared ? stillRemembered(list, declared, loop) : list]];
  });
  return { properties: withoutValues(previous?.properties ?? {}, leaving), loops: Object.fromEntries(loops) };
}

/** The declaration, and what left it and is still to be put back. */
function everDeclared({
  leaving = {},
  actions: now,
}: Pick<TaskParametersState, "actions" | "leaving">): CheckedActions {
  const both = Object.entries(now).map(([actionId, action]) => {
    const old = entryOf(leaving, actionId);
    const properties = { ...old?.properties, ...action.properties };
    const loop = action.loop ?? old?.loop;
    return [
      actionId,
      { ...action, ...(Object.keys(properties).length > 0 ? { properties } : {}), ...(loop ? { loop } : {}) },
    ];
  });
  return { ...leaving, ...Object.fromEntries(both) };
}

function mergePrevious(first: Previous, second: Previous): Previous {
  return {
    properties: mergeValues(first.properties ?? {}, second.properties ?? {}),
    loops: { ...first.loops, ...second.loops },
  };
}

/** What to write for properties and loops that `now` no longer declares. What stays as it is is named in a warning. */
export async function putBack(
  state: Pick<TaskParametersState, "taskId" | "actions" | "onDelete" | "previous" | "drifted" | "leaving">,
  now: CheckedActions,
  context: Context,
): Promise<ActionParametersUpdate[]> {
  const before = everDeclared(state);
  const gone = takenOut(propertiesOf(before), propertiesOf(now));
  const { taskId, onDelete, previous, drifted = [] } = state;
  const values = await valuesToPutBack({ taskId, onDelete, previous: previous?.properties, drifted }, gone, context);
  const updates: ActionParametersUpdate[] = toUpdates(values);
  for (const [actionId, { actionType, loop }] of Object.entries(before)) {
    if (loop !== undefined && entryOf(now, actionId)?.loop === undefined) {
      const drift = drifted.filter((part) => part === decidedLoop(actionId));
      const declared = loopDeclaration(taskId, actionId, actionType, loop);
      const memory = { onDelete, previous: entryOf(previous?.loops, actionId), drifted: drift };
      const loopItems = await listToPutBack({ ...declared, ...memory }, context);
      if (loopItems !== undefined) {
        updates.push({ actionType, actionId, loopItems });
      }
    }
  }
  return mergeUpdates(updates, []);
}
