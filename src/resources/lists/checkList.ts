import { parsedUrl } from "../../service/parsedUrl";
import type { Problem } from "../../values/kinds";
import { shortened } from "../../values/kinds";
import { unknown } from "../../values/plain";
import type { CheckContext } from "../resource";
import type { FilePlaces } from "./allowedFile";
import { readAllowed } from "./allowedFile";
import type { Line } from "./lines";
import { digestOf, joinLines, linesOfFile, splitLines } from "./lines";

/** What `check` makes of a list. */
export interface CheckedList {
  /** The items as one string, with one item on each line. Absent if a file contains them. */
  joined?: string | typeof unknown;
  count: number | typeof unknown;
  sha256: string | typeof unknown;
  /** With `urls`: the distinct hosts, at most 20. */
  hosts: string[] | typeof unknown;
}

const allUnknown: CheckedList = { count: unknown, sha256: unknown, hosts: unknown };

/** A list among the arguments of a resource: given as it is, or as a file. */
export interface GivenList {
  /** The object with both. */
  args: object;
  /** Name of the argument with the list. */
  list: string;
  /** Name of the argument that names a file. */
  file: string;
  /** Path of the object with both, with a dot at the end; empty at the top. */
  at: string;
  /** `all`: each item must be an http or https URL. `some`: the items that begin like one are checked like these. */
  urls?: "all" | "some" | undefined;
}

/** What the check of a list needs. */
export type ListContext = FilePlaces & Pick<CheckContext, "problems" | "warn">;

function argOf(args: object | undefined, name: string): unknown {
  return (args as Record<string, unknown> | undefined)?.[name] ?? undefined;
}

/**
 * Checks and normalizes a list that is given directly or as a file. Adds a problem and returns undefined if the list is
 * not valid.
 * @param before the object with both, as it was checked last time
 */
export function checkList(given: GivenList, before: object | undefined, context: ListContext): CheckedList | undefined {
  const { problems } = context;
  const path = given.at + given.list;
  const list = argOf(given.args, given.list);
  const file = argOf(given.args, given.file);
  const either = `give either ${given.list} or ${given.file}`;
  if (list === undefined && file === undefined) {
    problems.push({ path, reason: `is missing: ${either}` });
    return undefined;
  }
  if (list !== undefined && file !== undefined) {
    problems.push({ path: `${path} and ${given.at}${given.file}`, reason: `are both given: ${either}` });
    return undefined;
  }
  if (file === unknown) {
    return allUnknown;
  }
  if (list === unknown || (Array.isArray(list) && list.includes(unknown))) {
    return { ...allUnknown, joined: unknown };
  }
  const [hostsBefore, sha256Before] = [argOf(before, "hosts"), argOf(before, "sha256")];
  if (file !== undefined) {
    return checkFile(String(file), { ...given, sha256Before }, hostsBefore, context);
  }
  const items = splitLines(list as string | string[]);
  const listBefore = argOf(before, given.list);
  const lines = items.map((text, line) => ({ line, text }));
  // With ignoreChanges, a list that was read from the service is used unchanged.
  const mayHaveReturns = list === listBefore;
  const checked = checkLines(
    lines,
    { path, pathOf: (line) => `${path}[${line}]`, ...given, mayHaveReturns, sha256Before },
    context,
  );
  return { joined: joinLines(items, listBefore), ...checked, hosts: someHosts(checked.hosts, hostsBefore) };
}

function checkFile(
  file: string,
  given: GivenList & Pick<LineRules, "sha256Before">,
  hostsBefore: unknown,
  context: ListContext,
): CheckedList | undefined {
  const { problems } = context;
  const path = given.at + given.file;
  const pathOf = (line: number): string => `${path} "${file}", line ${line}`;
  const { found, why = "has only blank lines" } = readAllowed(file, context, (full) =>
    checkLines(linesOfFile(full), { path, pathOf, ...given }, context),
  );
  if (found !== undefined && found.count > 0) {
    return { ...found, hosts: someHosts(found.hosts, hostsBefore) };
  }
  problems.push({ path, reason: `names "${file}", which ${why}` });
  return undefined;
}

