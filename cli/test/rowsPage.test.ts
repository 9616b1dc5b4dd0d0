import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { closePages, openBrowser } from "../../emulator/test/page/browser";
import { slowIt } from "../../test/environment";
import { allHostileStrings } from "../../test/hostile";
import { openFile } from "./openFile";
import { CliWorld, shop } from "./webextract";

describe("the page of webextract rows", () => {
  let world: CliWorld;
  let browser: Browser;
  before(async () => {
    browser = await openBrowser();
  });
  after(closePages);
  beforeEach(async () => {
    const seed = { taskGroups: [{ taskGroupId: "shops" }], tasks: [{ ...shop, syntheticRows: 0 }] };
    world = await CliWorld.create({ seed });
  });
  afterEach(() => world.remove());

  /** Writes the page of rows, and opens it. */
  const open = async (rows: readonly object[], context: BrowserContextOptions = {}, flags = "") => {
    const lines = rows.map((row) => JSON.stringify(row));
    world.emulator.change.insertRows("shop-1", lines);
    const { code, stdout, stderr } = await world.run(`rows shop-1 --html rows.html --yes${flags}`);
    assert.equal(code, 0, stderr);
    return { stdout, ...(await openFile(browser, world.path("rows.html"), context)) };
  };
  const column = async (tab: Page, index: number): Promise<string[]> =>
    tab.locator(`#rows tbody tr:visible td:nth-child(${index})`).allInnerTexts();

  const rows = [
    { sku: "007", price: "12.50", title: "Größe" },
    { sku: "10", price: "3", title: " " },
    { sku: "9", price: "", title: "Pen" },
    { sku: "x", late: "y" },
  ];

  it("shows the rows, filled shares as bars, and the usual table in the terminal", async () => {
    const { tab, problems, stdout } = await open(rows, {}, " -n 1");
    assert.match(stdout, /^sku {2}price {2}title\n007 {2}12\.50 {2}Größe\n\n1 of 4 rows\.\n$/);
    assert.equal(await tab.title(), "Rows");
    assert.match(await tab.locator("ul").innerText(), /Task shop-1\s+4 of 4 rows, 4 fields/);
    const shares = await tab.locator("#fields tbody tr").allInnerTexts();
    assert.deepEqual(
      shares.map((each) => each.replace(/\s+/g, " ")),
      ["sku 100%", "price 50%", "title 50%", "late 25%"],
    );
    const widths = await tab
      .locator("#fields rect:not(.all)")
      .evaluateAll((bars: { getAttribute(name: string): string }[]) => bars.map((each) => each.getAttribute("width")));
    assert.deepEqual(widths, ["100", "50", "50", "25"]);
    assert.deepEqual(await column(tab, 2), ["007", "10", "9", "x"]);
    assert.deepEqual(problems, []);
  });

  it("searches and sorts by a click on a title, numbers as numbers and empty cells last", async () => {
    const { tab, problems } = await open(rows);
    const press = (title: string) => tab.locator("#rows").getByRole("button", { name: title }).click();
    await press("price");
    assert.deepEqual(await column(tab, 3), ["3", "12.50", "", ""]);
    assert.equal(await tab.locator("#rows th[aria-sort=ascending]").innerText(), "price");
    await press("price");
    assert.deepEqual(await column(tab, 3), ["12.50", "3", "", ""]);
    await press("sku");
    assert.deepEqual(await column(tab, 2), ["007", "9", "10", "x"]);
    assert.equal(await tab.locator("[aria-sort]").count(), 1);
    await tab.getByRole("searchbox").last().fill("PEN");
    assert.deepEqual(await column(tab, 2), ["9"]);
    assert.deepEqual(problems, []);
  });

  it("has no finding of axe, and fits 400 px", async () => {
    const { tab } = await open(rows, { viewport: { width: 400, height: 800 }, bypassCSP: true });
    await tab.evaluate(axe.source);
    const { violations } = (await tab.evaluate("axe.run()")) as axe.AxeResults;
    assert.deepEqual(
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)),
      [],
    );
    assert.ok(((await tab.evaluate("document.documentElement.scrollWidth")) as number) <= 400);
  });

  it("shows hostile names and values as text, and no secret", async () => {
    const texts = [...allHostileStrings.map(({ text }) => text), "</script><script>document.title='harmed'</script>"];
    const { tab, problems } = await open(texts.map((text) => ({ v: text, [`${text}.`]: "n" })));
    assert.equal(await tab.title(), "Rows");
    assert.equal(await tab.locator("script, style").count(), 2);
    assert.equal(await tab.locator("img, iframe, link, a, form, object").count(), 0);
    assert.doesNotMatch(readFileSync(world.path("rows.html"), "utf8"), /[^\P{Cc}\n]|[\p{Cf}\p{Cs}\u2028\u2029]/u);
    assert.deepEqual(problems, []);
  });

  slowIt("shows the first 10,000 rows, and fewer of large ones", async function () {
    this.timeout(120_000);
    const many = Array.from({ length: 10_050 }, (_, index) => ({ n: index, title: "Book" }));
    const { tab } = await open(many);
    assert.match(await tab.locator("ul").innerText(), /10000 of 10050 rows/);
    assert.equal(await tab.locator("#rows tbody tr").count(), 10_000);
    const large = Array.from({ length: 30 }, () => ({ v: "x".repeat(1_000_000) }));
    world.emulator.change.addTask({ taskId: "large", taskGroupId: "shops", actions: [] });
    const lines = large.map((row) => JSON.stringify(row));
    world.emulator.change.insertRows("large", lines);
    assert.equal((await world.run("rows large --html large.html --columns v")).code, 0);
    const html = readFileSync(world.path("large.html"), "utf8");
    assert.match(html, /10 rows more would make the page too large\./);
    assert.ok(statSync(world.path("large.html")).size < 4_000_000);
  });

  it("asks before it replaces a file, reads no row for another ending, and writes no page if a field is missing", async () => {
    writeFileSync(world.path("rows.html"), "mine");
    const refused = await world.run("rows shop-1 --html rows.html");
    assert.notEqual(refused.code, 0);
    assert.equal(readFileSync(world.path("rows.html"), "utf8"), "mine");
    assert.match((await world.run("rows shop-1 --html rows.csv")).stderr, /must be a file that ends in \.html/);
    world.emulator.change.insertRows("shop-1", ['{"a":1}']);
    assert.equal((await world.run("rows shop-1 --html new.html --columns b")).code, 1);
    assert.ok(!existsSync(world.path("new.html")));
  });
});
