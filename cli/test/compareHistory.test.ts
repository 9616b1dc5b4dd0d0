import assert from "node:assert/strict";
import { readFileSync, utimesSync } from "node:fs";
import axe from "axe-core";
import type { Browser } from "playwright-core";
import { closePages, openBrowser } from "../../emulator/test/page/browser";
import { allHostileStrings } from "../../test/hostile";
import { Comparing } from "./comparing";
import { openFile } from "./openFile";

describe("webextract compare --history", () => {
  let files: Comparing;
  let browser: Browser;
  before(async () => {
    files = new Comparing();
    browser = await openBrowser();
    for (let run = 1; run <= 12; run++) {
      const rows = Array.from({ length: run === 7 ? 0 : 20 + run }, (_, index) => ({
        sku: `${index}`,
        price: run >= 9 || (run === 5 && index > 0) ? " " : "1",
        title: "Book",
        ...(run < 11 ? { stock: "yes" } : { rating: "5" }),
      }));
      const changed = new Date(Date.UTC(2026, 10, run));
      utimesSync(files.rows(`rows-${run}.ndjson`, rows), changed, changed);
    }
    files.write("rows-note.txt", "x");
  });
  after(async () => {
    await closePages();
    files.remove();
  });

  const history = (given: readonly string[], options = {}) => files.run(given, { history: true, ...options });

  it("shows one line for each file of a glob, with 2 before 10, and since when a field is empty", async () => {
    const { text, json } = await history([files.path("rows-*.ndjson")]);
    const lines = text.replaceAll(`${files.folder}/`, "").split("\n");
    assert.deepEqual(
      lines.map((line) => line.split(/ {2,}/)),
      [
        ["file", "day", "rows", "change", "fields", "filled shares and fields that changed"],
        ["rows-1.ndjson", "2026-11-01", "21", "4"],
        ["rows-2.ndjson", "2026-11-02", "22", "+1, +4.8%", "4"],
        ["rows-3.ndjson", "2026-11-03", "23", "+1, +4.5%", "4"],
        ["rows-4.ndjson", "2026-11-04", "24", "+1, +4.3%", "4"],
        ["rows-5.ndjson", "2026-11-05", "25", "+1, +4.2%", "4", "price 100% -> 4%"],
        ["rows-6.ndjson", "2026-11-06", "26", "+1, +4%", "4", "price 4% -> 100%"],
        ["rows-7.ndjson", "2026-11-07", "0", "-26, -100%", "0"],
        ["rows-8.ndjson", "2026-11-08", "28", "+28", "4"],
        ["rows-9.ndjson", "2026-11-09", "29", "+1, +3.6%", "4", "price 100% -> 0%"],
        ["rows-10.ndjson", "2026-11-10", "30", "+1, +3.4%", "4"],
        ["rows-11.ndjson", "2026-11-11", "31", "+1, +3.3%", "4", "stock gone, rating new"],
        ["rows-12.ndjson", "2026-11-12", "32", "+1, +3.2%", "4"],
      ],
    );
    assert.deepEqual(json.files[4].fields.slice(0, 2), [
      { name: "price", filled: 0.04 },
      { name: "sku", filled: 1 },
    ]);
  });

  it("takes named files in their order, of any format, and writes Markdown", async () => {
    const csv = files.write("z.csv", "sku,price\n1,\n");
    const { text, json } = await history([files.path("rows-1.ndjson"), csv, csv], { markdown: true });
    assert.deepEqual(
      json.files.map(({ rows }: { rows: number }) => rows),
      [21, 1, 1],
    );
    assert.match(text, /^## Rows\n\n\| file \| day \| rows \| change \|/);
    assert.match(text, /\| \d{4}-\d\d-\d\d \| 1 \| -20, -95\.2% \| 2 \| `stock gone, title gone, price 100% -> 0%` \|/);
  });

  it("takes the night from the name of a file, and says since when a field has fewer values", async () => {
    const html = files.path("nights.html");
    const shares = { "n-20261101": [1, 1], "n-2026-11-02": [1, 1], "n-2026-11-03": [1, 0], "n-2026-11-04": [1, 0] };
    for (const [night, prices] of Object.entries(shares)) {
      files.write(`${night}.csv`, `sku,price\n${prices.map((price) => `1,${price === 1 ? "2" : ""}\n`).join("")}`);
    }
    const { json } = await history(
      ["n-20261101.csv", "n-2026-11-0*.csv"].map((name) => files.path(name)),
      { html },
    );
    assert.deepEqual(
      json.files.map(({ date }: { date: string }) => date),
      ["2026-11-01", "2026-11-02", "2026-11-03", "2026-11-04"],
    );
    const text = readFileSync(html, "utf8").replace(/<[^>]*>/g, "");
    assert.match(text, /pricelower since (?!2026).*n-2026-11-03\.csv/);
    assert.match(text, /2026-11-01 to 2026-11-04/);
  });

  it("refuses a glob without files, a file that cannot be read, and a third side without --history", async () => {
    assert.match(
      await files.failureOf([files.path("none-*.csv")], { history: true }),
      /matches no file of rows\. A glob /,
    );
    assert.match(
      await files.failureOf([files.path("none/*.csv")], { history: true }),
      /none" cannot be read \(ENOENT\)\./,
    );
    assert.match(
      await files.failureOf([files.path("rows-1.ndjson"), "none.csv"], { history: true }),
      /^"none\.csv" cannot be read/,
    );
    assert.match(await files.failureOf(["a.csv", "b.csv", "c.csv"]), /^compare needs two sides, and got 3\./);
    assert.match(await files.failureOf(["a.csv"]), /^compare needs two sides, and got 1\./);
    const star = files.rows("[a]*?.ndjson", [{ a: "1" }]);
    assert.equal((await history([star])).json.files.length, 1);
  });

  for (const colorScheme of ["light", "dark"] as const) {
    it(`plots rows and the filled share of each field, those that differ most first, ${colorScheme}`, async () => {
      const html = files.path("history.html");
      await history([files.path("rows-*.ndjson")], { html, yes: true });
      const viewport = { width: 400, height: 800 };
      const { tab, problems } = await openFile(browser, html, { colorScheme, viewport, bypassCSP: true });
      const names = await tab.locator("#over-time tbody th").allInnerTexts();
      assert.deepEqual(names.slice(0, 4).sort(), ["price", "rating", "rows", "stock"]);
      assert.equal(names[0], "rows");
      const steps = (name: string) =>
        tab.locator("#over-time tbody tr", { hasText: name }).first().locator("svg.plot rect").count();
      assert.equal(await steps("rows"), 12);
      // The file without rows is a gap.
      assert.equal(await steps("price"), 11);
      assert.match(
        await tab.locator("#over-time tr", { hasText: "price" }).innerText(),
        /empty since 2026-11-09 .*rows-9\.ndjson\s+100%\s+0%/,
      );
      assert.equal(await tab.locator("#files tbody tr").count(), 12);
      assert.match(await tab.locator("#files tbody tr", { hasText: "stock" }).innerText(), /^\S+\s+stock gone/);
      await tab.evaluate(axe.source);
      const { violations } = (await tab.evaluate("axe.run()")) as axe.AxeResults;
      assert.deepEqual(
        violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`)),
        [],
      );
      assert.ok(((await tab.evaluate("document.documentElement.scrollWidth")) as number) <= 400);
      assert.deepEqual(problems, []);
    });
  }

  it("plots one file, files without rows, many fields and hostile names", async function () {
    this.timeout(120_000);
    const html = files.path("history.html");
    const open = async (given: readonly string[]) => {
      await history(given, { html, yes: true });
      const { tab, problems } = await openFile(browser, html);
      assert.deepEqual(problems, []);
      assert.equal(await tab.title(), "Rows over time");
      assert.doesNotMatch(readFileSync(html, "utf8"), /NaN|undefined|Infinity|[^\P{Cc}\n]|[\p{Cf}\p{Cs}\u2028\u2029]/u);
      return tab;
    };
    await open([files.path("rows-1.ndjson")]);
    await open([files.path("rows-7.ndjson"), files.path("rows-7.ndjson")]);
    const names = [
      ...allHostileStrings.map(({ text }) => text),
      "</script><script>alert(1)</script>",
      "</svg><img src=x onerror=alert(1)>",
    ];
    const of = (value: string, prefix: string, count: number) =>
      files.rows(`${prefix}.ndjson`, [
        Object.fromEntries(
          // Two names with half of a surrogate pair would be the same.
          [...names.map((name) => `${Buffer.from(name)}`), ...Array.from({ length: count }, (_, c) => `c${c}`)].map(
            (name) => [name, value],
          ),
        ),
      ]);
    const two = await open([of("x", "<script>alert(1)<&\u202e", 600), of("", "two", 600)]);
    assert.equal(await two.locator("img, iframe").count(), 0);
    assert.equal(await two.locator("#over-time tbody tr").count(), 501);
    assert.match(await two.locator("main").innerText(), /\d+ more fields, which change less, are left out\./);
  });
});
