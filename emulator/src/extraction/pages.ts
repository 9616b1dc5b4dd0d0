import type { CheerioAPI } from "cheerio" with { "resolution-mode": "import" };
import type { StoredTask } from "../store/store";
import type { Field } from "./extraction";
import { extractionOf } from "./extraction";
import type { FetchedPage, PageOptions } from "./fetchPage";
import { fetchPage } from "./fetchPage";
import { submittedForm } from "./forms";
import type { VisitPage } from "./runner";
import type { PageVisit, VisitResult } from "./visit";

/** The elements that contain the fields. */
type Scope = ReturnType<CheerioAPI>;

/** Opens pages over HTTP and extracts what the task's actions define. */
export function visitPage(options: PageOptions): VisitPage {
  return async (task, visit, signal) => {
    // A row without a link to a detail page.
    if (visit.url === "" && visit.row !== undefined) return { rows: [visit.row], next: [] };
    const page = await fetchPage(visit.url, options, signal);
    const $ = await parsePage(page);
    switch (visit.kind) {
      case "form":
        return { rows: [], next: [{ kind: "list", url: submittedForm($, page.url, task, visit.text ?? "") }] };
      case "detail":
        return readDetail($, page, task, visit.row ?? {});
      default:
        return readList($, page, task, visit.page ?? 1);
    }
  };
}

async function parsePage(page: FetchedPage): Promise<CheerioAPI> {
  // Loaded with the first page, because loading it takes longer than the rest of a start.
  const { loadBuffer } = await import("cheerio");
  return loadBuffer(page.bytes, { baseURI: page.url, encoding: encodingOf(page) });
}

function encodingOf({ charset }: FetchedPage): { transportLayerEncodingLabel?: string; defaultEncoding: string } {
  const label = charset === undefined ? {} : { transportLayerEncodingLabel: charset };
  return { ...label, defaultEncoding: "utf-8" };
}

function readList($: CheerioAPI, page: FetchedPage, task: StoredTask, pageNumber: number): VisitResult {
  const { rowSelector, fields, detail, pagination } = extractionOf(task);
  const scopes = $(rowSelector ?? "html")
    .toArray()
    .map((element) => $(element));
  const read = scopes.map((scope) => ({
    row: readFields(scope, page.url, fields),
    link: detail && linkIn(scope, detail.linkSelector, page.url),
  }));

  const next: PageVisit[] = [];
  if (pagination !== undefined && pageNumber < pagination.maxPages) {
    const url = linkIn($.root(), pagination.nextSelector, page.url);
    // The last page can link to itself.
    if (url !== undefined && url !== page.url) next.push({ kind: "list", url, page: pageNumber + 1 });
  }
  if (detail === undefined) return { rows: read.map(({ row }) => row), next };

  // Rows keep the order of the page, so rows without a link go into the queue too, as detail pages without a URL.
  const empty = Object.fromEntries(detail.fields.map((field) => [field.name, ""]));
  const details = read.map(
    ({ row, link }): PageVisit => ({ kind: "detail", url: link ?? "", row: { ...row, ...empty } }),
  );
  return { rows: [], next: [...details, ...next] };
}

function readDetail($: CheerioAPI, page: FetchedPage, task: StoredTask, row: Record<string, string>): VisitResult {
  const { detail } = extractionOf(task);
  return { rows: [{ ...row, ...readFields($.root(), page.url, detail?.fields ?? []) }], next: [] };
}

function readFields(scope: Scope, base: string, fields: readonly Field[]): Record<string, string> {
  return Object.fromEntries(
    fields.map(({ name, selector, attribute }) => {
      const found = selector === "" ? scope : scope.find(selector).first();
      if (attribute === undefined) return [name, found.text().replace(/\s+/g, " ").trim()];
      const value = found.attr(attribute) ?? "";
      const isLink = attribute === "href" || attribute === "src";
      return [name, isLink && value !== "" ? (absolute(value, base) ?? value) : value];
    }),
  );
}

function linkIn(scope: Scope, selector: string, base: string): string | undefined {
  const href = scope.find(selector).first().attr("href");
  return href === undefined || href === "" ? undefined : absolute(href, base);
}

function absolute(link: string, base: string): string | undefined {
  return URL.canParse(link, base) ? new URL(link, base).href : undefined;
}
