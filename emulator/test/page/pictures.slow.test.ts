import type { Browser } from "playwright-core";
import type { Emulator } from "webextract-emulator";
import { assertPictureOf } from "../../../test/pages/pictures";
import { call, data, runTemplate } from "../caller";
import { closePages, OpenPage, openBrowser } from "./browser";
import { startWithTasks } from "./shop";

const width = 1280;
const height = 990;

/** Pages of the bookshop that the emulator serves, and one that does not exist. */
const shelves = ["novels", "nature", "kids", "staff-picks", "signed", "poetry"];

describe("the pictures of the emulator's page", () => {
  let emulator: Emulator;
  let browser: Browser;
  let page: OpenPage;

  before(async () => {
    emulator = await startWithTasks(
      [
        {
          taskId: "bookshop",
          taskGroupId: "group",
          name: "All shelves of the bookshop",
          urlsPerSubtask: 1,
          actions: [
            { actionType: "NavigateAction", actionId: "open" },
            {
              actionType: "ExtractDataAction",
              actionId: "books",
              properties: {
                RowSelector: ".book",
                "Field.title": ".title",
                "Field.price": ".amount",
                "Field.currency": ".currency",
                "Field.link": ".title a@href",
              },
            },
            { actionType: "PaginationAction", actionId: "pages", properties: { NextSelector: ".next" } },
          ],
        },
      ],
      // Slow enough for a plot with steps.
      { bookshop: true, faults: [{ operation: "page", kind: "late", delayMs: 60, times: 1000 }] },
    );
    emulator.change.setStartUrls(
      "bookshop",
      shelves.map((shelf) => `${emulator.url}/bookshop/shelves/${shelf}/`),
    );
    browser = await openBrowser();
    page = await OpenPage.open(browser, emulator, "", { viewport: { width, height } });
    await page.isLive();
  });
  after(async () => {
    await page?.close();
    await closePages();
    await emulator?.close();
  });

  /** A picture in light and one in dark colours, as high as the content. */
  async function assertPictures(name: string): Promise<void> {
    const bottom: number = await page.tab.evaluate(
      "document.querySelector('main').lastElementChild.getBoundingClientRect().bottom",
    );
    await page.tab.setViewportSize({ width, height: Math.min(height, Math.ceil(bottom) + 24) });
    await assertPictureOf(page.tab, name);
    await page.tab.emulateMedia({ colorScheme: "dark" });
    await assertPictureOf(page.tab, `${name}-dark`);
    await page.tab.emulateMedia({ colorScheme: "light" });
    await page.tab.setViewportSize({ width, height });
  }

  it("show a run, requests, and the settings", async () => {
    // The first pages of a process take longer than all others.
    await runTemplate(emulator, "bookshop");
    await data(emulator, "removeData", { taskId: "bookshop" });
    emulator.clearRequests();
    const { lotNo } = await data(emulator, "startTask", { taskId: "bookshop" });
    await emulator.settled();
    await page.go(`#/runs/${lotNo}`, `Run ${lotNo}`);
    await page.tab.getByText("5 finished").first().waitFor();
    await assertPictures("emulator-run");

    await data(emulator, "getSubtasks", { taskId: "bookshop", page: 1, size: 100 });
    await data(emulator, "getNotExportedData", { taskId: "bookshop", size: 10 });
    emulator.fault({ operation: "getData", kind: "status", status: 503 });
    for (const offset of [0, 0, 10])
      await call(emulator, "getData", { fields: { taskId: "bookshop", offset, size: 10 } });
    await call(emulator, "getActions", { fields: { taskIds: ["bookshop", "gone"] } });
    emulator.change.expireAccessTokens();
    await call(emulator, "markExported", { fields: { taskId: "bookshop" } });
    const { refreshToken } = emulator.credentials;
    await data(emulator, "refreshToken", { grant_type: "refresh_token", refresh_token: refreshToken });
    await data(emulator, "markExported", { taskId: "bookshop" });
    await page.go("#/requests", "Requests");
    await page.tab.getByText("10 requests").waitFor();
    await assertPictures("emulator-requests");

    emulator.fault({ operation: "startTask", kind: "reset", when: "after" });
    emulator.fault({ operation: "getData", kind: "late", taskId: "bookshop", delayMs: 500, times: 3 });
    await emulator.saveSnapshot("first run");
    await page.go("#/settings", "Settings");
    await page.tab.getByRole("row", { name: /^startTask reset/ }).waitFor();
    await assertPictures("emulator-settings");
  });
});
