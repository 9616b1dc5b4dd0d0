import { Argument, Option } from "commander";
import { projectFolder } from "../../../src/config/projectFolder";
import type { Entry, JournalPlace } from "../../../src/journal/journalPlace";
import { isMaking, isMark, keyOf, markOfMove, urnOfStack } from "../../../src/journal/journalPlace";
import { isPlaceholderId } from "../../../src/resources/task/lostResponse";
import { adoptingArgument, timeOf } from "../../../src/resources/task/requestJournal";
import { systemProcesses } from "../../../src/system/processes";
import { messageOf } from "../../../src/values/errors";
import { partsOfUrn } from "../../../src/values/urn";
import { counted } from "../../../src/values/words";
import type { CliCommand, CommandValues } from "../command";
import type { CommandContext } from "../commandContext";
import type { ConnectionFlags } from "../connection/connection";
import { connectionOf } from "../connection/connection";
import type { Found, OpenPlace } from "../connection/journalAt";
import {
  closeAll,
  entriesIn,
  journalAt,
  journalsOf,
  marksIn,
  nameOfEntry,
  pathOf,
  stackFilter,
  urnsOfStack,
  wordsOfMark,
} from "../connection/journalAt";
import { isOnePlace, otherPlace, placeArgument, whatToSet } from "../connection/otherPlace";
import { requireStack } from "../connection/pulumi";
import { begunResources } from "../connection/stackTasks";
import { CliError, usageError } from "../exitCodes";
import { yesOption } from "../options";
import { table } from "../output/table";

/**
 * What an entry needs. `running`: its process runs, and will end it. `nothing`: the next up takes its result over, or
 * looks for it. `person`: nobody but a person can find out whether the request took effect.
 */
type Need = "running" | "nothing" | "person";

interface Noted extends Found {
  /** For the command line: the beginning of its salt. */
  name: string;
  needs: Need;
  /** The id of its resource in the state. */
  stateId?: string;
}

const nothingChanged = "Nothing was changed.";

export const journalList: CliCommand = {
  name: "journal list",
  summary: "show the requests whose result no state has",
  details: "From a store, it reads the entries of resources that the stack has or has begun.",
  connects: true,
  examples: [{ line: "journal list", does: "shows the journal of the selected stack" }],
  run: async (values, cli) =>
    await withJournal(values, cli, async ({ places, problems: unread, marks, notes, sealed }) => {
      const problems = [...unread, ...marks.map(wordsOfMark)];
      const shown = places.filter((place, index) => index === 0 || notes.some(({ at }) => at === place));
      const inNeed = notes.filter(({ needs }) => needs === "person").length;
      return {
        json: {
          journal: places[0]?.address,
          entries: notes.map(({ name, entry, needs, stateId }) => {
            const { operation, what, time, urn, profile, origin, id, process } = entry;
            const sent = { time: timeOf(time), host: process.host, pid: process.pid };
            return { name, needs, operation, what, id, urn, profile, origin, ...sent, stateId: placeholderOf(stateId) };
          }),
          sealed,
          problems,
        },
        text: () =>
          [
            `Journal: ${shown.map(({ address }) => address).join(", and the earlier one ")}`,
            ...(notes.length > 0 ? [table(titles, notes.map(cellsOf), cli.terminal)] : []),
            ...(notes.length > 0 || unread.length > 0 ? [] : ["It has no entry."]),
            ...(inNeed > 0
              ? [
                  `\n${counted(inNeed, "request")} may have taken effect: look at the service, then run "webextract journal resolve".`,
                ]
              : []),
            ...ofOtherStacks(sealed),
            ...problems,
          ].join("\n"),
        hasProblems: problems.length > 0,
      };
    }),
};

const titles = ["entry", "what", "resource", "sent", "by", "needs"];
const needs: Record<Need, string> = {
  running: "nothing: it is running",
  nothing: "nothing: the next up looks and does the rest",
  person: "a person",
};

