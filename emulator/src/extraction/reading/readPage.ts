import type { CheerioAPI } from "cheerio" with { "resolution-mode": "import" };
import type { Field } from "../extraction";
import type { FetchedPage } from "../fetchPage";
import { parsedUrl } from "../parsedUrl";
import { submittedForm } from "./forms";
import { select } from "./selectors";

/** What to read from a page. It is sent to a worker thread, so it contains data only. */
export type Reading =
  | {
      kind: "list";
      rowSelector: string | undefined;
      fields: Field[];
      /** The link of each row to its detail page. */
      linkSelector: string | undefined;
      /** The link to the next page. */
      nextSelector: string | undefined;
    }
  | { kind: "detail"; fields: Field[] }
  | { kind: "form"; fieldSelector: string | undefined; text: string };

/** A page and what to read from it. */
export interface PageJob {
  page: FetchedPage;
  reading: Reading;
}

/** What a page contains. */
export interface PageContent {
  rows: Record<string, string>[];
  /** The link of each row, if asked for. */
  links: (string | undefined)[];
  /** The link to the next page of a list, or the page to which a form leads. */
  next: string | undefined;
}

/** The elements that contain the fields. */
type Scope = ReturnType<CheerioAPI>;

/**
 * Parses a page and selects its content. Both can take any time and memory, so this runs in a worker thread.
 * @throws Error that names the property of a wrong selector.
 */
export async function readPage({ page, reading }: PageJob): Promise<PageContent> {
  const $ = await parsePage(page);
  const base = baseOf($, page.url);
  switch (reading.kind) {
    case "form":
      return { rows: [], links: [], next: submittedForm($, { page: page.url, base }, reading) };
    case "detail":
      return { rows: [readFields($.root(), base, reading.fields)], links: [], next: undefined };
    default:
      return readList($, base, reading);
  }
}

async function parsePage(page: FetchedPage): Promise<CheerioAPI> {
  const { loadBuffer } = await import("cheerio");
  const label = page.charset === undefined ? {} : { transportLayerEncodingLabel: page.charset };
  return loadBuffer(Buffer.from(page.bytes), {
    encoding: { ...label, defaultEncoding: "utf-8" },
    // No script runs, so the content of <noscript> is part of the page.
    scriptingEnabled: false,
  });
}

/** The address against which the page's links are resolved. */
function baseOf($: CheerioAPI, url: string): string {
  const href = $("base[href]").first().attr("href");
  return href === undefined ? url : (absolute(href, url) ?? url);
}

function readList($: CheerioAPI, base: string, reading: Extract<Reading, { kind: "list" }>): PageContent {
  const { rowSelector, fields, linkSelector, nextSelector } = reading;
  const content: PageContent = { rows: [], links: [], next: undefined };
  for (const element of select("RowSelector", rowSelector ?? "html", (selector) => $(selector)).toArray()) {
    const scope = $(element);
    content.rows.push(readFields(scope, base, fields));
    if (linkSelector !== undefined) content.links.push(linkIn(scope, "LinkSelector", linkSelector, base));
  }
  if (nextSelector !== undefined) content.next = linkIn($.root(), "NextSelector", nextSelector, base);
  return content;
}

function readFields(scope: Scope, base: string, fields: readonly Field[]): Record<string, string> {
  return Object.fromEntries(
    fields.map(({ name, selector, attribute }) => {
      const found = selector === "" ? scope : select(`Field.${name}`, selector, (valid) => scope.find(valid).first());
      if (attribute === undefined) return [name, found.text().replace(/\s+/g, " ").trim()];
      const value = found.attr(attribute) ?? "";
      const isLink = attribute === "href" || attribute === "src";
      return [name, isLink && value !== "" ? (absolute(value, base) ?? value) : value];
    }),
  );
}

function linkIn(scope: Scope, property: string, selector: string, base: string): string | undefined {
  const href = select(property, selector, (valid) => scope.find(valid).first()).attr("href");
  return href === undefined || href === "" ? undefined : absolute(href, base);
}

function absolute(link: string, base: string): string | undefined {
  return parsedUrl(link, base)?.href;
}
