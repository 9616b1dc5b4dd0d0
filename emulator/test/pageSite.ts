import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What a path of the site answers. */
export type Page = string | ((request: IncomingMessage, response: ServerResponse) => void);

/** A site of a few pages for one test file. */
export interface PageSite {
  url: string;
  pages: Map<string, Page>;
  /** Paths asked for, in order. */
  asked: string[];
  close(): Promise<void>;
}

export async function startSite(): Promise<PageSite> {
  const pages = new Map<string, Page>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    const page = pages.get(path);
    if (page === undefined) response.writeHead(404, { "content-type": "text/html" }).end("<h1>nothing here</h1>");
    else if (typeof page === "string")
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
    else page(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    pages,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
