import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import type { Emulator } from "webextract-emulator";
import { admin } from "../admin/adminCaller";
import { data } from "../caller";
import { closePages, OpenPage, openBrowser } from "./browser";
import { startWithTasks } from "./shop";

const task = { taskId: "shop", taskGroupId: "group", syntheticRows: 3, actions: [] };

describe("the emulator's page of an emulator with an admin token", () => {
  let emulator: Emulator;
  let browser: Browser;
  before(async () => {
    emulator = await startWithTasks([task], { adminToken: "the token" });
    browser = await openBrowser();
  });
  after(async () => {
    await closePages();
    await emulator?.close();
  });

  it("asks for the token, refuses a wrong one, and then works with it, also live and after a reload", async () => {
    const page = await OpenPage.open(browser, emulator, "#/tasks/shop");
    await page.shows("Token of the emulator");
    await page.tab.getByLabel("Token").fill("wrong");
    await page.tab.getByRole("button", { name: "Continue" }).click();
    await page.tab.getByText(/needs the header Authorization/).waitFor();
    await page.tab.getByLabel("Token").fill(" the token ");
    await page.tab.getByLabel("Token").press("Enter");
    await page.shows("Task shop");
    await page.isLive();
    const { lotNo } = await data(emulator, "startTask", { taskId: "shop" });
    await page.tab.getByRole("link", { name: String(lotNo) }).waitFor();
    await page.tab.reload();
    await page.shows("Task shop");
    assert.ok(
      page.read.every((path) => !path.includes("token")),
      "the token is in no address",
    );
    assert.deepEqual(
      page.problems.filter((problem) => !problem.includes("401")),
      [],
    );
    await page.close();
  });

  it("gives its files to everyone, and its data to those with the token only", async () => {
    assert.equal((await admin(emulator, "/")).status, 200);
    for (const path of ["/tasks", "/tasks/shop", "/runs", "/options", "/events"]) {
      assert.equal((await admin(emulator, path)).status, 401, path);
    }
  });
});
