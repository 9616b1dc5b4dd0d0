import type { ArgsSpec, Form } from "../args";
import { choice, lines, string, systemString } from "../args";
import type { GivenList } from "../lists/checkList";
import { checkList } from "../lists/checkList";
import type { CheckContext } from "../resource";
import { holdsUnknown } from "../values";
import { checkAppend } from "./loop";
import type { RestoreArgs } from "./restore";
import type { ActionLoop, Loop } from "./setting";
import { loopTypeAsBefore } from "./setting";

type Items = Pick<ActionLoop, "items" | "itemsFile">;
/** Arguments with the items as a list. */
export type ItemListForm<Args extends Items> = Form<Args, "items", "itemsFile">;
/** Arguments with the items in a file. */
export type ItemFileForm<Args extends Items> = Form<Args, "itemsFile", "items">;
export type ActionLoopForm = ItemListForm<ActionLoop> | ItemFileForm<ActionLoop>;

export const loopSpec: ArgsSpec<ActionLoop, "count" | "sha256"> = {
  loopType: { kind: string, required: true },
  items: { kind: lines },
  itemsFile: { kind: systemString },
  mode: { kind: choice("replace", "append"), default: "replace" },
  count: { derived: true },
  sha256: { derived: true },
};

interface LoopCheck {
  /** The path of the loop, with a dot at the end; empty at the top. */
  at: string;
  /** The loop that was checked last time. */
  before: Loop | undefined;
  /** Whether that was the loop of the same action in the same task. */
  isSame: boolean;
  onDelete: RestoreArgs["onDelete"];
}

export function givenItems(args: object, at: string): GivenList {
  return { args, list: "items", file: "itemsFile", at };
}

export function checkLoop(
  { loopType, items, itemsFile, mode }: ActionLoop,
  { at, before, isSame, onDelete }: LoopCheck,
  context: CheckContext,
): Loop {
  // State of an earlier version can have both. Its delete warns that the list stays.
  const hadBoth = isSame && before?.mode === "append" && context.previous?.onDelete === "restore";
  if (mode === "append" && onDelete === "restore" && !hadBoth) {
    const reason =
      'cannot be "append" together with onDelete "restore": others can extend the list too, so it cannot be restored. Use mode "replace" or onDelete "retain"';
    context.problems.push({ path: `${at}mode`, reason });
  }
  const list = checkList(givenItems({ items, itemsFile }, at), before, context);
  const { joined, count, sha256 } = list ?? {};
  const checked = {
    loopType: loopTypeAsBefore(loopType, before?.loopType),
    items: joined,
    itemsFile,
    mode,
    count,
    sha256,
  } as Loop;
  const isAppended = isSame && before?.loopType === checked.loopType && !holdsUnknown(checked);
  if (list !== undefined && before !== undefined && isAppended) {
    checkAppend(checked, before, at, context);
  }
  return checked;
}

/** The loop among the arguments or in the state of a resource. */
export function loopOf({ loopType, items, itemsFile, mode, count, sha256 }: Loop): Loop {
  return { loopType, items, itemsFile, mode, count, sha256 };
}
