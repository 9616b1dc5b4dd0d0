import type { ServiceClient } from "../../service/client";
import type { ArgSpecs } from "../args";
import { keyOf } from "../ownership";
import type { Context, Created, DriftState, PendingState, Read } from "../resource";
import { lookUpTask } from "../task/taskPresence";
import { pendingWithAppend, writeTask } from "../task/taskWrite";
import { itemsToSend } from "./loop";
import type { RestoreArgs } from "./restore";
import { actionsBefore, noteOfDrift, remember, settingsToRestore, stillToRestore } from "./restore";
import type { Setting, Write } from "./setting";
import { byKey, changedProperties, drifts, inEffect, merge, typesOf, without } from "./setting";

export interface SettingsArgs extends RestoreArgs {
  taskId: string;
}

export interface SettingsState extends SettingsArgs, PendingState, DriftState {
  previous?: unknown;
}

/** How a resource keeps its settings in its arguments and its state. */
export interface SettingsForm<Checked extends SettingsArgs, State extends SettingsState> {
  /** The description of its arguments. */
  args: ArgSpecs;
  /** Path of the loop of an action among the arguments, with a dot at the end; empty for a loop at the top. */
  loopPath(actionId: string): string;
  /** The declared settings. */
  settings(args: Checked | State): Setting[];
  /** The settings that left the declaration and are possibly not restored yet. */
  leaving(state: State): Setting[];
  /** The settings before the first write. */
  remembered(state: State): Setting[];
  /** The form in which the state keeps them. */
  previous(remembered: readonly Setting[]): State["previous"];
  /** The state with these settings in place of its own. */
  withDrift(state: State, drift: readonly Setting[]): State;
  /** The state after a write. `leaving` is given for the state after a lost response. `before` is absent at the first write. */
  state(args: Checked, kept: { previous: State["previous"]; leaving?: readonly Setting[] }, before?: State): State;
  /** Sends all in one request. Returns the outputs that the service sets. */
  send(taskId: string, writes: readonly Write[], client: ServiceClient): Promise<Partial<State> | undefined>;
}

/** The steps that all resources of settings share. */
export function settingsLife<Checked extends SettingsArgs, State extends SettingsState>(
  form: SettingsForm<Checked, State>,
) {
  const everDeclared = (state: State): Setting[] => merge(form.leaving(state), form.settings(state));
  const restoreState = (state: State) => ({ ...state, remembered: form.remembered(state) });

  async function applySettings(args: Checked, state: State | undefined, context: Context): Promise<State> {
    const { taskId } = args;
    const isRestored = args.onDelete === "restore";
    const now = form.settings(args);
    const before = state === undefined ? [] : form.settings(state);
    const known = state === undefined ? [] : form.remembered(state);
    const gone = state === undefined ? [] : without(everDeclared(state), now);
    const back = state === undefined ? [] : await settingsToRestore(restoreState(state), gone, context);
    const fresh = without(now, before);
    // A copy that this run has made has the settings of the template, and almost always some of them change.
    const isRead = fresh.length > 0 && (isRestored || (state === undefined && !context.isNewCopy(taskId)));
    const actions = isRead ? await actionsBefore(taskId, fresh, context) : [];
    // A setting that left the declaration is forgotten: when it is declared again, the service can have another value.
    const remembered = isRestored
      ? remember(taskId, { fresh, known: without(known, gone), actions }, context)
      : undefined;
    const equal = state === undefined ? inEffect(fresh, actions) : [];
    const step = { taskId, before: merge(before, equal), now, pending: state?.pending };
    const writes = without(await writesFor(step, form.loopPath, context), equal);
    const next = form.state(args, { previous: remembered && form.previous(remembered) }, state);
    if (writes.length + back.length === 0) {
      return next;
    }
    // If the response is lost, the next update restores what this one has possibly not restored.
    const keptPrevious = remembered && form.previous(merge(known, remembered));
    const kept = back.length > 0 ? form.state(args, { previous: keptPrevious, leaving: gone }, state) : next;
    let outputs: Partial<State> | undefined;
    const send = async (): Promise<void> => {
      const all = [...writes, ...stillToRestore(taskId, back, context)];
      outputs = all.length === 0 ? undefined : await form.send(taskId, all, context.client);
    };
    await writeTask({ state: next, kept, append: appends(writes) ? form.args : undefined }, send, context);
    return { ...next, ...outputs };
  }

  return {
    async create(args: Checked, context: Context): Promise<Created<State>> {
      return { id: args.taskId, state: await applySettings(args, undefined, context) };
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
      return applySettings(args, state, context);
    },

    /** Waits for the writes of other resources only if there is something to restore. */
    async delete(_id: string, state: State, context: Context): Promise<void> {
      const { taskId } = state;
      const back = await settingsToRestore(restoreState(state), everDeclared(state), context);
      if (back.length > 0) {
        await context.exclusive(taskId, async () => {
          const writes = stillToRestore(taskId, back, context);
          if (writes.length > 0) {
            await form.send(taskId, writes, context.client);
          }
        });
      }
    },
  };
}

/** What to write so that the service agrees with `now`. */
export async function writesFor(
  step: { taskId: string; before: readonly Setting[]; now: readonly Setting[]; pending?: readonly string[] },
  loopPath: (actionId: string) => string,
  context: Context,
): Promise<Write[]> {
  const { taskId, before, now } = step;
  const loops = now.filter((setting) => setting.part === "loop");
  const isAppending = loops.some(({ value }) => value.mode === "append");
  const pending = isAppending ? await pendingWithAppend(step.pending ?? [], context) : (step.pending ?? []);
  const isPending = pending.length > 0;
  const writes: Write[] = changedProperties(isPending ? [] : before, now);
  const earlier = byKey(before);
  for (const loop of loops) {
    const { actionId, value } = loop;
    const old = earlier.get(keyOf(loop));
    const oldLoop = old?.part === "loop" ? old.value : undefined;
    const loopStep = { taskId, now: loop, before: oldLoop, isPending, at: loopPath(actionId) };
    const loopItems = await itemsToSend(loopStep, context);
    if (loopItems.length > 0) {
      const { loopType, mode } = value;
      writes.push({ ...loop, value: { loopType, loopItems: [...loopItems], isAppend: mode === "append" } });
    }
  }
  if (loops.length > 0 && !appends(writes)) {
    await context.journal?.forget("append");
  }
  return writes;
}

/** Whether any of the writes appends, so that it must not be sent twice. */
export function appends(writes: readonly Write[]): boolean {
  return writes.some((write) => write.part === "loop" && write.value.isAppend);
}
