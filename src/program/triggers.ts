import type { Input } from "@pulumi/pulumi";
import { Output, output, Resource, RunError } from "@pulumi/pulumi";
import { describeValue, isPlainMap } from "../resources/values";
import { ExtractionResource } from "./extractionResource";
import { withIds } from "./previewIds";

/** What starts work again, as a program writes it. */

/** What stands in the state for `rerunOn`: a hash for each resource. */
export function hashesOf(run: string, resources: ExtractionResource[] | undefined): Input<string[]> | undefined {
  if (resources === undefined || resources === null) {
    return undefined;
  }
  const list: unknown = resources;
  if (!Array.isArray(list)) {
    throw new RunError(
      `CloudRun "${run}": rerunOn must be a list of resources of pulumi-webextract, ${howToList(list)}`,
    );
  }
  const wrong = list.findIndex((each) => typeof each?.inputsHash !== "function");
  if (wrong >= 0) {
    throw new RunError(
      `CloudRun "${run}": rerunOn[${wrong}] must be a resource of pulumi-webextract. For other values use triggers.`,
    );
  }
  return output(resources.map((each) => each.inputsHash()));
}

function howToList(given: unknown): string {
  if (given instanceof ExtractionResource) {
    return 'is a resource. Write "rerunOn: […]" around it.';
  }
  if (Output.isInstance(given) || given instanceof Promise) {
    const what = given instanceof Promise ? "a promise" : "an output";
    return `is ${what}, of which the program knows nothing yet: name the resources themselves, in a list.`;
  }
  return `is ${describeValue(given)}. For other values use triggers.`;
}

/**
 * The triggers, as they are: a resource among them is refused. The engine hands over no more of one than its id, so no change of it would show. Nor would
 * it of a date.
 * @param advice what to write instead
 */
export function triggersOf(owner: string, triggers: unknown, advice: string): unknown {
  const refuse = (path: string, what: string): never => {
    const next = what === "a resource" ? advice : "Give a text, a number, or lists and maps of these.";
    throw new RunError(`${owner}: ${path} is ${what}, whose changes would trigger nothing. ${next}`);
  };
  if (holdsItself(triggers, [])) {
    return refuse("triggers", "a value that holds itself");
  }
  // An id must be found by its output, so what names one is put in its place first.
  return withoutResources(withIds(triggers), "triggers", refuse);
}

function holdsItself(value: unknown, within: readonly unknown[]): boolean {
  if (!Array.isArray(value) && !isPlainMap(value)) {
    return false;
  }
  const inside = [...within, value];
  return within.includes(value) || Object.values(value).some((each) => holdsItself(each, inside));
}

/** Of these the engine is handed an empty map, or nothing. */
function unshown(value: unknown): string | undefined {
  if (value instanceof Date) {
    return "a date";
  }
  if (value instanceof Map || value instanceof Set) {
    return value instanceof Map ? "a Map" : "a Set";
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

/** The SDK would show an error on the way to the engine as its own, with a stack. So the program fails beside it, and nothing gets to the engine. */
function orNever(look: () => unknown): unknown {
  try {
    return look();
  } catch (error) {
    void Promise.reject(error);
    return new Promise(() => {});
  }
}
