import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { SeedAction } from "webextract-emulator";
import type { EmulatorProcess } from "./emulatorProcess";
import { withEmulator } from "./emulatorProcess";
import { startRun } from "./finishedRun";

/** Extracts the rows of its pages. */
const extractRows: SeedAction = {
  actionId: "extract",
  actionType: "ExtractDataAction",
  properties: { RowSelector: "article", "Field.title": "h2", "Field.price": ".price", "Field.url": "a@href" },
};

/** A site of a shop on this machine, whose pages have this number of rows of about 800 bytes. */
interface Shop {
  pages: number;
  rowsOfPage: number;
}

/** The site, and an emulator whose template extracts it. `run` does so, and resolves when all rows are there. */
export async function withShop<T>(
  { pages, rowsOfPage }: Shop,
  work: (run: () => Promise<void>, emulator: EmulatorProcess, folder: string) => Promise<T>,
): Promise<T> {
  const content = pageOf(rowsOfPage);
  const server = createServer((_request, response) => response.setHeader("content-type", "text/html").end(content));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const startUrls = Array.from({ length: pages }, (_, index) => `http://127.0.0.1:${port}/${index}`);
  try {
    return await withEmulator({ actions: [extractRows], startUrls }, (emulator, folder) => {
      const run = async (): Promise<void> => void (await startRun(emulator.url, pages * rowsOfPage));
      return work(run, emulator, folder);
    });
  } finally {
    server.close();
  }
}

function pageOf(rowsOfPage: number): string {
  const text =
    "A description of the article, as long as those of most shops, with <b>two</b> <i>marks</i> in it. ".repeat(6);
  const article = (index: number): string =>
    `<article><h2>Article ${index}</h2><p class="price">${index}.50</p><p>${text}</p><a href="/article/${index}">more</a></article>`;
  return `<!doctype html><title>Articles</title><main>${Array.from({ length: rowsOfPage }, (_, index) => article(index)).join("\n")}</main>`;
}
