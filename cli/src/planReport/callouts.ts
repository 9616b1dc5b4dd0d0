import { isRecord } from "../../../src/values/plain";
import { isTaskType } from "../../../src/values/urn";
import { textOf } from "../connection/stackTasks";
import { code } from "../output/markdown";
import type { ResourceChange } from "./plan";

/** What a reviewer must not overlook. */
export interface Callout {
  change: ResourceChange;
  /** In Markdown. */
  says: string;
  /** What several of them are, such as `runs that may cost money`. */
  kind: string;
}

const kinds: Readonly<Record<string, (change: ResourceChange) => string | undefined>> = {
  "tasks whose rows are removed": removedRows,
  "starts that may cost money": paidRun,
  "tasks that are adopted": adoptedTask,
  "files that are removed": removedFile,
  "runs that are stopped": stoppedRun,
};

/** What cannot be made again comes first, then what may cost money. */
export function calloutsOf(changes: readonly ResourceChange[]): Callout[] {
  const ours = changes.filter(({ isOurs }) => isOurs);
  return Object.entries(kinds).flatMap(([kind, find]) =>
    ours.flatMap((change) => {
      const says = find(change);
      return says === undefined ? [] : [{ change, says, kind }];
    }),
  );
}

const isMade = ({ does }: ResourceChange): boolean => does === "create" || does === "replace";
const isRemoved = ({ does, isRetained }: ResourceChange): boolean =>
  (does === "delete" || does === "replace") && !isRetained;

function paidRun(change: ResourceChange): string | undefined {
  const { type, old, now, replaceReasons } = change;
  if (type === "CloudRun" && isMade(change) && now.adoptLotNo === undefined) {
    const label = now.runLabel === old.runLabel ? "" : ` under the label ${code(String(now.runLabel))}`;
    const others = replaceReasons.filter((reason) => reason !== "runLabel");
    const why = others.length === 0 ? "" : `, because ${others.map((each) => code(each)).join(", ")} changed`;
    return `starts a run${label}, which may cost money${why}`;
  }
  const isSent = isMade(change) || change.does === "update";
  const startsSubtasks = type === "CloudSubtasks" && isSent && now.desired === "started";
  return startsSubtasks ? "starts subtasks, which may cost money" : undefined;
}

/** A copy that is adopted after a lost response has a source. */
function adoptedTask(change: ResourceChange): string | undefined {
  const { type, now } = change;
  const { adoptTaskId, sourceTaskId } = isRecord(now.from) ? now.from : now;
  const isAdopted = isTaskType(type) && isMade(change) && adoptTaskId !== undefined && sourceTaskId === undefined;
  return isAdopted ? `adopts task ${code(String(adoptTaskId))}, which the stack then changes itself` : undefined;
}

function removedRows(change: ResourceChange): string | undefined {
  const { type, old, id } = change;
  if (!isTaskType(type) || !isRemoved(change)) {
    return undefined;
  }
  const source = isRecord(old.from) ? old.from : old;
  const onDelete = old.onDelete ?? (source.sourceTaskId === undefined ? "retain" : "removeData");
  if (onDelete !== "removeData") {
    return undefined;
  }
  const task = id === undefined ? "the task" : `task ${code(id)}`;
  return old.forceDestroy === true
    ? `removes all rows of ${task}`
    : `removes the rows of ${task}; the up fails if there are any, unless forceDestroy allows it`;
}

function removedFile(change: ResourceChange): string | undefined {
  const { type, old, outputs } = change;
  if (type !== "DataExport" || !isRemoved(change) || old.onDelete !== "removeFile") {
    return undefined;
  }
  // Either can be a secret.
  const file = textOf(outputs.file) ?? textOf(old.path);
  return `removes ${file === undefined ? "its file" : `the file ${code(file)}`}`;
}

function stoppedRun(change: ResourceChange): string | undefined {
  const { type, old } = change;
  return type === "CloudRun" && isRemoved(change) && old.onDelete === "stop" ? "stops the present run" : undefined;
}
