import { parsedUrl } from "../../service/parsedUrl";
import type { Problem } from "../args";
import { shortened } from "../args";
import type { CheckContext } from "../resource";
import { unknown } from "../values";
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
  /** Each item must be an http or https URL. */
  urls?: boolean;
}

/** What the check of a list needs. */
export type ListContext = FilePlaces & Pick<CheckContext, "problems">;

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
  const hostsBefore = argOf(before, "hosts");
  if (file !== undefined) {
    return checkFile(String(file), given, hostsBefore, context);
  }
  const items = splitLines(list as string | string[]);
  const listBefore = argOf(before, given.list);
  const lines = items.map((text, line) => ({ line, text }));
  // With ignoreChanges, a list that was read from the service is used unchanged.
  const mayHaveReturns = list === listBefore;
  const checked = checkLines(lines, { path, pathOf: (line) => `${path}[${line}]`, ...given, mayHaveReturns }, problems);
  return { joined: joinLines(items, listBefore), ...checked, hosts: someHosts(checked.hosts, hostsBefore) };
}

function checkFile(
  file: string,
  given: GivenList,
  hostsBefore: unknown,
  context: ListContext,
): CheckedList | undefined {
  const { problems } = context;
  const path = given.at + given.file;
  const pathOf = (line: number): string => `${path} "${file}", line ${line}`;
  const { found, why = "has only blank lines" } = readAllowed(file, context, (full) =>
    checkLines(linesOfFile(full), { path, pathOf, ...given }, problems),
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
  urls?: boolean;
  mayHaveReturns?: boolean;
}

/** Counts and hashes the lines, and adds the problems that they have. */
function checkLines(
  lines: Iterable<Line>,
  { path, pathOf, urls, mayHaveReturns }: LineRules,
  problems: Problem[],
): { count: number; sha256: string; hosts: Set<string> } {
  const hosts = new Set<string>();
  const found: Problem[] = [];
  function* checked(): Generator<string> {
    for (const { line, text } of lines) {
      const url = urls ? parsedUrl(text.trim()) : undefined;
      // Line ends of old Macs. With them all lines would be one item, and a check of that item would see only the first
      // line.
      if (text.includes("\r") && !mayHaveReturns) {
        const reason = "has a carriage return inside a line; end each line with LF or CRLF";
        found.push({ path: pathOf(line), reason });
      } else if (urls && (url === undefined || !["http:", "https:"].includes(url.protocol))) {
        found.push({ path: pathOf(line), reason: "is not an http or https URL" });
      } else if (url !== undefined) {
        hosts.add(url.host);
      }
      yield text;
    }
  }
  const { count, sha256 } = digestOf(checked());
  problems.push(...shortened(found, path));
  return { count, sha256, hosts };
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
