import type { StackResource } from "./stack";

const wayOut =
  "`npm start -- reset` forgets both, and the next `npm start` begins anew. Files with exported rows stay where they are.";

/**
 * The stack and the emulated service must know of the same tasks. Where one of them was lost, going on would end in errors that say too
 * little, so the difference is told instead.
 * @param resources what the stack holds; `undefined` where there is no stack.
 * @param copies the tasks that the emulator holds beside the ones it began with.
 * @returns what is wrong and the way out, or `undefined` where they agree.
 */
export function disagreement(
  resources: readonly StackResource[] | undefined,
  copies: readonly string[],
): string | undefined {
  if (resources === undefined) {
    if (copies.length === 0) return undefined;
    return (
      `The emulated service holds ${counted(copies.length)} (${copies.join(", ")}) that no stack knows: the stack's state is gone. ` +
      `Going on would make another copy beside it. ${wayOut}`
    );
  }
  const known = resources
    .filter(({ type, id }) => type.endsWith(":TaskCopy") && id !== undefined)
    .map(({ id }) => String(id));
  const missing = known.filter((id) => !copies.includes(id) && !id.startsWith("unknown-"));
  if (missing.length === 0) return undefined;
  return (
    `The stack says that ${counted(missing.length)} (${missing.join(", ")}) exist${missing.length === 1 ? "s" : ""}, but the emulated service ` +
    `does not know ${missing.length === 1 ? "it" : "them"}: its state is gone. ${wayOut} ` +
    "(With a real service, `pulumi refresh` would find this, and the next up would make a new copy.)"
  );
}

function counted(count: number): string {
  return count === 1 ? "one task" : `${count} tasks`;
}
