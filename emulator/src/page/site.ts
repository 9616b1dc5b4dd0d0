import type { IncomingMessage, ServerResponse } from "node:http";
import type { Listener } from "../http/server";
import { StaticFiles } from "./staticFiles";

/** A folder of pages that runs can extract. */
export class Site implements Listener {
  readonly prefix: string;
  private readonly files: StaticFiles;

  /** @param folder its absolute path. */
  constructor(prefix: string, folder: string) {
    this.prefix = prefix;
    this.files = new StaticFiles(folder);
  }

  serve({ method = "GET", url = "" }: IncomingMessage, response: ServerResponse): void {
    if (method !== "GET" && method !== "HEAD") {
      response.writeHead(405, { allow: "GET, HEAD" }).end();
      return;
    }
    const [path = ""] = url.split("?");
    const name = decoded(path.slice(this.prefix.length + 1));
    if (!path.endsWith("/") && this.files.read(`${name}/index.html`) !== undefined) {
      // The links of the page are relative to its folder.
      response.writeHead(301, { location: `${path}/` }).end();
      return;
    }
    const found = this.files.read(path.endsWith("/") ? `${name}index.html` : name);
    const file = found ?? this.files.read("404.html");
    response.writeHead(found === undefined ? 404 : 200, { "content-type": file?.type ?? "text/plain" });
    response.end(file?.content);
  }
}

/** Text that is not encoded names no file. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
