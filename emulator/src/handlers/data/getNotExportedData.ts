import type { Handler, Service } from "../../service";
import { findTask } from "../../service";
import type { RowRange } from "../../store/rowMarks";
import { RowMarks } from "../../store/rowMarks";
import { countRowRead, visibleRows } from "../../store/runRows";
import type { StoredRun } from "../../store/store";
import { allowedSize } from "../pageSize";
import { cutToBytes } from "./responseBytes";

export const getNotExportedData: Handler<"getNotExportedData"> = (service, { fields, account }) => {
  const { behaviour } = service;
  const task = findTask(service, account, fields.taskId);
  const size = allowedSize(fields.size, behaviour.dataPageMax, behaviour);
  const runs = service.store.runsOf(task.taskId);
  markByOthers(service, runs);

  const found: { text: string; handOut: () => void }[] = [];
  let total = 0;
  const find = (run: StoredRun, ranges: readonly RowRange[]): void => {
    for (const [from, to] of ranges) {
      run.rows.slice(from, Math.min(to, from + size - found.length)).forEach((text, index) => {
        const handOut = () => {
          run.handedOut.add(from + index, from + index + 1);
          service.store.runChanged(run);
        };
        found.push({ text, handOut });
      });
    }
  };
  if (behaviour.notExported === "untilMarked") {
    // First the same rows again, whatever rows have arrived in earlier batches.
    for (const run of runs) find(run, run.handedOut.toJSON());
  }
  for (const run of runs) {
    const visible = visibleRows(run);
    const taken = new RowMarks([...run.exported.toJSON(), ...run.handedOut.toJSON()]);
    const notReturned = behaviour.notExported === "handedOutOnce" ? taken : run.exported;
    const notCounted = { usual: run.exported, notReturned, allRows: undefined }[behaviour.notExportedCounts];
    total += visible - (notCounted?.count(visible) ?? 0);
    find(run, taken.gaps(visible, size - found.length));
  }

  const texts = cutToBytes(
    found.map((row) => row.text),
    fields.size,
    behaviour,
  );
  for (const row of found.slice(0, texts.length)) row.handOut();
  countRowRead(service.store, runs);
  return { dataText: `{"data":[${texts.join(",")}],"total":${total},"current":${texts.length}}` };
};

/** The behaviour `otherMarks`. */
function markByOthers({ behaviour, store }: Service, runs: readonly StoredRun[]): void {
  if (behaviour.otherMarks === "none") return;
  for (const run of runs) {
    const visible = visibleRows(run);
    const end = behaviour.otherMarks === "all" ? visible : Math.floor(visible / 2);
    run.exported.add(0, end);
    const left = run.handedOut.toJSON().filter(([, to]) => to > end);
    run.handedOut = new RowMarks(left.map(([from, to]) => [Math.max(from, end), to]));
    store.runChanged(run);
  }
}
