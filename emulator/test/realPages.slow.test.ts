import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Emulator } from "webextract-emulator";
import { runTemplate, startWith } from "./caller";

interface OtherElement {
  textContent: string;
  getAttribute(name: string): string | null;
}

/** A parser that shares no code with the emulator's. Its declarations name a module of another name. */
const {
  createDocument,
}: {
  createDocument(html: string, force: boolean): { querySelector(selector: string): OtherElement | null };
} = require("@mixmark-io/domino");

/** Pages that nobody wrote for this project: manuals of Debian, from its package archive. */
const packages = ["python3.11-doc", "postgresql-doc-15"];
const pageCount = 1000;

const fields = {
  "Field.title": "title",
  "Field.heading": "h1",
  "Field.second": "h2",
  "Field.code": "pre",
  "Field.item": "ul > li",
  "Field.link": "a[href]@href",
  "Field.id": "[id]@id",
  "Field.cell": "td:first-child",
};

describe("real pages", function () {
  this.timeout(900_000);
  let folder: string;
  let emulator: Emulator;
  let pages: string[];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "", "http://site").pathname);
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(readFileSync(join(folder, path)));
  });

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "emulator-pages-"));
    execFileSync("apt-get", ["download", ...packages], { cwd: folder, stdio: "pipe" });
    for (const file of readdirSync(folder)) execFileSync("dpkg-deb", ["-x", file, "."], { cwd: folder });
    pages = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".html"))
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
      .sort()
      .reverse()
      .slice(0, pageCount);
    assert.equal(pages.length, pageCount);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    emulator = await startWith([], { pageTimeoutMs: 60_000 });
  });
  after(async () => {
    await emulator.close();
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  });

  it("give the same fields as another parser, page by page", async () => {
    const { port } = server.address() as AddressInfo;
    const urls = pages.map((path) => `http://127.0.0.1:${port}${encodeURI(path)}`);
    emulator.change.addTask({
      taskId: "task",
      taskGroupId: "group",
      actions: [{ actionType: "ExtractDataAction", actionId: "extract", properties: fields }],
      startUrls: urls,
      urlsPerSubtask: 50,
    });
    await runTemplate(emulator, "task");
    const subtasks = emulator.inspect.runs("task")[0]?.subtasks ?? [];
    assert.deepEqual(
      subtasks.flatMap(({ errors }) => errors),
      [],
    );
    const rows = emulator.inspect.rows("task");
    assert.equal(rows.length, pageCount);
    const different: string[] = [];
    for (const [index, path] of pages.entries()) {
      const expected = readWithOther(readFileSync(join(folder, path), "utf8"), urls[index] ?? "");
      for (const [name, value] of Object.entries(expected)) {
        if (rows[index]?.[name] !== value) different.push(`${path} ${name}: ${rows[index]?.[name]} | ${value}`);
      }
    }
    assert.deepEqual(different, []);
  });
});

function readWithOther(html: string, url: string): Record<string, string> {
  const document = createDocument(html, true);
  return Object.fromEntries(
    Object.entries(fields).map(([property, value]) => {
      const [selector = "", attribute] = value.split("@");
      const element = document.querySelector(selector);
      const found = attribute === undefined ? element?.textContent : element?.getAttribute(attribute);
      const text = (found ?? "").replace(/\s+/g, " ").trim();
      return [property.slice("Field.".length), attribute === "href" ? new URL(text, url).href : text];
    }),
  );
}
