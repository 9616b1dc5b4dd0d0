import { resolve } from "node:path";
import { parsedUrl } from "../../service/parsedUrl";
import type { Problem } from "../args";
import { shortened } from "../args";
import type { CheckContext } from "../resource";
import { unknown } from "../values";
import type { FilePlaces } from "./allowedFile";
import { whyNotAllowed } from "./allowedFile";
import { DigestOfLines, joinLines, linesOfFile, NotUtf8, splitLines } from "./lines";

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

export interface ListNames {
  /** Name of the argument with the list. */
  list: string;
  /** Name of the argument that names a file. */
  file: string;
  /** Path of the object with both, with a dot at the end; empty at the top. */
  at: string;
  /** The object with both, as it was checked last time. */
  before: Readonly<Record<string, unknown>> | undefined;
  /** Each item must be an http or https URL. */
  urls?: boolean;
}

/** Whether the list is given either directly or as a file. Adds a problem if none or both are given. */
export function isGivenOnce(
  args: object,
  { list, file, at }: Pick<ListNames, "list" | "file" | "at">,
  problems: Problem[],
): boolean {
  const [hasList, hasFile] = [list, file].map(
    (name) => ((args as Record<string, unknown>)[name] ?? undefined) !== undefined,
  );
  if (hasList !== hasFile) {
    return true;
  }
  const reason = hasList ? "are both given" : "is missing";
  const path = hasList ? `${at}${list} and ${at}${file}` : `${at}${list}`;
  problems.push({ path, reason: `${reason}: give either ${list} or ${file}` });
  return false;
}

/** What the check of a list needs. */
export type ListContext = FilePlaces & Pick<CheckContext, "problems">;

/** A list among the arguments of a resource: given as it is, or as a file. */
export interface GivenList {
  args: Readonly<Record<string, unknown>>;
  names: Omit<ListNames, "before">;
}

/** Checks and normalizes a list that is given directly or as a file. Adds a problem and returns undefined if the list is not valid. */
export function checkList(
  args: Readonly<Record<string, unknown>>,
  names: ListNames,
  context: ListContext,
): CheckedList | undefined {
  const list = args[names.list] ?? undefined;
  const file = args[names.file] ?? undefined;
  if (!isGivenOnce(args, names, context.problems)) {
    return undefined;
  }
  if (file !== undefined) {
    return file === unknown ? allUnknown : checkFile(String(file), names, context);
  }
  if (list === unknown || (Array.isArray(list) && list.includes(unknown))) {
    return { ...allUnknown, joined: unknown };
  }
  return checkItems(list as string | string[], names, context);
}

function checkItems(list: string | string[], names: ListNames, { problems }: ListContext): CheckedList | undefined {
  const path = names.at + names.list;
  const before = names.before?.[names.list];
  // With ignoreChanges, a list that was read from the service is used unchanged.
  if (typeof list === "string" && list !== before) {
    const line = list.split(/\r?\n/).findIndex((each) => each.trim() !== "" && each.includes("\r"));
    if (line >= 0) {
      const reason = `${loneReturn}; end each line with LF or CRLF`;
      problems.push({ path: `${path}, line ${line + 1}`, reason });
      return undefined;
    }
  }
  const items = splitLines(list);
  const urls = new UrlCheck((index) => `${path}[${index}]`);
  if (names.urls) {
    items.forEach((item, index) => {
      urls.check(item, index);
    });
    problems.push(...shortened(urls.problems, path));
  }
  const digest = new DigestOfLines();
  digest.add(items);
  const { count, sha256 } = digest.soFar();
  return { joined: joinLines(items, before), count, sha256, hosts: urls.someHosts(names.before?.hosts) };
}

/** Line ends of old Macs. With them all lines would be one item, and a check of that item would see only the first line. */
const loneReturn = "has a carriage return inside a line";

function checkFile(file: string, names: ListNames, context: ListContext): CheckedList | undefined {
  const { folder, problems } = context;
  const path = names.at + names.file;
  const full = resolve(folder, file);
  const refuse = (reason: string): undefined => {
    problems.push({ path, reason: `${reason} (looked for "${full}", relative to the program's folder)` });
  };
  const digest = new DigestOfLines();
  const pathOf = (line: number): string => `${path} "${file}", line ${line}`;
  const urls = new UrlCheck(pathOf);
  const returns: Problem[] = [];
  try {
    const why = whyNotAllowed(full, context);
    if (why !== undefined) {
      return refuse(`names "${file}", which ${why}`);
    }
    for (const lines of linesOfFile(full)) {
      digest.add(lines.map(({ text }) => text));
      for (const { line, text } of lines) {
        if (text.includes("\r")) {
          returns.push({ path: pathOf(line), reason: `${loneReturn}; save the file with LF or CRLF line ends` });
        } else if (names.urls) {
          urls.check(text, line);
        }
      }
    }
  } catch (error) {
    if (error instanceof NotUtf8) {
      return refuse(`names "${file}", which is not UTF-8 in line ${error.line}`);
    }
    const { code } = error as NodeJS.ErrnoException;
    return refuse(
      `names "${file}", which ${code === "ENOENT" || code === "ENOTDIR" ? "does not exist" : `cannot be read (${code ?? error})`}`,
    );
  }
  const { count, sha256 } = digest.soFar();
  if (count === 0) {
    return refuse(`names "${file}", which has only blank lines`);
  }
  problems.push(...shortened(returns, path), ...shortened(urls.problems, path));
  return { count, sha256, hosts: urls.someHosts(names.before?.hosts) };
}

const mostHosts = 20;

class UrlCheck {
  readonly problems: Problem[] = [];
  private readonly hosts = new Set<string>();

  constructor(private readonly pathOf: (position: number) => string) {}

  check(text: string, position: number): void {
    const url = parsedUrl(text.trim());
    if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
      this.problems.push({ path: this.pathOf(position), reason: "is not an http or https URL" });
    } else {
      this.hosts.add(url.host);
    }
  }

  /**
   * The distinct hosts; at most 20, because people and policies read them. The hosts of `before` come first, in their order: a diff compares lists by
   * position, and so shows only the new host.
   */
  someHosts(before: unknown): string[] {
    const known = Array.isArray(before) ? before.filter((host) => this.hosts.has(host)) : [];
    const others = [...this.hosts].filter((host) => !known.includes(host)).sort();
    return [...known, ...others].slice(0, mostHosts);
  }
}
