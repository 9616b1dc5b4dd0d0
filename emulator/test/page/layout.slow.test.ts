import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import type { Emulator } from "webextract-emulator";
import { closePages, OpenPage, openBrowser } from "./browser";
import { everyView, startWithTasks } from "./shop";

const uuid = "8f14e45f-ceea-467f-a9f4-b1c2d3e4f5a6";
const long = "A description that goes on and on, so that one line of a table has no room for all of it. ".repeat(2);
const link = "http://127.0.0.1/a/very/long/path/to/a/page/of/a/shop?with=a&query=too";

describe("the layout of the emulator's page", () => {
  let emulator: Emulator;
  let browser: Browser;
  let views: [hash: string, heading: string][];
  let lotNo: string;

  before(async () => {
    emulator = await startWithTasks([
      { taskId: "bookshops", taskGroupId: "group", name: "Bookshop, all departments", startUrls: [link], actions: [] },
      { taskId: uuid, taskGroupId: "group", name: long, actions: [] },
    ]);
    lotNo = emulator.change.insertRows("bookshops", [
      { title: "The Name of the Wind", price: "14.90", stock: 1_250_000, link, text: long },
    ]);
    emulator.fault({ operation: "getBatchData", kind: "status", taskId: "bookshops" });
    emulator.setBehaviour({ markScope: "returned" });
    await emulator.saveSnapshot("the state before a long test with many runs");
    await emulator.createAccount("worker-1");
    await fetch(`${emulator.url}/${"x".repeat(300)}`);
    views = everyView({ taskId: "bookshops", lotNo });
    browser = await openBrowser();
  });
  after(async () => {
    await closePages();
    await emulator?.close();
  });

  /** The page at this width. */
  const openAt = (width: number, hash = ""): Promise<OpenPage> =>
    OpenPage.open(browser, emulator, hash, { viewport: { width, height: 900 } });

  for (const width of [320, 400, 600, 1000, 1400]) {
    it(`has no view that is wider than a window of ${width} pixels`, async () => {
      const page = await openAt(width);
      for (const [hash, heading] of views) {
        await page.go(hash, heading);
        assert.equal(await page.tab.evaluate("document.documentElement.scrollWidth"), width, hash);
      }
      await page.close();
    });
  }

  it("shows every cell of a table in one line, but explanations and lists", async () => {
    const page = await openAt(1400);
    for (const [hash, heading] of views.filter(([hash]) => !hash.endsWith("rows/1"))) {
      await page.go(hash, heading);
      const wrapped = await page.tab.evaluate(`
        [...document.querySelectorAll("td:not(.meaning), tbody th")].filter((cell) => {
          const content = document.createRange();
          content.selectNodeContents(cell);
          return content.getBoundingClientRect().height > 40;
        }).map((cell) => cell.textContent)`);
      assert.deepEqual(wrapped, [], hash);
    }
    await page.close();
  });

  it("shortens a long value, and shows all of it while it has the focus", async () => {
    const page = await openAt(1400, `#/runs/${lotNo}/rows`);
    for (const cell of ["link", "text"]) {
      const value = page.tab.locator(`td[data-label=${cell}] .long`);
      const hidden = (): Promise<number> => value.evaluate((element) => element.scrollWidth - element.clientWidth);
      assert.ok((await hidden()) > 0, cell);
      await page.tab.keyboard.press("Tab");
      await value.focus();
      assert.equal(await hidden(), 0, cell);
      assert.equal((await value.innerText()).trim(), cell === "link" ? link : long.trim());
      await value.evaluate((element) => element.blur());
      assert.ok((await hidden()) > 0, cell);
    }
    await page.close();
  });

  it("shows rows as cards on a narrow screen, with the name of the column in each line, and still as a table to assistive technology", async () => {
    const page = await openAt(400, `#/runs/${lotNo}/rows`);
    const price = page.tab.locator("td[data-label=price]");
    assert.equal(
      await page.tab.evaluate(`getComputedStyle(document.querySelector("td[data-label=price]"), "::before").content`),
      '"price"',
    );
    const [top, below] = [await price.boundingBox(), await page.tab.locator("td[data-label=stock]").boundingBox()];
    assert.ok((below?.y ?? 0) > (top?.y ?? 0), "the cells are below each other");
    const session = await page.tab.context().newCDPSession(page.tab);
    const { nodes } = await session.send("Accessibility.getFullAXTree");
    const roles = new Set(nodes.map(({ role }) => role?.value));
    for (const role of ["table", "row", "columnheader", "rowheader", "cell"]) assert.ok(roles.has(role), role);
    await page.close();
  });

  it("has no links to other parts of a list that has one part", async () => {
    const page = await openAt(1400);
    await page.tab.getByText("2 tasks", { exact: true }).waitFor();
    assert.equal(await page.tab.getByText("Next").count(), 0);
    await page.close();
  });

  it("says nothing twice: a table has no caption with the words of its heading", async () => {
    const page = await openAt(1400);
    for (const [hash, heading] of views) {
      await page.go(hash, heading);
      assert.equal(await page.tab.locator("caption").count(), 0, hash);
    }
    await page.close();
  });

  it("draws plots over their whole height", async () => {
    const page = await openAt(1400, `#/runs/${lotNo}`);
    const points = await page.tab.locator("polyline").getAttribute("points");
    const heights = (points ?? "").split(" ").map((point) => Number(point.split(",")[1]));
    const top = Number(await page.tab.locator(".grid").nth(1).getAttribute("y1"));
    assert.equal(Math.min(...heights), top);
    await page.close();
  });

  it("keeps the focus when the first fault appears, and when the last one goes", async () => {
    const page = await openAt(1400, "#/settings");
    await page.isLive();
    const focused = (): Promise<string> => page.tab.evaluate("document.activeElement.innerText");
    emulator.clearFaults();
    await page.tab.getByText("No request is to fail.").waitFor();
    const add = page.tab.getByRole("button", { name: "Add the fault" });
    await add.focus();
    await page.tab.keyboard.press("Enter");
    await page.tab.getByRole("row", { name: /^any reset/ }).waitFor();
    assert.equal(await focused(), "Add the fault");
    emulator.clearFaults();
    await page.tab.getByText("No request is to fail.").waitFor();
    assert.equal(await focused(), "Add the fault");
    await page.close();
  });
});
