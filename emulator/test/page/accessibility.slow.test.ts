import assert from "node:assert/strict";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import type { Emulator } from "webextract-emulator";
import { data, runTemplate } from "../caller";
import type { PageSite } from "../pageSite";
import { startSite } from "../pageSite";
import { closePages, OpenPage, openBrowser } from "./browser";
import { everyView, productPage, shopTask, startWithTasks } from "./shop";

/** Serious and critical findings of axe, with the elements. */
async function findings(tab: Page): Promise<string[]> {
  await tab.evaluate(axe.source);
  const { violations } = (await tab.evaluate("axe.run()")) as axe.AxeResults;
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

describe("the emulator's page, for everyone", () => {
  let site: PageSite;
  let emulator: Emulator;
  let browser: Browser;
  let views: [hash: string, heading: string][];

  before(async () => {
    site = await startSite();
    site.pages.set("/1", productPage(["One", "Two"]));
    emulator = await startWithTasks([shopTask(site, ["/1", "/missing"])]);
    const lotNo = await runTemplate(emulator, "shop");
    emulator.fault({ operation: "getData", kind: "status", taskId: "shop" });
    emulator.setBehaviour({ markScope: "returned" });
    await emulator.saveSnapshot("the state before a long test with many runs");
    await emulator.createAccount("worker-1");
    views = [...everyView({ taskId: "shop", lotNo }), ["#/nothing", "There is no such view"], ["#/runs/1", "Run 1"]];
    browser = await openBrowser();
  });
  after(async () => {
    await closePages();
    await emulator?.close();
    await site?.close();
  });

  for (const colorScheme of ["light", "dark"] as const) {
    it(`has no serious finding of axe in any view, ${colorScheme}`, async () => {
      const page = await OpenPage.open(browser, emulator, "", { colorScheme });
      await page.isLive();
      const found: Record<string, string[]> = {};
      for (const [hash, heading] of views) {
        await page.go(hash, heading);
        for (const details of await page.tab.locator("details:not([open]) > summary").all()) await details.click();
        const here = await findings(page.tab);
        if (here.length > 0) found[hash] = here;
      }
      assert.deepEqual(found, {});
      await page.close();
    });
  }

  it("can be used with the keyboard alone", async () => {
    const page = await OpenPage.open(browser, emulator);
    const { keyboard } = page.tab;
    const focused = (): Promise<string> => page.tab.evaluate("document.activeElement.innerText.trim()");
    await keyboard.press("Tab");
    assert.equal(await focused(), "Skip to the content");
    await keyboard.press("Enter");
    assert.equal(await page.tab.evaluate("document.activeElement.id"), "main");
    // From the content: the search field, its button, the pager and the table, then the first task.
    await tabTo(page.tab, "shop");
    await keyboard.press("Enter");
    await page.shows("Task shop");
    assert.equal(await focused(), "Task shop", "a new view begins at its heading");
    await tabTo(page.tab, emulator.inspect.runs("shop")[0]?.lotNo ?? "");
    await keyboard.press("Enter");
    await page.shows(/^Run /);
    await tabTo(page.tab, "The same as a table");
    await keyboard.press("Enter");
    await page.tab.getByRole("table", { name: "Rows and subtasks over time" }).waitFor();
    await page.tab.goBack();
    await page.shows("Task shop");
    await tabTo(page.tab, "Start a run");
    await keyboard.press("Enter");
    await page.shows(/^Run /);
    assert.match(await focused(), /^Run /);
    await page.tab.getByText("1 failed").first().waitFor();
    await tabTo(page.tab, "Try failed pages again");
    await keyboard.press("Space");
    await page.tab.getByText("The failed pages are read again.").waitFor();
    assert.deepEqual(page.problems, []);
    await page.close();
  });

  it("keeps the focus and open details when it updates", async () => {
    const page = await OpenPage.open(browser, emulator, "#/tasks/shop");
    await page.isLive();
    const lotNo = emulator.inspect.runs("shop")[0]?.lotNo ?? "";
    await page.tab.getByRole("link", { name: lotNo }).focus();
    await data(emulator, "copyTask", { taskId: "shop", taskGroupId: "group" });
    emulator.change.setProperty("shop", "open", "Later", "a new property");
    await page.tab.getByText("a new property").waitFor();
    assert.equal(await page.tab.evaluate("document.activeElement.innerText"), lotNo);
    await page.close();
  });
});

/** Presses Tab until the element with this text has the focus. */
async function tabTo(tab: Page, text: string): Promise<void> {
  const seen: string[] = [];
  for (let presses = 0; presses < 60; presses += 1) {
    await tab.keyboard.press("Tab");
    const focused: string = await tab.evaluate("document.activeElement.innerText.trim()");
    if (focused === text) return;
    seen.push(focused);
  }
  assert.fail(`Tab does not lead to "${text}", but to ${seen.join(" | ")}`);
}