function cellsOf({ name, entry, needs: need, stateId }: Noted): string[] {
  const { what, id, urn, time, process } = entry;
  const isAsked = need === "nothing" && id !== undefined && placeholderOf(stateId) !== undefined;
  const wanted = isAsked ? `${adoptingArgument(entry)} set to "${id}"` : needs[need];
  const { name: resource } = partsOfUrn(urn);
  const made = id === undefined ? what : `${what}: ${id}`;
  return [name, made, resource, timeOf(time), `${process.host} (${process.pid})`, wanted];
}

export const journalResolve: CliCommand = {
  name: "journal resolve",
  summary: "say what became of a copy or a run whose response was lost, so that the next up can go on",
  details: "Look at the service first.",
  connects: true,
  arguments: [new Argument("<entry>", "the entry, as journal list names it")],
  options: [
    new Option("--made <id>", "the request took effect: the id of the copy, or the lotNo of the run").conflicts(
      "notMade",
    ),
    new Option("--not-made", "the request had no effect"),
    yesOption(),
  ],
  examples: [
    { line: "journal resolve 3f2a91c4 --made task-7", does: "the next up takes the copy over" },
    { line: "journal resolve 3f2a91c4 --not-made", does: "the next up sends the request" },
  ],
  async run(values, cli) {
    const { made, notMade, yes } = values.options as { made?: string; notMade?: boolean; yes?: boolean };
    if (made === undefined && notMade !== true) {
      throw usageError("Say what became of the request: --made ID, or --not-made.");
    }
    if (made?.trim() === "" || (made !== undefined && isPlaceholderId(made))) {
      throw usageError(`--made must be an id of the service, and not "${made}".`);
    }
    return await withJournal(values, cli, async ({ notes, sealed }) => {
      const noted = wanted(String(values.arguments[0]), notes, sealed);
      const { name, entry, stateId } = noted;
      const { place } = noted.at;
      const placeholder = placeholderOf(stateId);
      const { operation, what, id } = entry;
      requireEnded(noted);
      // What a person has said, a person can correct.
      if (isMaking(entry) && id !== undefined && entry.detail.isSaid !== true) {
        throw new CliError(
          `Entry ${name} has made "${id}", and the next "pulumi up" takes it over. ${nothingChanged} If that is wrong, delete ${place.path(entry)}.`,
          "usage",
        );
      }
      if (made !== undefined && !isMaking(entry)) {
        const why = `takes no id. It is no copy and no run, but an ${operation}`;
        throw new CliError(`Entry ${name} ${why}. ${nothingChanged}`, "usage");
      }
      if (made !== undefined && made === stateId) {
        throw new CliError(
          `The state has "${made}" already, so it is what an earlier request made. ${nothingChanged} Look for what came after it.`,
          "usage",
        );
      }
      const effect =
        made === undefined ? "remove this entry, so that the request can be sent again" : `note that it made "${made}"`;
      await cli.confirm(`${what}, sent at ${timeOf(entry.time)}: ${effect}?`, yes, nothingChanged);
      await requireUnchanged(noted);
      if (made === undefined) {
        place.remove(entry);
      } else {
        const problem = await place.writeProblem({ ...entry, id: made, detail: { ...entry.detail, isSaid: true } });
        if (problem !== undefined) throw new CliError(`${problem.what}. ${nothingChanged} ${problem.remedy}`);
      }
      const argument = made === undefined ? "retry to a new string" : `${adoptingArgument(entry)} to "${made}"`;
      const next =
        placeholder !== undefined
          ? `The state has the resource as "${placeholder}": set ${argument}, then run "pulumi up".`
          : made === undefined
            ? 'The next "pulumi up" can send the request.'
            : `The next "pulumi up" takes "${made}" over.`;
      return {
        json: { name, operation, what, id: made ?? id, removed: made === undefined, stateId: placeholder },
        text: () => `Entry ${name} (${what}) is ${made === undefined ? "removed" : `resolved`}. ${next}`,
      };
    });
  },
};

