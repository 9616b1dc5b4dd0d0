import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { closePages, openBrowser } from "../../emulator/test/page/browser";
import { isLarge, slowIt } from "../../test/environment";
import { allHostileStrings } from "../../test/hostile";
import { Comparing } from "./comparing";
import { openFile } from "./openFile";

describe("the page of webextract compare", () => {
  let files: Comparing;
  let browser: Browser;
  before(async () => {
    files = new Comparing();
    browser = await openBrowser();
  });
  after(async () => {
    await closePages();
    files.remove();
  });

  /** Writes a page and opens it. */
  const open = async (base: unknown[], head: unknown[], options = {}, context: BrowserContextOptions = {}) => {
    const html = files.path("page.html");
    const sides = [files.rows("base.ndjson", base), files.rows("head.ndjson", head)] as const;
    await files.compare(...sides, { key: ["sku"], html, yes: true, ...options });
    return openFile(browser, html, context);
  };
  const shownRows = (tab: Page, table: string): Promise<string[]> =>
    tab.locator(`#${table} tbody tr:visible`).allInnerTexts();

  const base = Array.from({ length: 40 }, (_, index) => ({
    sku: `${index}`,
    price: `${index}.5`,
    title: "Book",
    gone: "x",
  }));
  const head = [
    ...base.slice(1).map(({ sku, title }, index) => ({ sku, title, price: index % 2 === 0 ? "" : `${index}.9` })),
    { sku: "new-1", title: "Pen", price: "1" },
  ];

  it("shows filled shares as bars, and each row that differs", async () => {
    const { tab, problems } = await open(base, head, { failOn: ["changed>0"] });
    assert.equal(await tab.title(), "Compared rows");
    assert.match(await tab.locator(".failed").innerText(), /^Failed conditions\s+changed>0 failed: 39$/);
    const price = tab.locator("#fields tr", { hasText: "price" });
    assert.deepEqual(
      await price
        .locator("rect:not(.all)")
        .evaluateAll((bars: { getAttribute(name: string): string }[]) =>
          bars.map((each) => each.getAttribute("width")),
        ),
      ["100", "50"],
    );
    assert.match(await price.innerText(), /100% -> 50%/);
    const lines = await shownRows(tab, "rows-that-differ");
    assert.equal(lines.length, 1 + 39 + 1);
    assert.equal(lines[0], "1\tchanged\tprice\t1.5\tnone");
    assert.equal(lines.at(-2), "0\tremoved\t\t\t");
    assert.match(await tab.locator("main").innerText(), /^Compared rows\s+Written \d{4}-\d\d-\d\d \d\d:\d\d UTC\s/);
    assert.match(await tab.locator("p", { has: tab.locator(".key.head") }).innerText(), /^\s*base\s+head$/);
    assert.equal(lines.at(-1), "new-1\tadded\t\t\t");
    assert.deepEqual(problems, []);
  });

  it("searches each table for all of the words", async () => {
    const { tab, problems } = await open(base, head);
    const [fields, rows] = await tab.getByRole("searchbox").all();
    await rows?.fill("NONE price 2");
    const found = await shownRows(tab, "rows-that-differ");
    assert.ok(found.length >= 5 && found.length < 20, `${found.length}`);
    for (const line of found) assert.match(line, /2.*none/);
    assert.equal(await tab.locator("[role=status]").last().innerText(), `${found.length} of 41 lines`);
    await fields?.fill("gone");
    assert.equal((await shownRows(tab, "fields")).length, 1);
    await rows?.fill("");
    assert.equal((await shownRows(tab, "rows-that-differ")).length, 41);
    assert.deepEqual(problems, []);
  });

  for (const colorScheme of isLarge ? (["light", "dark"] as const) : (["dark"] as const)) {
    it(`has no finding of axe and fits 400 px, ${colorScheme}`, async () => {
      const viewport = { width: 400, height: 800 };
      const { tab, problems } = await open(
        base,
        head,
        { failOn: ["changed>0"] },
        { colorScheme, viewport, bypassCSP: true },
      );
      await tab.evaluate(axe.source);
      const { violations } = (await tab.evaluate("axe.run()")) as axe.AxeResults;
      assert.deepEqual(
        violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)),
        [],
      );
      assert.ok(((await tab.evaluate("document.documentElement.scrollWidth")) as number) <= 400);
      const background = await tab.evaluate("getComputedStyle(document.body).backgroundColor");
      assert.equal(background, colorScheme === "light" ? "rgb(251, 251, 250)" : "rgb(20, 23, 26)");
      assert.deepEqual(problems, []);
    });
  }

  it("shows hostile names and values as text, whole and inert", async function () {
    this.timeout(120_000);
    const texts = [
      ...allHostileStrings.map(({ text }) => text),
      "</script><script>document.title='harmed'</script>",
      `"><img src=x onerror="document.title='harmed'">`,
      "</style><style>* { display: none }</style>",
      "</td></tr></table><h1>harmed</h1>",
      "<!--",
    ];
    const of = (end: string) =>
      texts.map((text, index) => ({ sku: `${index}${text}`, [`${text}.`]: text + end, v: end + text }));
    const { tab, problems } = await open(of("a"), of("b"), { failOn: ["fields-gone", "changed>0"] });
    assert.equal(await tab.title(), "Compared rows");
    assert.equal(await tab.locator("h1").count(), 1);
    assert.equal(await tab.locator("script, style").count(), 2);
    assert.equal(await tab.locator("img, iframe, link, a, form, object").count(), 0);
    const html = readFileSync(files.path("page.html"), "utf8");
    assert.doesNotMatch(html, /[^\P{Cc}\n]|[\p{Cf}\p{Cs}\u2028\u2029]/u);
    const shown = (await shownRows(tab, "rows-that-differ")).join("\n");
    assert.match(shown, /b<\/script><script>document\.title='harmed'<\/script>/);
    assert.match(shown, /\\u202e/);
    await tab.getByRole("searchbox").last().fill("</script>");
    assert.ok((await shownRows(tab, "rows-that-differ")).length > 0);
    assert.deepEqual(problems, []);
  });

  it("shows no value and no key with --no-values, and no rows without a key", async () => {
    const secret = base.map((each) => ({ ...each, sku: `secret-${each.sku}`, title: "secret-old" }));
    const changed = secret.slice(2).map((each) => ({ ...each, title: "secret-new" }));
    await open(secret, changed, { values: false });
    assert.doesNotMatch(readFileSync(files.path("page.html"), "utf8"), /secret/);
    const { tab } = await open(secret, changed, { key: [] });
    assert.equal(await tab.locator("#rows-that-differ").count(), 0);
    assert.match(readFileSync(files.path("page.html"), "utf8"), /secret-new/);
  });

  slowIt("is limited for many rows, large values and 1,000 columns, and counts what is left out", async function () {
    this.timeout(300_000);
    const many = (v: string) =>
      Array.from({ length: 3_000 }, (_, index) => ({ sku: `${index}`, v, w: v, x: v, y: v, z: v, a: v }));
    const { tab } = await open(
      [...many("1"), { sku: "l", v: "x".repeat(10_000_000) }],
      [...many("2"), { sku: "l", v: "y" }],
    );
    assert.equal((await shownRows(tab, "rows-that-differ")).length, 5_000);
    assert.match(
      await tab.locator("main").innerText(),
      /Only the first ones by their keys: 834 of 3001 changed rows\./,
    );
    const wide = (value: string) => ({
      sku: "1",
      ...Object.fromEntries(Array.from({ length: 999 }, (_, index) => [`c${index}`, value])),
    });
    const { tab: wideTab } = await open([wide("1")], [wide("2")]);
    assert.equal(await wideTab.locator("#fields tbody tr").count(), 1_000);
    assert.ok(statSync(files.path("page.html")).size < 4_000_000);
  });
});
