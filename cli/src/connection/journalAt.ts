import type { ProviderConfig } from "../../../src/config/config";
import type { Entry, JournalPlace } from "../../../src/journal/journalPlace";
import { openJournal } from "../../../src/journal/openJournal";
import { systemProcesses } from "../../../src/system/processes";
import type { CommandContext } from "../commandContext";

/** The journal in a folder or a store. */
export function journalAt(
  journal: string,
  config: ProviderConfig,
  { terminal, interrupted }: CommandContext,
): JournalPlace {
  const warnOnce = (message: string): void => terminal.warn(message);
  const user = { folder: process.cwd(), processes: systemProcesses(), interrupted, warnOnce };
  return openJournal({ ...config, journal }, user);
}

/** The name of an entry for the command line. */
export function nameOfEntry({ salt }: Entry): string {
  return salt.slice(0, 8);
}

/** Whether it has entries, of any stack. */
export async function hasEntries(place: JournalPlace): Promise<boolean> {
  try {
    return [...(await place.all()), ...(place.sealedPaths?.() ?? [])].length > 0;
  } finally {
    await place.close?.();
  }
}

/** The entry of a start of this task whose response was lost, as `journal list` names it. */
export async function lostStartIn(place: JournalPlace, taskId: string, isOfService: (origin: string) => boolean) {
  try {
    const entries = await place.all();
    for (const name of place.concerned?.("", taskId) ?? []) {
      entries.push(...((await place.open?.(name, "", taskId)) ?? []));
    }
    return entries.find(
      ({ operation, id, detail, origin }) =>
        operation === "startTask" && id === undefined && detail.taskId === taskId && isOfService(origin),
    );
  } finally {
    await place.close?.();
  }
}
