import type { Input, OutputInstance } from "@pulumi/pulumi";
import { Output, output, Resource, RunError } from "@pulumi/pulumi";
import { describeValue, isPlainMap } from "../resources/values";
import type { ExtractionResource } from "./extractionResource";
import { withIds } from "./previewIds";

/** The arguments of a program that start a run or an export again. */

/**
 * A value whose changes start a run or an export again: a string, a number or a boolean, and lists and maps of these, at any depth also as
 * outputs or promises. No resource, date, Map or Set, because the engine does not see their changes. Spread a value of an interface type:
 * `{ ...value }`.
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

/** Data of an interface type. The fields that it must not have are those of resources, lists, Maps, Sets and dates. */
export interface PlainData {
  // biome-ignore lint/suspicious/noExplicitAny: no other index signature accepts the values of an interface
  readonly [name: string]: any;
  /** A resource has an output here. For a resource, use `rerunOn`, or name a property, such as `run.id`. */
  readonly urn?: string;
  /** Lists, Maps and Sets have it. */
  readonly [Symbol.iterator]?: never;
  /** Dates have it. */
  readonly [Symbol.toPrimitive]?: never;
}

/** The value of `rerunOn` for `check`: the name and a hash for each resource. */
export function hashesOf(run: string, resources: ExtractionResource[] | undefined): Input<string[]> | undefined {
  if (resources === undefined || resources === null) {
    return undefined;
  }
  if (!Array.isArray(resources)) {
    throw new RunError(
      `CloudRun "${run}": rerunOn must be a list of resources of pulumi-webextract, and the program must know the list; got ${describeValue(resources)}. For other values, use triggers.`,
    );
  }
  const wrong = resources.findIndex((each) => typeof each?.namedHash !== "function");
  if (wrong >= 0) {
    throw new RunError(
      `CloudRun "${run}": rerunOn[${wrong}] must be a resource of pulumi-webextract. For other values, use triggers.`,
    );
  }
  return output(resources.map((each) => each.namedHash()));
}

/**
 * Returns the triggers unchanged. Refuses values whose changes the engine does not see: it gets only the id of a resource, and an empty map
 * for a date.
 * @param advice what to write instead of a resource
 */
export function triggersOf(owner: string, triggers: unknown, advice: string): unknown {
  const refuse = (path: string, what: string): never => {
    const next = what === "a resource" ? advice : "Give a string, a number, or lists and maps of these.";
    throw new RunError(`${owner}: ${path} is ${what}, whose changes would trigger nothing. ${next}`);
  };
  // First, because ids are found by their outputs.
  return withoutResources(withIds(triggers), "triggers", refuse);
}

/** Names a value that the engine receives as an empty map or not at all. */
function unshown(value: unknown): string | undefined {
  if (value instanceof Date || value instanceof Map || value instanceof Set) {
    return `a ${value.constructor.name}`;
  }
  return ["bigint", "function", "symbol"].includes(typeof value) ? `a ${typeof value}` : undefined;
}

function withoutResources(value: unknown, path: string, refuse: (path: string, what: string) => never): unknown {
  const what = Resource.isInstance(value) ? "a resource" : unshown(value);
  if (what !== undefined) {
    return refuse(path, what);
  }
  if (Output.isInstance(value)) {
    return value.apply((known) => orNever(() => withoutResources(known, path, refuse)));
  }
  if (value instanceof Promise) {
    return value.then((known) => orNever(() => withoutResources(known, path, refuse)));
  }
  if (Array.isArray(value)) {
    return value.map((each, index) => withoutResources(each, `${path}[${index}]`, refuse));
  }
  return isPlainMap(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, each]) => [name, withoutResources(each, `${path}.${name}`, refuse)]),
      )
    : value;
}

/**
 * The SDK would show an error in a resource's properties as an error of the SDK, with a stack. So the program fails with a separate
 * rejection, and the properties never resolve.
 */
function orNever(look: () => unknown): unknown {
  try {
    return look();
  } catch (error) {
    void Promise.reject(error);
    return new Promise(() => {});
  }
}
