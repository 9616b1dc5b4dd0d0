import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator } from "webextract-emulator";
import { allTests } from "../../test/eachTest";
import { deadLinks } from "../../test/quickstart/deadLinks";
import { runTemplate, startWith } from "./caller";
import { emulator as emulatorProcess } from "./emulatorProcess";

describe("the bookshop of the emulator", () => {
  const emulator = allTests(() => startEmulator({ bookshop: true, adminToken: "token", latencyMs: 60_000 }));
  let shop: string;
  before(() => {
    shop = `${emulator.url}/bookshop/`;
  });

  it("is served without credentials, without latency and without entries in the journal", async () => {
    const response = await fetch(`${shop}shelves/kids/?page=1`);
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type") ?? "", /text\/html; *charset=utf-8/i);
    assert.match(await response.text(), /Kinderbücher/);
    assert.deepEqual(emulator.requests, []);
  });

  it("has exactly one dead link, and none that leaves it", async () => {
    assert.deepEqual(await deadLinks(shop), ["/bookshop/books/ul-2006.html"]);
  });

  it("redirects from a folder without a slash, because links are relative", async () => {
    for (const folder of ["", "/shelves/novels"]) {
      const response = await fetch(`${emulator.url}/bookshop${folder}`);
      assert.deepEqual([response.url, response.status], [`${emulator.url}/bookshop${folder}/`, 200]);
    }
  });

  it("responds to an unknown path with its own page, and serves no file outside its folder", async () => {
    for (const path of ["none.html", "shelves", "..%2fbooks.json", "..%2f..%2fpackage.json", "%zz"]) {
      const response = await fetch(`${shop}${path}`);
      assert.equal(response.status, 404, path);
      assert.match(await response.text(), /This page does not exist/, path);
    }
  });

  it("takes GET and HEAD only", async () => {
    const head = await fetch(shop, { method: "HEAD" });
    assert.deepEqual([head.status, await head.text()], [200, ""]);
    const post = await fetch(shop, { method: "POST", body: "{}" });
    assert.deepEqual([post.status, post.headers.get("allow")], [405, "GET, HEAD"]);
  });

  it("is absent without the option", async () => {
    const plain = await startEmulator();
    const response = await fetch(`${plain.url}/bookshop/`);
    assert.equal(response.status, 404);
    assert.equal(plain.requests.length, 1);
    await plain.close();
  });

  it("is served by the command with --bookshop, which prints its address", async () => {
    const running = emulatorProcess("--port", "0", "--bookshop");
    const address = await running.says(/^Bookshop: (http:\S+)\.$/m);
    assert.equal((await fetch(address)).status, 200);
    running.process.kill("SIGTERM");
    assert.equal(await running.ended, 0);
  });
});

describe("a site in a folder", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "emulator-site-"));
    mkdirSync(join(folder, "pages", "list"), { recursive: true });
    writeFileSync(join(folder, "outside.html"), "outside");
    writeFileSync(
      join(folder, "pages", "list", "index.html"),
      '<li><b>1</b></li><a class="next" href="seite%202.html">',
    );
    writeFileSync(join(folder, "pages", "list", "seite 2.html"), "<li><b>2</b></li>");
  });
  after(() => rmSync(folder, { recursive: true }));

  it("is extracted, with pages that are written after the start", async () => {
    const emulator = await startWith([], { site: join(folder, "pages") });
    writeFileSync(join(folder, "pages", "late.html"), "<li><b>3</b></li>");
    const extract = { RowSelector: "li", "Field.name": "b" };
    emulator.change.addTask({
      taskId: "task",
      taskGroupId: "group",
      actions: [
        { actionType: "ExtractDataAction", actionId: "extract", properties: extract },
        { actionType: "PaginationAction", actionId: "pages", properties: { NextSelector: "a.next" } },
      ],
      startUrls: [`${emulator.url}/site/list`, `${emulator.url}/site/late.html`],
    });
    await runTemplate(emulator, "task");
    assert.deepEqual(
      emulator.inspect.rows("task").map(({ name }) => name),
      ["1", "2", "3"],
    );
    await emulator.close();
  });

  it("has no file outside of its folder", async () => {
    const emulator = await startEmulator({ site: join(folder, "pages") });
    for (const path of [
      "..%2foutside.html",
      "%2e%2e/outside.html",
      "list",
      "%00",
      encodeURIComponent(__filename),
      "%zz",
    ]) {
      const response = await fetch(`${emulator.url}/site/${path}`, { redirect: "manual" });
      assert.notEqual(response.status, 200, path);
    }
    await emulator.close();
  });

  it("must be a folder that exists", async () => {
    await assert.rejects(startEmulator({ site: join(folder, "none") }), /the folder .*none of the site does not exist/);
    await assert.rejects(startEmulator({ site: join(folder, "outside.html") }), /does not exist/);
  });

  it("is served by the command with --site, which prints its address", async () => {
    const running = emulatorProcess("--port", "0", "--site", join(folder, "pages"));
    const address = await running.says(/^Site: (http:\S+)\.$/m);
    assert.equal((await fetch(`${address}list/`)).status, 200);
    running.process.kill("SIGTERM");
    assert.equal(await running.ended, 0);
  });
});
