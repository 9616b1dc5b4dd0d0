import { hideSecrets, mayBeSecret } from "../../../src/service/errors/secretShapes";
import { kindKey, unknownTexts } from "../../../src/values/engineValues";
import { canonical, entryOf, isRecord } from "../../../src/values/plain";
import { fromDifference } from "../output/difference";
import { longest } from "../output/markdown";
import type { ResourceChange } from "./plan";

/** One property that differs. */
export interface PropertyChange {
  path: string;
  /** Undefined if the property did not exist. */
  old?: string;
  /** Undefined if the property is removed. */
  now?: string;
  /** For a list, in place of both: what was added and removed. */
  lines?: LineChange;
}

export interface LineChange {
  added: number;
  removed: number;
  /** The first of each. */
  examples: string[];
}

const secret = "[secret]";
const later = "(known after the up)";

/** The properties that differ, without secrets. */
export function propertyChanges({ old, now, paths }: ResourceChange): PropertyChange[] {
  const before = cleaned(withoutEngineNames(old));
  const after = cleaned(withoutEngineNames(now));
  const changes = differences(before, after, "", [old, now]);
  const secrets = [...secretPaths(before, ""), ...secretPaths(after, "")];
  // A changed secret shows as the same word on both sides. Only the engine knows that it differs.
  const hidden = paths.filter(
    (path) =>
      !changes.some((change) => isAtOrIn(change.path, path) || isAtOrIn(path, change.path)) &&
      secrets.some((each) => isAtOrIn(each, path) || isAtOrIn(path, each)),
  );
  return [...changes, ...hidden.map((path) => ({ path, old: secret, now: secret }))];
}

/** Where values without secrets have had one. */
function secretPaths(value: unknown, path: string): string[] {
  if (typeof value === "string") {
    return value.includes(secret) ? [path] : [];
  }
  return Array.isArray(value)
    ? value.flatMap((each, index) => secretPaths(each, `${path}[${index}]`))
    : Object.entries(mapOf(value) ?? {}).flatMap(([name, each]) => secretPaths(each, childPath(path, name)));
}

/** Whether a path is `parent`, or a path of something in it: `open2` is not in `open`. */
function isAtOrIn(path: string, parent: string): boolean {
  return path.startsWith(parent) && /^(?:$|[.[])/.test(path.slice(parent.length));
}

/**
 * `__provider` and its like are names of the engine, but only at the top: within a value they are names of the user.
 */
function withoutEngineNames(properties: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).filter(([name]) => !name.startsWith("__") || name === "__proto__"),
  );
}

/** The value without secrets. */
function cleaned(value: unknown, name = ""): unknown {
  if (typeof value === "string") {
    return cleanedText(value, name);
  }
  if (Array.isArray(value)) {
    return value.map((each) => cleaned(each, name));
  }
  if (!isRecord(value)) {
    return typeof value === "number" && mayBeSecret(name, String(value)) ? secret : value;
  }
  if (kindKey in value) {
    return secret;
  }
  return withoutDigests(Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cleaned(each, key)])));
}

/** Values that look like secrets are hidden too: a report is read by more people than the state. */
function cleanedText(text: string, name: string): string {
  const known = unknownTexts.reduce((rest, each) => rest.replaceAll(each, later), text);
  if (known.includes("\n") && !mayBeSecret(name, "x")) {
    return hideSecrets(known);
  }
  return mayBeSecret(name, known) ? secret : known;
}

/**
 * Digests say nothing to a reader where the list itself stands beside them. Of a file, they are all there is. A map of
 * the user, such as `triggers`, can have the same names.
 */
function withoutDigests(map: Record<string, unknown>): Record<string, unknown> {
  const { sha256, count: _count, hosts: _hosts, ...list } = map;
  return typeof sha256 === "string" && ("items" in list || "urls" in list) ? list : map;
}

