import type { PageVisit, VisitResult } from "../visit";
import type { ExtractedTask } from "./extraction";
import { extractionOf } from "./extraction";
import type { LoadPage } from "./loadPage";
import type { ReadingLimits } from "./reading/pagePool";
import { readInWorker } from "./reading/pagePool";
import type { PageContent, Reading } from "./reading/readPage";

/** What is known about the visit of a page. */
export interface VisitContext {
  task: ExtractedTask;
  visit: PageVisit;
  signal: AbortSignal;
}

/** Opens and reads a page of a task. The message of a thrown Error becomes an error of the subtask. */
export type VisitPage = (context: VisitContext) => Promise<VisitResult>;

/** Opens pages over HTTP and extracts what the task's actions define. */
export function visitPage(load: LoadPage, limits: ReadingLimits): VisitPage {
  return async ({ task, visit, signal }) => {
    // A row without a link to a detail page.
    if (visit.url === "" && visit.row !== undefined) return { rows: [visit.row], next: [] };
    const page = await load(visit.url, task.taskId, signal);
    const content = await readInWorker({ page, reading: readingOf(task, visit) }, limits, signal);
    switch (visit.kind) {
      case "form":
        return { rows: [], next: [{ kind: "list", url: content.next ?? "" }] };
      case "detail":
        return { rows: [{ ...visit.row, ...content.rows[0] }], next: [] };
      default:
        return listResult(task, visit, page.url, content);
    }
  };
}

function readingOf(task: ExtractedTask, visit: PageVisit): Reading {
  const { rowSelector, fields, detail, pagination } = extractionOf(task);
  switch (visit.kind) {
    case "form":
      return { kind: "form", fieldSelector: formField(task), text: visit.text ?? "" };
    case "detail":
      return { kind: "detail", fields: detail?.fields ?? [] };
    default: {
      const more = pagination !== undefined && (visit.page ?? 1) < pagination.maxPages;
      const nextSelector = more ? pagination.nextSelector : undefined;
      return { kind: "list", rowSelector, fields, linkSelector: detail?.linkSelector, nextSelector };
    }
  }
}

function formField(task: ExtractedTask): string | undefined {
  const entering = task.actions.find((action) => action.actionType === "EnterTextAction");
  const selector = entering?.properties.get("Selector");
  return selector === "" ? undefined : selector;
}

function listResult(task: ExtractedTask, visit: PageVisit, pageUrl: string, content: PageContent): VisitResult {
  const next = nextPage(visit, pageUrl, content.next);
  const { detail } = extractionOf(task);
  if (detail === undefined) return { rows: content.rows, next };
  // Rows keep the order of the page, so rows without a link go into the queue too, as detail pages without a URL.
  const empty = Object.fromEntries(detail.fields.map((field) => [field.name, ""]));
  const details = content.rows.map(
    (row, index): PageVisit => ({ kind: "detail", url: content.links[index] ?? "", row: { ...row, ...empty } }),
  );
  return { rows: [], next: details.concat(next) };
}

/** The next page of a list, unless the list has had it: the last page can link to itself or to the first page. */
function nextPage(visit: PageVisit, pageUrl: string, url: string | undefined): PageVisit[] {
  if (url === undefined) return [];
  const visited = [...new Set([...(visit.visited ?? []), withoutFragment(visit.url), withoutFragment(pageUrl)])];
  if (visited.includes(withoutFragment(url))) return [];
  return [{ kind: "list", url, page: (visit.page ?? 1) + 1, visited }];
}

/** A fragment is a place within a page, not another page. */
function withoutFragment(text: string): string {
  const url = new URL(text);
  url.hash = "";
  return url.href;
}
