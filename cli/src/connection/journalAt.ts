import type { ProviderConfig } from "../../../src/config/config";
import type { Entry, JournalPlace } from "../../../src/journal/journalPlace";
import { openJournal } from "../../../src/journal/openJournal";
import { systemProcesses } from "../../../src/system/processes";
import { partsOfUrn } from "../../../src/values/urn";
import type { CommandContext } from "../commandContext";
import { CliError } from "../exitCodes";
import { begunResources } from "./stackTasks";

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

/** All entries that can be read without a resource, or with these. The latest first. */
export async function entriesIn(
  place: JournalPlace,
  resources: readonly { urn: string; id?: string }[],
): Promise<Entry[]> {
  const entries = await place.all();
  const opened = new Set<string>();
  for (const { urn, id = "" } of resources) {
    for (const name of place.concerned?.(urn, id) ?? []) {
      if (!opened.has(name)) entries.push(...((await place.open?.(name, urn, id)) ?? []));
      opened.add(name);
    }
  }
  return entries.sort((one, other) => other.time - one.time);
}

/** Whether an entry is of a stack of which these are some resources. Without a stack, each is. */
export function stackFilter(stack: string | undefined, [resource]: readonly { urn: string }[]) {
  const name = stack?.split("/").at(-1);
  const own = resource && partsOfUrn(resource.urn).project;
  return ({ urn }: Entry): boolean => {
    const { stack: of, project } = partsOfUrn(urn);
    return name === undefined || (of === name && (own === undefined || project === own));
  };
}

/** Whether a journal has entries of the stack, or any without a stack. */
export async function hasEntries(
  place: JournalPlace,
  stack: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const resources = stack === undefined ? [] : await begunResources(stack, signal);
    return (await entriesIn(place, resources)).some(stackFilter(stack, resources));
  } finally {
    await place.close?.();
  }
}

/** The entry of a start of this task whose response was lost, as `journal list` names it. */
export async function lostStartIn(place: JournalPlace, taskId: string, isOfService: (origin: string) => boolean) {
  try {
    const entries = await entriesIn(place, [{ urn: "", id: taskId }]);
    // What cannot be read can name such a start.
    if (place.problems.length > 0) throw new CliError(`${place.problems.join("\n")} No run was started.`);
    return entries.find(
      ({ operation, id, detail, origin }) =>
        operation === "startTask" && id === undefined && detail.taskId === taskId && isOfService(origin),
    );
  } finally {
    await place.close?.();
  }
}
