import type { ArgSpecs } from "../args";
import { claimKey } from "../ownership";
import type { Context, Created, DriftState, PendingState, Read } from "../resource";
import type { ActionShown } from "../task/taskPresence";
import { lookUpTask } from "../task/taskPresence";
import { pendingWithAppend, writeTask } from "../task/taskWrite";
import { itemsToSend } from "./loop";
import type { LeavingState } from "./parameterActions";
import { actionsOf, settingsOfActions } from "./parameterActions";
import type { RestoreArgs } from "./restore";
import { noteOfDrift, remember, settingsToRestore } from "./restore";
import type { Sending } from "./sendParameters";
import type { Setting, Write } from "./setting";
import { byKey, changedProperties, drifts, inEffect, merge, typesOf, without } from "./setting";
import { lookBefore } from "./unknownProperties";

export interface SettingsArgs extends RestoreArgs {
  taskId: string;
}

export interface SettingsState extends SettingsArgs, PendingState, DriftState, LeavingState {
  previous?: unknown;
  updatedParameters?: Record<string, unknown>;
}

/** How a resource keeps its settings in its arguments and its state. */
export interface SettingsForm<Checked extends SettingsArgs, State extends SettingsState> {
  /** The description of its arguments. */
  args: ArgSpecs;
  /** The declared settings. */
  settings(args: Checked | State): Setting[];
  /** The settings before the first write. */
  remembered(state: State): Setting[];
  /** The form in which the state keeps them. */
  previous(remembered: readonly Setting[]): State["previous"];
  /** The state with these settings in place of its own. */
  withDrift(state: State, drift: readonly Setting[]): State;
  /**
   * Sends all, in one request if possible, and calls `took` after each that took effect. Returns the outputs that the
   * service sets.
   */
  send(sending: Sending, context: Context, took: () => void): Promise<Partial<State> | undefined>;
}

/** The steps that all resources of settings share. */
export function settingsLife<Checked extends SettingsArgs, State extends SettingsState & Checked>(
  form: SettingsForm<Checked, State>,
) {
  const restoreState = (state: State) => ({ ...state, remembered: form.remembered(state) });
  const everDeclared = (state: State): Setting[] => merge(settingsOfActions(state.leaving), form.settings(state));

  async function applySettings(args: Checked, state: State | undefined, context: Context): Promise<State> {
    const { taskId } = args;
    const isRestored = args.onDelete === "restore";
    const ofState = (read: (known: State) => Setting[]): Setting[] => (state === undefined ? [] : read(state));
    const now = form.settings(args);
    const before = ofState(form.settings);
    const gone = without(ofState(everDeclared), now);
    const back = state === undefined ? [] : await settingsToRestore(restoreState(state), gone, context);
    const fresh = without(now, before);
    // Almost always, some settings of a copy that this run has made change.
    const isCompared = isRestored || (state === undefined && context.tasks.templateOf(taskId) === undefined);
    const shown = await lookBefore(taskId, fresh, isCompared, context);
    // A setting that left the declaration is forgotten: when it is declared again, the service can have another value.
    const known = without(ofState(form.remembered), gone);
    const remembered = isRestored
      ? remember(taskId, { fresh: without(fresh, known), known, shown }, context)
      : undefined;
    const previous = remembered && form.previous(remembered);
    const writes = await writesFor({ taskId, before, now, shown, pending: state?.pending }, context);
    // The compiler does not see that these are all fields of the state.
    const next = { ...args, previous, updatedParameters: state?.updatedParameters } as unknown as State;
    if (writes.length + back.length === 0) {
      return next;
    }
    // An update is at the address of the state.
    if (state === undefined) await context.client.requirePath(taskId);
    const send = (took: () => void) => form.send({ taskId, writes: [...writes, ...back], shown }, context, took);
    const append = appends(writes) ? form.args : undefined;
    const kept = state === undefined || back.length === 0 ? next : withRestore(next, state, gone, back);
    return { ...next, ...(await writeTask({ state: next, kept, append }, send, context)) };
  }

  /** The state to keep if the response is lost: it still has what the next update needs for the restore. */
  function withRestore(next: State, state: State, gone: readonly Setting[], back: readonly Write[]): State {
    const keys = byKey(back);
    const isLeaving = (setting: Setting): boolean => keys.has(claimKey(setting));
    const previous = form.previous([...form.remembered(next), ...form.remembered(state).filter(isLeaving)]);
    return { ...next, onDelete: "restore", previous, leaving: actionsOf(gone.filter(isLeaving)) };
  }

  return {
    async create(args: Checked, context: Context): Promise<Created<State>> {
      const create = () => applySettings(args, undefined, context);
      return { id: args.taskId, state: await context.tasks.exclusive(args.taskId, create) };
    },

    async read(_id: string, state: State, context: Context): Promise<Read<State>> {
      const settings = form.settings(state);
      const presence = await lookUpTask(state.taskId, typesOf(settings), context);
      if (presence.is !== "there") {
        return presence.is === "gone" ? { found: false } : { found: true, state };
      }
      const drift = drifts(settings, presence.actions);
      return { found: true, state: { ...form.withDrift(state, drift), ...noteOfDrift(state, drift) } };
    },

    update(_id: string, state: State, args: Checked, context: Context): Promise<State> {
      return context.tasks.exclusive(args.taskId, () => applySettings(args, state, context));
    },

    delete(_id: string, state: State, context: Context): Promise<void> {
      const { taskId } = state;
      return context.tasks.exclusive(taskId, async () => {
        const back = await settingsToRestore(restoreState(state), everDeclared(state), context);
        if (back.length > 0) {
          await form.send({ taskId, writes: back }, context, () => undefined);
        }
      });
    },
  };
}

interface SettingsStep {
  taskId: string;
  /** The settings of the last write, and those to bring about. */
  before: readonly Setting[];
  now: readonly Setting[];
  /** The actions as the service shows them. Empty if they were not read. */
  shown: readonly ActionShown[];
  pending: readonly string[] | undefined;
}

/** What to write so that the service agrees with `now`: nothing that it shows already. */
export async function writesFor(step: SettingsStep, context: Context): Promise<Write[]> {
  const { taskId, now, shown } = step;
  const equal = inEffect(without(now, step.before), shown);
  const loops = now.filter((setting) => setting.part === "loop");
  const isAppending = loops.some(({ value }) => value.mode === "append");
  const pending = isAppending ? await pendingWithAppend(step.pending ?? [], context) : (step.pending ?? []);
  const isPending = pending.length > 0;
  const before = merge(step.before, equal);
  const writes: Write[] = changedProperties(isPending ? [] : before, now);
  const earlier = byKey(before);
  for (const loop of loops) {
    const { loopType, mode } = loop.value;
    const old = earlier.get(claimKey(loop));
    const step = { taskId, now: loop, before: old?.part === "loop" ? old.value : undefined, isPending };
    const loopItems = await itemsToSend(step, context);
    if (loopItems.length > 0) {
      writes.push({ ...loop, value: { loopType, loopItems: [...loopItems], isAppend: mode === "append" } });
    }
  }
  return without(writes, equal);
}

/** Whether any of the writes appends, so that it must not be sent twice. */
export function appends(writes: readonly Write[]): boolean {
  return writes.some((write) => write.part === "loop" && write.value.isAppend);
}
