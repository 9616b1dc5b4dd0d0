/**
 * What the pages of the shop say, read from disk: the rows that a run of the quickstart should yield. It shares nothing with the emulator:
 * another parser, another selector engine (happy-dom's own), no HTTP and none of the task's selectors.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Document, Element } from "happy-dom";
import { Window } from "happy-dom";

export interface Pages {
  /** The folder with the pages. */
  folder: string;
  /** Where the pages are served, without a slash at its end: links in rows are absolute. */
  siteUrl: string;
  /** Paths of the lists to begin with, such as `/shelves/novels/`. */
  lists: string[];
  /** Pages to read of each list. */
  maxPages: number;
}

const window = new Window();

function open(pages: Pages, url: string): Document | undefined {
  const path = decodeURIComponent(new URL(url).pathname);
  const file = join(pages.folder, path.endsWith("/") ? `${path}index.html` : path);
  if (!existsSync(file)) return undefined;
  return new window.DOMParser().parseFromString(readFileSync(file, "utf8"), "text/html");
}

function textOf(parent: Element | Document | undefined, tag: string, className: string): string {
  const found = [...(parent?.getElementsByTagName(tag) ?? [])].find((element) => element.classList.contains(className));
  return (found?.textContent ?? "").replace(/\s+/g, " ").trim();
}

function attribute(parent: Element | Document | undefined, selector: string, name: string): string {
  return parent?.querySelector(selector)?.getAttribute(name) ?? "";
}

function absolute(link: string, page: string): string {
  return link === "" ? "" : new URL(link, page).href;
}

function readBook(pages: Pages, item: Element, page: string): Record<string, string> {
  const link = absolute(attribute(item, "h2 > a", "href"), page);
  const detail = open(pages, link);
  return {
    sku: item.getAttribute("data-sku") ?? "",
    title: textOf(item, "h2", "title"),
    price: textOf(item, "span", "amount"),
    currency: textOf(item, "span", "currency"),
    cover: attribute(item, "img", "alt"),
    link,
    author: textOf(detail, "p", "author").replace(/^by /, ""),
    isbn: textOf(detail, "dd", "isbn"),
    length: textOf(detail, "dd", "length"),
    stock: textOf(detail, "dd", "stock"),
    blurb: textOf(detail, "p", "blurb"),
    publisher: absolute(attribute(detail, "main a.publisher", "href"), link),
  };
}

/** The rows that the pages hold, in the order of the lists, their pages and their books. */
export function readPages(pages: Pages): Record<string, string>[] {
  const rows: Record<string, string>[] = [];
  for (const list of pages.lists) {
    let url = `${pages.siteUrl}${list}`;
    for (let read = 0; read < pages.maxPages; read++) {
      const page = open(pages, url);
      if (page === undefined) throw new Error(`${pages.folder} has no page for ${url}.`);
      for (const item of page.getElementsByTagName("li")) {
        if (item.classList.contains("book")) rows.push(readBook(pages, item, url));
      }
      const next = attribute(page, "a[rel=next]", "href");
      if (next === "") break;
      url = absolute(next, url);
    }
  }
  return rows;
}