export const journalMove: CliCommand = {
  name: "journal move",
  summary: "move the entries of the stack to another folder or store",
  connects: true,
  arguments: [placeArgument()],
  options: [yesOption()],
  examples: [{ line: "journal move s3://team-state/webextract/prod", does: "gives the entries to several machines" }],
  run: async (values, cli) =>
    await withJournal(
      values,
      cli,
      async ({ places, problems: unread, openAt, notes: all, marks, stack, isOfStack, sealed }) => {
        const address = places[0]?.address ?? "";
        const to = otherPlace(String(values.arguments[0]), address);
        const target = openAt(to);
        const marked = marks.find(({ entry }) => !isOnePlace(String(entry.detail.to), to));
        if (marked !== undefined) throw new CliError(`${wordsOfMark(marked)} ${nothingChanged}`);
        const elsewhere = all.filter(({ at }) => !isOnePlace(at.address, to));
        const notes = elsewhere.filter(({ entry }) => isOfStack(entry));
        const ofOthers = elsewhere.filter(({ entry }) => !isOfStack(entry)).map(pathOf);
        const others = ofOtherStacks([...sealed, ...ofOthers]);
        try {
          await target.all();
          const problems = [...unread, ...target.problems, ...(notes.length === 0 ? others : [])];
          if (problems.length > 0) throw new CliError(`${problems.join("\n")}\n${nothingChanged}`);
          notes.forEach(requireEnded);
          const entries = `${notes.length} ${notes.length === 1 ? "entry" : "entries"}${stacksOf(notes)}`;
          await cli.confirm(`Move ${entries} from ${address} to ${to}?`, values.options.yes === true, nothingChanged);
          for (const noted of notes) await requireUnchanged(noted);
          const stacks = new Set([...notes.map(({ entry }) => entry.urn), ...stack].map(urnOfStack));
          for (const each of stacks) {
            const mark = markOfMove(each, to, systemProcesses().own);
            await target.latest(mark).then((there) => there && target.remove(there));
            const problem = await places[0]?.place.writeProblem(mark);
            if (problem !== undefined) throw new CliError(`${problem.what}. ${nothingChanged} ${problem.remedy}`);
          }
          for (const [moved, { entry, at }] of notes.entries()) {
            const problem = await copyTo(target, entry);
            if (problem !== undefined) {
              throw new CliError(`${problem} ${moved} of ${notes.length} were moved. Run the same command again.`);
            }
            at.place.remove(entry);
          }
          await closeAll(places);
          const now = await Promise.all(notes.map(({ entry, at }) => at.place.latest(entry)));
          const left = notes.filter((_noted, index) => now[index] !== undefined).map(pathOf);
          return {
            json: { from: address, to, moved: notes.map(({ name }) => name), left, sealed },
            text: () =>
              [
                `Moved ${entries} to ${to}. ${whatToSet("journal", address, to)}`,
                ...left.map((path) => `${path} could not be removed: remove it.`),
                ...others,
              ].join("\n"),
            hasProblems: left.length + others.length > 0,
          };
        } finally {
          await target.close?.();
        }
      },
    ),
};

/** The same entry again is replaced, and keeps an id. Returns why it could not be written. */
async function copyTo(target: JournalPlace, entry: Entry): Promise<string | undefined> {
  try {
    const there = await target.latest(entry);
    const problem = await target.writeProblem({ ...entry, id: entry.id ?? there?.id });
    return problem && `${problem.what}. ${problem.remedy}`;
  } catch (error) {
    return messageOf(error);
  }
}

/** The journal of a folder is often that of several programs. */
function stacksOf(notes: readonly Noted[]): string {
  const parts = notes.map(({ entry: { urn } }) => partsOfUrn(urn)).filter(({ stack }) => stack !== "");
  const names = new Set(parts.map(({ stack, project }) => `${stack} of ${project}`));
  return names.size === 0 ? "" : ` (${[...names].join(", ")})`;
}

function placeholderOf(stateId: string | undefined): string | undefined {
  return stateId !== undefined && isPlaceholderId(stateId) ? stateId : undefined;
}

