import { CredentialStore } from "./credentials";
import { createStateFile } from "./disk/newStateFile";
import type { StateFile } from "./disk/stateFile";
import { loadState } from "./disk/stateFile";
import type { StateExtras } from "./document/stateDocument";
import type { Plan, Seed } from "./seed";
import { checkSeed, defaultSeed } from "./seed";
import { Store } from "./store";

/** What an emulator holds at its start. */
export interface InitialState {
  store: Store;
  credentials: CredentialStore;
  plan: Plan;
  /** Absent: the state is in memory only. */
  stateFile?: StateFile;
}

/**
 * Reads the state file. Without a file, the state is that of the seed.
 * @throws Error if the file or the seed is not valid.
 */
export function initialState(
  { stateFile: name, seed }: { stateFile?: string | undefined; seed?: Seed | undefined },
  log: (line: string) => void,
): InitialState {
  if (name === undefined) return ofSeed(seed);
  const store = new Store();
  let loaded = loadState(name, store, log);
  if (loaded === undefined) {
    const initial = ofSeed(seed);
    createStateFile(name, initial.store, extrasOf(initial));
    loaded = loadState(name, store, log);
  }
  if (loaded === undefined) throw new Error(`the state file ${name} disappeared while the emulator started`);
  const { extras, stateFile } = loaded;
  return { store, credentials: new CredentialStore(extras.credentials), plan: extras.plan, stateFile };
}

/** The content of the state that is not in the store. */
export function extrasOf({ plan, credentials }: Pick<InitialState, "plan" | "credentials">): StateExtras {
  return { plan, credentials: credentials.toJSON() };
}

/** The state of a seed. @throws Refusal that lists its problems. */
export function ofSeed(given: Seed | undefined): InitialState {
  const seed = given === undefined ? defaultSeed() : checkSeed(given);
  const store = new Store();
  sow(seed, store);
  return { store, credentials: new CredentialStore(undefined, seed.credentials), plan: seed.plan ?? "enterprise" };
}

/** Fills a store with the content of a seed. */
export function sow(seed: Seed, store: Store): void {
  for (const group of seed.taskGroups) store.addGroup(group.taskGroupId, group.name);
  for (const task of seed.tasks) store.addTask(task);
}
