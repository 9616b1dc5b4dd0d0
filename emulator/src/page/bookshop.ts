import type { IncomingMessage, ServerResponse } from "node:http";
import type { Listener } from "../http/server";
import { StaticFiles } from "./staticFiles";

/** The pages of a small bookshop, which runs can extract without another site. */
export class Bookshop implements Listener {
  readonly prefix = "/bookshop";
  private readonly files = new StaticFiles("bookshop/pages");

  serve({ method = "GET", url = "" }: IncomingMessage, response: ServerResponse): void {
    if (method !== "GET" && method !== "HEAD") {
      response.writeHead(405, { allow: "GET, HEAD" }).end();
      return;
    }
    const path = url.split("?")[0] ?? "";
    const name = path.slice(this.prefix.length + 1);
    if (!path.endsWith("/") && this.files.has(name === "" ? "index.html" : `${name}/index.html`)) {
      // The links of the page are relative to its folder.
      response.writeHead(301, { location: `${path}/` }).end();
      return;
    }
    const found = this.files.read(name === "" || name.endsWith("/") ? `${name}index.html` : name);
    const file = found ?? this.files.read("404.html");
    response.writeHead(found === undefined ? 404 : 200, { "content-type": file?.type }).end(file?.content);
  }
}