interface LineRules {
  /** Path of the argument with the lines. */
  path: string;
  pathOf(line: number): string;
  urls?: GivenList["urls"];
  mayHaveReturns?: boolean;
  /** Of the list in the state. */
  sha256Before: unknown;
}

/** Counts and hashes the lines, adds the problems that they have, and warns once of what may not belong to a URL. */
function checkLines(
  lines: Iterable<Line>,
  { path, pathOf, urls, mayHaveReturns, sha256Before }: LineRules,
  { problems, warn }: ListContext,
): { count: number; sha256: string; hosts: Set<string> } {
  const hosts = new Set<string>();
  const found: Problem[] = [];
  const spaces: Problem[] = [];
  const doubts: string[] = [];
  let doubtful = 0;
  function* checked(): Generator<string> {
    for (const { line, text } of lines) {
      const isMeant = urls === "all" || (urls === "some" && /^\s*https?:/i.test(text));
      const url = isMeant ? parsedUrl(text.trim()) : undefined;
      const isUrl = url !== undefined && ["http:", "https:"].includes(url.protocol);
      const space = isMeant
        ? text
            .trimEnd()
            .slice(text.length - text.trimStart().length)
            .search(noPartOfUrl)
        : -1;
      // Line ends of old Macs. With them all lines would be one item, and a check of that item would see only the first
      // line.
      if (text.includes("\r") && !mayHaveReturns) {
        const reason = "has a carriage return inside a line; end each line with LF or CRLF";
        found.push({ path: pathOf(line), reason });
      } else if (urls === "all" && !isUrl) {
        found.push({ path: pathOf(line), reason: "is not an http or https URL" });
      } else if (space >= 0) {
        const column = text.length - text.trimStart().length + space + 1;
        const reason = `has white space inside a URL, in column ${column}: keep one URL on each line and nothing beside it`;
        spaces.push({ path: pathOf(line), reason });
      }
      if (isUrl) {
        hosts.add(url.host);
      }
      const doubt = isUrl || (urls === "some" && text.trimStart().startsWith("#")) ? doubtOf(text) : undefined;
      if (doubt !== undefined && ++doubtful <= mostDoubts) {
        doubts.push(`${pathOf(line)} has ${doubt}`);
      }
      yield text;
    }
  }
  const { count, sha256 } = digestOf(checked());
  const stored = sha256 === sha256Before;
  problems.push(...shortened([...found, ...spaces.map((each) => ({ ...each, stored }))], path));
  if (doubtful > 0) {
    const shown = doubts.slice(0, mostDoubts).join("; ");
    const more = doubtful > mostDoubts ? `; and ${doubtful - mostDoubts} more lines` : "";
    warn?.(`Lines that may be no URLs as they are: ${shown}${more}. They are sent unchanged.`);
  }
  return { count, sha256, hosts };
}

/** White space that ends a URL for programs, and NUL. Other white space can be a part of one, and is a doubt. */
const noPartOfUrl = /[ \t\v\f\0\u0085\u2028\u2029]/;

/** Lines that a warning names. */
const mostDoubts = 5;

/** What a URL rarely has, and a list that was made of another document often: a part of a sentence without any value. */
const doubtfulParts: readonly (readonly [RegExp, string])[] = [
  [/[\u00a0\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u2064\u3000\ufeff]/, "an invisible character"],
  [/&amp;/i, 'the text "&amp;", which is "&" in HTML'],
  [/["\u201c\u201d]/, "a quote that is not escaped"],
  [/\{[^{}]+\}/, "a variable in braces that nothing has replaced"],
  [/,\p{L}[^,/?&=#]*$/u, "a comma with a word at its end"],
  [/^\s*#/, "a comment"],
];

function doubtOf(text: string): string | undefined {
  return doubtfulParts.find(([part]) => part.test(text))?.[1];
}

const mostHosts = 20;

/**
 * The distinct hosts; at most 20, because people and policies read them. The hosts of `before` come first, in their
 * order: a diff compares lists by position, and so shows only the new host.
 */
function someHosts(hosts: ReadonlySet<string>, before: unknown): string[] {
  const known = Array.isArray(before) ? before.filter((host) => hosts.has(host)) : [];
  const others = [...hosts].filter((host) => !known.includes(host)).sort();
  return [...known, ...others].slice(0, mostHosts);
}
