import assert from "node:assert/strict";
import type { Emulator } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { deadLinks } from "../quickstart/deadLinks";
import { emulator as emulatorProcess } from "./emulatorProcess";

describe("the bookshop of the emulator", () => {
  let emulator: Emulator;
  let shop: string;
  before(async () => {
    emulator = await startEmulator({ bookshop: true, adminToken: "token", latencyMs: 60_000 });
    shop = `${emulator.url}/bookshop/`;
  });
  after(() => emulator.close());

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
