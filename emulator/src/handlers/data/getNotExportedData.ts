import type { Handler } from "../../service";
import { findTask } from "../../service";
import { RowMarks } from "../../store/rowMarks";
import { countRowRead, visibleRows } from "../../store/runRows";
import { allowedSize } from "../pageSize";
import { cutToBytes } from "./answerBytes";

export const getNotExportedData: Handler<"getNotExportedData"> = (service, { fields, account }) => {
  const { behaviour } = service;
  const task = findTask(service, account, fields.taskId);
  const size = allowedSize(fields.size, behaviour.dataPageMax, behaviour);
  const runs = service.store.runsOf(task.taskId);

  const found: { text: string; handOut: () => void }[] = [];
  let total = 0;
  for (const run of runs) {
    const visible = visibleRows(run);
    const taken = new RowMarks(run.exported.toJSON());
    if (behaviour.notExported === "handedOutOnce") taken.addAll(run.handedOut);
    const notCounted = { usual: run.exported, notReturned: taken, allRows: undefined }[behaviour.notExportedCounts];
    total += visible - (notCounted?.count(visible) ?? 0);
    for (const [from, to] of taken.gaps(visible, size - found.length)) {
      run.rows.slice(from, to).forEach((text, index) => {
        const handOut = () => {
          run.handedOut.add(from + index, from + index + 1);
          service.store.runChanged(run);
        };
        found.push({ text, handOut });
      });
    }
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
