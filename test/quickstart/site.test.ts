import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { generatePages } from "../../emulator/bookshop/generate";
import type { Site } from "../../examples/quickstart/serveSite";
import { pagesFolder, serveSite } from "../../examples/quickstart/serveSite";
import { deadLinks } from "./deadLinks";
import { readPages } from "./readPages";

const lists = ["novels", "nature", "kids", "staff-picks", "signed"].map((shelf) => `/shelves/${shelf}/`);

describe("the shop of the quickstart", () => {
  let site: Site;
  before(async () => {
    site = await serveSite();
  });
  after(() => site.close());

  it("is equal to the output of its generator", () => {
    for (const [file, html] of generatePages()) assert.equal(readFileSync(join(pagesFolder, file), "utf8"), html, file);
  });

  it("is served as UTF-8, with the index page of a folder at the folder's address", async () => {
    const answer = await fetch(`${site.url}/shelves/kids/`);
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get("content-type") ?? "", /text\/html; *charset=utf-8/i);
    assert.match(await answer.text(), /Kinderbücher/);
  });

  it("responds to an unknown path with status 404 and the site's own page", async () => {
    const answer = await fetch(`${site.url}/books/none.html`);
    assert.equal(answer.status, 404);
    assert.match(await answer.text(), /This page does not exist/);
  });

  it("serves no file outside its folder", async () => {
    assert.equal((await fetch(`${site.url}/..%2fbooks.json`)).status, 404);
  });

  it("has exactly one dead link", async () => {
    assert.deepEqual(await deadLinks(`${site.url}/`), ["/books/ul-2006.html"]);
  });

  it("names a port that is in use", async () => {
    await assert.rejects(serveSite({ port: Number(new URL(site.url).port) }), { code: "EADDRINUSE" });
  });

  it("holds 27 books, some without a price, an author, a cover or a page of their own", () => {
    const rows = readPages({ folder: pagesFolder, siteUrl: site.url, lists, maxPages: 9 });
    assert.equal(rows.length, 27);
    const without = (field: string) => rows.filter((row) => row[field] === "").map((row) => row.sku);
    assert.deepEqual(without("price"), ["UL-1006"]);
    assert.deepEqual(without("cover"), ["UL-3003"]);
    assert.deepEqual(without("author"), ["UL-1008", "UL-2006", "UL-3004"]);
    assert.deepEqual(without("stock"), ["UL-2006"]);
    assert.equal(rows.find((row) => row.sku === "UL-3003")?.title, "小さなカバの旅");
    assert.equal(rows.find((row) => row.sku === "UL-1002")?.link, `${site.url}/books/ul-1002.html`);
  });

  it("is extracted page by page, up to the requested number of pages", () => {
    const first = readPages({ folder: pagesFolder, siteUrl: site.url, lists, maxPages: 1 });
    assert.equal(first.length, 4 + 4 + 3 + 3 + 2);
  });
});