/** @param raw both values with their secrets: what is secret on one side is not shown on the other */
function differences(old: unknown, now: unknown, path: string, raw: readonly unknown[]): PropertyChange[] {
  if (canonical(old) === canonical(now)) {
    return [];
  }
  const [before, after] = [mapOf(old), mapOf(now)];
  if (before !== undefined && after !== undefined) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    // An empty map beside nothing is a difference, too.
    return names.length === 0
      ? [{ path, ...ends(old, now) }]
      : names.flatMap((name) => {
          const inRaw = raw.map((each) => (isRecord(each) ? entryOf(each, name) : undefined));
          return differences(entryOf(before, name), entryOf(after, name), childPath(path, name), inRaw);
        });
  }
  if (raw.some(hasSecret)) {
    return [{ path, ...ends(old === undefined ? old : secret, now === undefined ? now : secret) }];
  }
  if (isLines(old) || isLines(now)) {
    const comparable = [old, now].every((each) => each === undefined || isLines(each) || typeof each === "string");
    const [oldLines, newLines] = [linesOf(old), linesOf(now)];
    // The same lines differ only in the line break at their end.
    const isOther = oldLines.join("\n") !== newLines.join("\n");
    if (comparable && isOther && old !== later && now !== later && old !== secret && now !== secret) {
      return [{ path, lines: lineChange(oldLines, newLines) }];
    }
  }
  return [{ path, ...ends(old, now) }];
}

/** Whether the engine knows the value, or a part of it, as a secret. */
function hasSecret(value: unknown): boolean {
  return isRecord(value)
    ? Object.hasOwn(value, kindKey) || Object.values(value).some(hasSecret)
    : Array.isArray(value) && value.some(hasSecret);
}

function ends(old: unknown, now: unknown): Pick<PropertyChange, "old" | "now"> {
  const texts = [old, now].map(inText);
  // A number and the same digits as a string differ in their quotes only.
  const [before = "", after = ""] =
    texts[0] === texts[1] && typeof old !== typeof now ? [old, now].map((each) => JSON.stringify(each)) : texts;
  return {
    ...(old !== undefined && { old: fromDifference(before, now === undefined ? "" : after, longest) }),
    ...(now !== undefined && { now: fromDifference(after, old === undefined ? "" : before, longest) }),
  };
}

/** A map, or nothing, which compares with a map as an empty one. */
function mapOf(value: unknown): Record<string, unknown> | undefined {
  return value === undefined ? {} : isRecord(value) ? value : undefined;
}

function isLines(value: unknown): value is string | string[] {
  return (
    (typeof value === "string" && value.includes("\n")) ||
    (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string"))
  );
}

function linesOf(value: unknown): string[] {
  const lines = Array.isArray(value) ? value.map(String) : typeof value === "string" ? value.split("\n") : [];
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

const mostExamples = 3;

function lineChange(old: readonly string[], now: readonly string[]): LineChange {
  const added = missing(now, old);
  const removed = missing(old, now);
  const shown = (sign: string, lines: readonly string[], others: readonly string[]): string[] =>
    lines.slice(0, mostExamples).map((line, index) => `${sign} ${fromDifference(line, others[index] ?? "", longest)}`);
  return {
    added: added.length,
    removed: removed.length,
    examples: [...shown("+", added, removed), ...shown("-", removed, added)],
  };
}

/** The lines of `lines` that `others` lacks, each as often as it is missing. */
function missing(lines: readonly string[], others: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of others) {
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return lines.filter((line) => {
    const count = counts.get(line) ?? 0;
    counts.set(line, count - 1);
    return count <= 0;
  });
}

function inText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
}

/** As the engine writes it. */
function childPath(path: string, name: string): string {
  const key = /[.[\]"]/.test(name) || name === "" ? `[${JSON.stringify(name)}]` : name;
  return path === "" || key.startsWith("[") ? `${path}${key}` : `${path}.${key}`;
}
