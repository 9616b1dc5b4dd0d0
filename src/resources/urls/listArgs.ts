import { access, constants, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Problem } from "../args";
import { shortened } from "../args";
import type { CheckContext } from "../resource";
import { unknown } from "../values";
import { DigestOfLines, linesOfFile, NotUtf8 } from "./lines";

/**
 * Lists as arguments. A reviewer reads a list best as a text of one item a line, for then a diff shows the inserted lines and not each
 * one that moved; so `check` turns a list into that text, under the same name. The text itself is accepted too: that's what comes
 * back with `ignoreChanges`. The last line ends like the others, or a diff would show it as changed where an item is added behind it.
 */

/** The items of a list that is one text. What is only looked up was never checked, and may still be a list. */
export function itemsOf(text: string | readonly string[]): string[] {
  const lines = typeof text === "string" ? text.split(/\r?\n/) : text;
  return withoutMark(lines.filter((line) => line.trim() !== ""));
}

/** A list as one text. The one of before stays where it says the same, however its lines end: what does not change must not show. */
export function textOf(items: readonly string[], before: unknown): string {
  const text = items.map((item) => `${item}\n`).join("");
  return typeof before === "string" && `${itemsOf(before).join("\n")}\n` === text ? before : text;
}

/** A file that a program has read itself may begin with a byte order mark, which is no part of its first line. */
function withoutMark(items: string[]): string[] {
  const [first, ...others] = items;
  return first?.startsWith(byteOrderMark) ? [first.slice(byteOrderMark.length), ...others] : items;
}

const byteOrderMark = "\ufeff";

/** Checked form of a list that came as a list or a file: the text, and what a diff shows of a file. */
export interface CheckedList {
  text?: string | typeof unknown;
  /** The items of `text`. */
  items?: readonly string[];
  count: number | typeof unknown;
  sha256: string | typeof unknown;
  bytes: number | typeof unknown;
  hosts: string[] | typeof unknown;
}

const allUnknown: CheckedList = { count: unknown, sha256: unknown, bytes: unknown, hosts: unknown };

export interface ListNames {
  /** Name of the argument that holds the list. */
  list: string;
  /** Name of the argument that names a file. */
  file: string;
  /** Path of the object that holds both, with a dot at the end; empty at the top. */
  at?: string;
  /** Each line must be an http or https URL. */
  urls?: boolean;
  /** The object that holds both, as it was checked last time. */
  before?: Readonly<Record<string, unknown>> | undefined;
}

/** Checks and normalises a list that is given either as it is or as a file. Adds problems, and then answers undefined. */
export async function checkList(
  args: Readonly<Record<string, unknown>>,
  names: ListNames,
  context: CheckContext,
): Promise<CheckedList | undefined> {
  const at = names.at ?? "";
  const list = args[names.list] ?? undefined;
  const file = args[names.file] ?? undefined;
  if ((list === undefined) === (file === undefined)) {
    const reason = list === undefined ? "is missing" : "are both given";
    const path = list === undefined ? `${at}${names.list}` : `${at}${names.list} and ${at}${names.file}`;
    context.problems.push({ path, reason: `${reason}: give either ${names.list} or ${names.file}` });
    return undefined;
  }
  if (file !== undefined) {
    return file === unknown ? allUnknown : checkFile(String(file), `${at}${names.file}`, names, context);
  }
  if (list === unknown || (Array.isArray(list) && list.includes(unknown))) {
    return { ...allUnknown, text: unknown };
  }
  const before = names.before?.[names.list];
  // What comes back with ignoreChanges may have been read from the service, as it stood there.
  if (typeof list === "string" && list !== before && refuseLoneReturn(list, `${at}${names.list}`, context)) {
    return undefined;
  }
  const items = Array.isArray(list) ? withoutMark(list.map(String)) : itemsOf(String(list));
  const urls = new UrlCheck((index) => `${at}${names.list}[${index}]`);
  if (names.urls) {
    items.forEach((item, index) => {
      urls.check(item, index);
    });
    context.problems.push(...shortened(urls.problems, `${at}${names.list}`));
  }
  const digest = new DigestOfLines();
  digest.add(items);
  const text = textOf(items, before);
  return { text, items, ...digest.sofar(), hosts: urls.someHosts(names.before?.hosts) };
}

/** Line ends of old Macs, with which all lines would be one item, and a check of that item would see the first line only. */
const loneReturn = "holds a carriage return that ends no line: an item is one line";

function refuseLoneReturn(text: string, path: string, context: CheckContext): boolean {
  const index = text.split(/\r?\n/).findIndex((line) => line.trim() !== "" && line.includes("\r"));
  if (index >= 0) {
    context.problems.push({
      path: `${path}, line ${index + 1}`,
      reason: `${loneReturn}; end each line with LF or CRLF`,
    });
  }
  return index >= 0;
}

async function checkFile(
  file: string,
  path: string,
  names: ListNames,
  context: CheckContext,
): Promise<CheckedList | undefined> {
  const full = resolve(context.folder, file);
  const refuse = (reason: string): undefined => {
    context.problems.push({ path, reason: `${reason} (looked for "${full}", relative to the program's folder)` });
    return undefined;
  };
  try {
    await access(full, constants.R_OK);
    if (!(await stat(full)).isFile()) {
      return refuse(`"${file}" is not a file`);
    }
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
    return refuse(missing ? `there is no file "${file}"` : `"${file}" cannot be read`);
  }
  const digest = new DigestOfLines();
  const pathOf = (line: number): string => `${path} "${file}", line ${line}`;
  const urls = new UrlCheck(pathOf);
  const returns: Problem[] = [];
  try {
    for await (const lines of linesOfFile(full)) {
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
      return refuse(`"${file}" is not UTF-8 in line ${error.line}`);
    }
    throw error;
  }
  const sofar = digest.sofar();
  if (sofar.count === 0) {
    return refuse(`"${file}" holds no line that is not blank`);
  }
  context.problems.push(...shortened(returns, path), ...shortened(urls.problems, path));
  return { ...sofar, hosts: urls.someHosts(names.before?.hosts) };
}

const mostHosts = 20;

class UrlCheck {
  readonly problems: Problem[] = [];
  private readonly hosts = new Set<string>();

  constructor(private readonly pathOf: (position: number) => string) {}

  check(text: string, position: number): void {
    const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
    if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
      this.problems.push({ path: this.pathOf(position), reason: "is not an http or https URL" });
    } else {
      this.hosts.add(url.host);
    }
  }

  /**
   * The distinct hosts; at most 20, for they are there to be read, and for policies. Those of `before` come first and as they stood: a diff compares
   * lists by position, and is to show the host that is new.
   */
  someHosts(before: unknown): string[] {
    const known = Array.isArray(before) ? before.filter((host) => this.hosts.has(host)) : [];
    const others = [...this.hosts].filter((host) => !known.includes(host)).sort();
    return [...known, ...others].slice(0, mostHosts);
  }
}
