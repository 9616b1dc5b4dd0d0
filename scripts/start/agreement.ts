import type { StackResource } from "./stack";

const wayOut = "Run `npm start -- reset` to delete both, then `npm start`. Exported files stay.";

/**
 * Compares the tasks of the stack with those of the emulator. If the state of one of them was lost, later errors would not explain it, so
 * this message does.
 * @param resources the resources of the stack; `undefined` if there is no stack.
 * @param copies the ids of the tasks that the emulator has in addition to its seed.
 * @returns the problem and its solution, or `undefined` if both have the same tasks.
 */
export function disagreement(
  resources: readonly StackResource[] | undefined,
  copies: readonly string[],
): string | undefined {
  if (resources === undefined) {
    if (copies.length === 0) return undefined;
    return (
      `The emulator has ${counted(copies.length)} (${copies.join(", ")}) that no stack contains: the state of the stack is lost. ` +
      `An up would make another copy. ${wayOut}`
    );
  }
  const known = resources
    .filter(({ type, id }) => /:(ExtractionTask|TaskCopy)$/.test(type) && id !== undefined)
    .map(({ id }) => String(id));
  const missing = known.filter((id) => !copies.includes(id) && !id.startsWith("unknown-"));
  if (missing.length === 0) return undefined;
  return (
    `The stack contains ${counted(missing.length)} (${missing.join(", ")}), but the emulator ` +
    `does not have ${missing.length === 1 ? "it" : "them"}: the state of the emulator is lost. ${wayOut} ` +
    "(With a real service, `pulumi refresh` detects this, and the next up makes a new copy.)"
  );
}

function counted(count: number): string {
  return count === 1 ? "one task" : `${count} tasks`;
}
