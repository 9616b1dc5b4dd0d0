import { Output } from "@pulumi/pulumi";
import { isPlainMap } from "../resources/values";

/**
 * The ids of the resources of this package. In a preview, the id of an updated resource is known and its other outputs are unknown. The id
 * of a new or replaced resource is unknown. So an id is more useful than other outputs with the same value.
 */

const ids = new WeakSet<object>();
/** The id for each output that has the same value: `taskId` of a copy, `lotNo` of a run. */
const idsByOutput = new WeakMap<object, Output<unknown>>();

/** Notes the id of a resource, and the output that has the same value. */
export function noteId(id: Output<unknown>, output: unknown): void {
  ids.add(id);
  if (Output.isInstance(output)) {
    idsByOutput.set(output, id);
  }
}

/** The id instead of an output with the same value. With the output, every resource that takes it would show a change that does not happen. */
export function idFor(value: unknown): unknown {
  return Output.isInstance(value) ? (idsByOutput.get(value) ?? value) : value;
}

/** Replaces such outputs in lists and maps, at any depth: the task to copy and the values of triggers can be nested. */
export function withIds(value: unknown): unknown {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    // A list can have a million strings.
    return value.some((each) => typeof each === "object") ? value.map(withIds) : value;
  }
  return isPlainMap(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withIds(each)]))
    : idFor(value);
}

/** Whether a value is the id of a resource of this package. An unknown id in a preview means that the id will change. */
export function isId(value: unknown): boolean {
  return Output.isInstance(value) && ids.has(value);
}