function ofOtherStacks([path, ...more]: readonly string[]): string[] {
  const subject = more.length === 0 ? "is of another stack" : `and ${more.length} more are of other stacks`;
  const why = 'which --stack names, or of a killed command that saved nothing: then run "pulumi up" first.';
  return path === undefined ? [] : [`${path} ${subject}, ${why}`];
}

function requireEnded({ needs: need, name, entry: { process } }: Noted): void {
  if (need !== "running") return;
  const who = `The process of entry ${name} is running (${process.pid} on ${process.host}).`;
  throw new CliError(`${who} ${nothingChanged} Wait until it has ended.`);
}

async function requireUnchanged({ name, entry, at: { place } }: Noted): Promise<void> {
  const now = await place.latest(entry);
  if (now !== undefined && now.id === entry.id && !(await place.isRunning(now))) return;
  throw new CliError(
    `Another command has changed entry ${name} in the meantime. ${nothingChanged} Run "webextract journal list".`,
  );
}

/** @throws CliError */
function wanted(given: string, notes: readonly Noted[], sealed: readonly string[]): Noted {
  const found = notes.find(({ name, entry }) => name === given || entry.salt === given);
  if (found !== undefined) return found;
  const known =
    notes.length === 0 ? "It has none that can be read" : `It has ${notes.map(({ name }) => name).join(", ")}`;
  const more =
    sealed.length === 0 ? "" : ` Of ${sealed.length} more, this stack has no resource: name their stack with --stack.`;
  throw new CliError(`The journal has no entry "${given}". ${known}.${more} ${nothingChanged}`, "usage");
}

interface OpenJournal {
  /** The journal, and after it the earlier one that an up reads too. */
  places: OpenPlace[];
  openAt(address: string): JournalPlace;
  notes: Noted[];
  /** What an earlier move of the stack's entries has left. */
  marks: Found[];
  /** The URN of the stack that the command names; none if nothing tells its project. */
  stack: string[];
  /** Whether it is of the stack that the command names; true without one. */
  isOfStack: ReturnType<typeof stackFilter>;
  /** The paths of entries that no resource of the stack can open. */
  sealed: string[];
  problems: string[];
}

async function withJournal<T>(
  { options }: CommandValues,
  cli: CommandContext,
  work: (opened: OpenJournal) => Promise<T>,
): Promise<T> {
  const given = options as ConnectionFlags;
  // Nothing is sent to the service, so the stack counts also where the environment names a service.
  const flags = projectFolder() === undefined ? given : { ...given, stack: await requireStack(given.stack, cli) };
  const { config } = await connectionOf(flags, cli.interrupted);
  if (config.journal === undefined) {
    throw usageError(config.noJournal ?? "The journal is switched off.");
  }
  const places = journalsOf(config, cli);
  const resources = flags.stack === undefined ? [] : await begunResources(flags.stack, cli.interrupted);
  const stack = urnsOfStack(flags.stack, resources);
  const entries = await entriesIn(places, [...resources, ...stack.map((urn) => ({ urn }))]);
  // What a killed command had begun can have failed in another one since: then the state has the resource.
  const ids = new Map([...resources].reverse().map(({ urn, id }) => [keyOf(urn), id]));
  try {
    const notes = await Promise.all(
      entries
        .filter(({ entry }) => !isMark(entry))
        .map(async ({ entry, at }): Promise<Noted> => {
          const needsPerson = isMaking(entry) && entry.id === undefined;
          return {
            ...{ entry, at, name: nameOfEntry(entry) },
            needs: (await at.place.isRunning(entry)) ? "running" : needsPerson ? "person" : "nothing",
            stateId: ids.get(keyOf(entry.urn)),
          };
        }),
    );
    return await work({
      ...{ places, notes, stack },
      marks: marksIn(entries, places, stack),
      openAt: (address) => journalAt(address, config, cli),
      isOfStack: stackFilter(flags.stack, resources),
      sealed: places.flatMap(({ place }) => place.sealedPaths?.() ?? []),
      problems: places.flatMap(({ place }) => place.problems),
    });
  } finally {
    await closeAll(places);
  }
}
