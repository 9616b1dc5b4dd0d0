import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { SeedAction } from "webextract-emulator";

/** A site of a shop on this machine. */
export interface ShopSite {
  /** Its pages. */
  urls: string[];
  close(): void;
}

/** Extracts the rows of its pages. */
export const extractRows: SeedAction = {
  actionId: "extract",
  actionType: "ExtractDataAction",
  properties: { RowSelector: "article", "Field.title": "h2", "Field.price": ".price", "Field.url": "a@href" },
};

/** Starts a site of some pages, each with this number of rows of about 800 bytes. */
export async function startShop(pages: number, rowsOfPage: number): Promise<ShopSite> {
  const content = pageOf(rowsOfPage);
  const server = createServer((_request, response) => response.setHeader("content-type", "text/html").end(content));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const urls = Array.from({ length: pages }, (_, index) => `http://127.0.0.1:${port}/${index}`);
  return { urls, close: () => void server.close() };
}

function pageOf(rowsOfPage: number): string {
  const text =
    "A description of the article, as long as those of most shops, with <b>two</b> <i>marks</i> in it. ".repeat(6);
  const article = (index: number): string =>
    `<article><h2>Article ${index}</h2><p class="price">${index}.50</p><p>${text}</p><a href="/article/${index}">more</a></article>`;
  return `<!doctype html><title>Articles</title><main>${Array.from({ length: rowsOfPage }, (_, index) => article(index)).join("\n")}</main>`;
}
