import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { ProviderConfig } from "../../../src/config/config";
import { projectFiles, projectFolder } from "../../../src/config/projectFolder";
import type { Entry, JournalPlace } from "../../../src/journal/journalPlace";
import { isMark, movedWords, urnOfStack } from "../../../src/journal/journalPlace";
import { openJournal } from "../../../src/journal/openJournal";
import { systemProcesses } from "../../../src/system/processes";
import { isRecord } from "../../../src/values/plain";
import { partsOfUrn } from "../../../src/values/urn";
import type { CommandContext } from "../commandContext";
import { CliError } from "../exitCodes";

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

/** A journal that a stack reads. */
export interface OpenPlace {
  address: string;
  place: JournalPlace;
}

/** An entry, and where it is. */
export interface Found {
  entry: Entry;
  at: OpenPlace;
}

/** The journal of a configuration, and after it the earlier one that an up reads too. */
export function journalsOf(config: ProviderConfig, cli: CommandContext): OpenPlace[] {
  const addresses = [config.journal, config.formerJournal].filter((address) => address !== undefined);
  return addresses.map((address) => ({ address, place: journalAt(address, config, cli) }));
}

/** The name of an entry for the command line. */
export function nameOfEntry({ salt }: Entry): string {
  return salt.slice(0, 8);
}

/** All entries that can be read without a resource, or with these. The latest first. */
export async function entriesIn(
  places: readonly OpenPlace[],
  resources: readonly { urn: string; id?: string }[],
): Promise<Found[]> {
  const found: Found[] = [];
  for (const at of places) {
    const { place } = at;
    const isNew = ({ salt }: Entry): boolean => found.every(({ entry }) => entry.salt !== salt);
    const note = (entries: readonly Entry[] = []) =>
      found.push(...entries.filter(isNew).map((entry) => ({ entry, at })));
    note(await place.all());
    for (const { urn, id = "" } of resources) {
      for (const name of place.concerned?.(urn, id) ?? []) note(await place.open?.(name, urn, id));
    }
  }
  return found.sort((one, other) => other.entry.time - one.entry.time);
}

export function pathOf({ entry, at }: Found): string {
  return at.place.path(entry);
}

export async function closeAll(places: readonly OpenPlace[]): Promise<void> {
  for (const { place } of places) await place.close?.();
}

/** The name of the project of this folder; undefined if there is none, or its file does not say it. */
function projectName(folder = projectFolder()): string | undefined {
  const file = projectFiles.map((name) => join(folder ?? "", name)).find((each) => existsSync(each));
  const content: unknown = folder === undefined || file === undefined ? undefined : parse(readFileSync(file, "utf8"));
  return isRecord(content) && typeof content.name === "string" ? content.name : undefined;
}

/** The URN of a stack. None if neither a resource of it nor the file of the project tells the project. */
export function urnsOfStack(stack: string | undefined, [resource]: readonly { urn: string }[] = []): string[] {
  const project = resource === undefined ? projectName() : partsOfUrn(resource.urn).project;
  const name = stack?.split("/").at(-1);
  return name === undefined || project === undefined ? [] : [urnOfStack(`urn:pulumi:${name}::${project}`)];
}

/** What an earlier move of a stack's entries has left in the journal, which is the first place. */
export function marksIn(found: readonly Found[], [first]: readonly OpenPlace[], stacks: readonly string[]): Found[] {
  return found.filter(({ entry, at }) => at === first && isMark(entry) && stacks.includes(entry.urn));
}

/** Where the entries are now, as a sentence. */
export function wordsOfMark(mark: Found): string {
  return movedWords(mark.entry, pathOf(mark));
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

/** Whether a journal has an entry that counts, or one that cannot be read. */
export async function hasEntries(place: JournalPlace, counts: (entry: Entry) => boolean): Promise<boolean> {
  try {
    const entries = await place.all();
    const unread = [...(place.sealedPaths?.() ?? []), ...place.problems];
    return unread.length > 0 || entries.some((entry) => !isMark(entry) && counts(entry));
  } finally {
    await place.close?.();
  }
}

/** The entry of a start of this task whose response was lost, as `journal list` names it. */
export async function lostStartIn(
  places: readonly OpenPlace[],
  taskId: string,
  isOfService: (origin: string) => boolean,
  stack: string | undefined,
): Promise<Entry | undefined> {
  try {
    const stacks = urnsOfStack(stack);
    const found = await entriesIn(places, [{ urn: "", id: taskId }, ...stacks.map((urn) => ({ urn }))]);
    const [mark] = marksIn(found, places, stacks);
    if (mark !== undefined) throw new CliError(`${wordsOfMark(mark)} No run was started.`);
    // What cannot be read can name such a start.
    const problems = places[0]?.place.problems ?? [];
    if (problems.length > 0) throw new CliError(`${problems.join("\n")} No run was started.`);
    return found.find(
      ({ entry: { operation, id, detail, origin } }) =>
        operation === "startTask" && id === undefined && detail.taskId === taskId && isOfService(origin),
    )?.entry;
  } finally {
    await closeAll(places);
  }
}
