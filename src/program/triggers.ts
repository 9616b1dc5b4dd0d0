import type { Input, OutputInstance } from "@pulumi/pulumi";
import { Output, output, Resource } from "@pulumi/pulumi";
import { describeValue } from "../values/kinds";
import { isPlainMap } from "../values/plain";
import type { ExtractionResource } from "./extractionResource";
import { failed, ProgramError } from "./perProgram";

/**
 * A value whose changes start a run or an export again: a string, a number or a boolean, and lists and maps of these,
 * at any depth also as outputs or promises. No resource, date, Map or Set, because the engine does not see their
 * changes.
 */
export type Trigger =
  | string
  | number
  | boolean
  | null
  | undefined
  | Promise<unknown>
  | OutputInstance<unknown>
  | TriggerList
  | TriggerMap;

/** A list of values of {@link Trigger}. */
export interface TriggerList extends ReadonlyArray<Trigger | PlainData> {}

/** A map of values of {@link Trigger}. */
export interface TriggerMap {
  readonly [name: string]: Trigger | PlainData;
}

/** Data of an interface type. It has no field of resources (`urn`), of lists, Maps and Sets, and of dates. */
export interface PlainData {
  // biome-ignore lint/suspicious/noExplicitAny: no other index signature accepts the values of an interface
  readonly [name: string]: any;
  /** Resources have outputs here. */
  readonly urn?: string;
  /** Lists, Maps and Sets have it. */
  readonly [Symbol.iterator]?: never;
  /** Dates have it. */
  readonly [Symbol.toPrimitive]?: never;
}

/** The value of `rerunOn` for `check`: the name and a hash for each resource. */
export function rerunHashes(run: string, resources: ExtractionResource[] | undefined): Input<string[]> | undefined {
  if (resources === undefined || resources === null) {
    return undefined;
  }
  if (!Array.isArray(resources)) {
    throw new ProgramError(
      `CloudRun "${run}": rerunOn must be a list of resources of pulumi-webextract, and the program must know the list; got ${describeValue(resources)}. For other values, use triggers.`,
    );
  }
  const wrong = resources.findIndex((each) => typeof each?.namedHash !== "function");
  if (wrong >= 0) {
    throw new ProgramError(
      `CloudRun "${run}": rerunOn[${wrong}] must be a resource of pulumi-webextract. For other values, use triggers.`,
    );
  }
  return output(resources.map((each) => each.namedHash()));
}

/**
 * Returns the triggers. Refuses values whose changes the engine does not see, also within outputs: it gets only the id
 * of a resource, and an empty map for a date.
 * @param owner the resource with the triggers
 * @param advice what to write instead of a resource
 */
export function triggersOf(owner: string, value: unknown, advice: string, path = "triggers"): unknown {
  const what = Resource.isInstance(value) ? "a resource" : unseen(value);
  if (what !== undefined) {
    const next = what === "a resource" ? advice : "Give a string, a number, or lists and maps of these.";
    throw new ProgramError(`${owner}: ${path} is ${what}, whose changes would trigger nothing. ${next}`);
  }
  if (Output.isInstance(value) || value instanceof Promise) {
    const look = async (known: unknown): Promise<unknown> => triggersOf(owner, known, advice, path);
    return output(value).apply((known) => look(known).catch(failed));
  }
  if (Array.isArray(value)) {
    return value.map((each, index) => triggersOf(owner, each, advice, `${path}[${index}]`));
  }
  if (isPlainMap(value)) {
    const fields = Object.entries(value).map(([name, each]) => [
      name,
      triggersOf(owner, each, advice, `${path}.${name}`),
    ]);
    return Object.fromEntries(fields);
  }
  return value;
}

/** Names a value that the engine receives as an empty map or not at all. */
function unseen(value: unknown): string | undefined {
  if (value instanceof Date || value instanceof Map || value instanceof Set) {
    return `a ${value.constructor.name}`;
  }
  return ["bigint", "function", "symbol"].includes(typeof value) ? `a ${typeof value}` : undefined;
}
