import { Output } from "@pulumi/pulumi";
import { isPlainMap } from "../resources/values";

/**
 * The ids of this package's resources. Where a resource is only updated, a preview knows its id and none of its other outputs; where it is made or
 * replaced, it does not know the id either. So an id tells what its other names don't.
 */

const ids = new WeakSet<object>();
/** The id by the output that is the same under another name: `taskId` of a copy, `lotNo` of a run. */
const idsByOutput = new WeakMap<object, Output<unknown>>();

/** Notes a resource's id, and the output that is the same. */
export function noteId(id: Output<unknown>, output: unknown): void {
  ids.add(id);
  if (Output.isInstance(output)) {
    idsByOutput.set(output, id);
  }
}

/** The id in the place of an output that is the same: else all that take it would show a change that does not come. */
export function idFor(value: unknown): unknown {
  return Output.isInstance(value) ? (idsByOutput.get(value) ?? value) : value;
}

/** The same in lists and maps, at any depth: a task to copy, or the values of a trigger, are named in such. */
export function withIds(value: unknown): unknown {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    // A list may be a million texts long.
    return value.some((each) => typeof each === "object") ? value.map(withIds) : value;
  }
  return isPlainMap(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withIds(each)]))
    : idFor(value);
}

/** Whether a value is the id of a resource of this package: not known in a preview means that it will be another one. */
export function isId(value: unknown): boolean {
  return Output.isInstance(value) && ids.has(value);
}
