import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import type { Emulator } from "webextract-emulator";
import { parse } from "yaml";
import { call, data, runTemplate } from "../caller";
import type { PageSite } from "../pageSite";
import { startSite } from "../pageSite";
import { closePages, OpenPage, openBrowser } from "./browser";
import { productPage, shopTask, startWithTasks } from "./shop";

describe("the emulator's page", () => {
  let site: PageSite;
  let emulator: Emulator;
  let browser: Browser;
  let page: OpenPage;
  let manyRows: string;
  /** Sends the page that a run waits for. */
  let respond: (titles: readonly string[]) => void;

  before(async () => {
    site = await startSite();
    site.pages.set("/1", productPage(["Compass", "Lantern"]));
    site.pages.set("/2", productPage(["Rope"]));
    let waiting: ServerResponse | undefined;
    let titles: readonly string[] | undefined;
    const send = (): void => {
      if (waiting === undefined || titles === undefined) return;
      waiting.writeHead(200, { "content-type": "text/html" }).end(productPage(titles));
    };
    respond = (wanted) => {
      titles = wanted;
      send();
    };
    site.pages.set("/slow", (_request, response) => {
      waiting = response;
      send();
    });
    emulator = await startWithTasks([
      shopTask(site, ["/1", "/2", "/missing", "/slow"]),
      { taskId: "many-rows", taskGroupId: "group", syntheticRows: 100_000, syntheticSubtasks: 4, actions: [] },
      ...Array.from({ length: 120 }, (_, index) => ({
        taskId: `copy-${index + 1}`,
        taskGroupId: "group",
        actions: [],
      })),
    ]);
    // Before the page opens, so that no event of this run makes it read again.
    manyRows = await runTemplate(emulator, "many-rows");
    browser = await openBrowser();
    page = await OpenPage.open(browser, emulator);
  });
  after(async () => {
    await closePages();
    await emulator?.close();
    await site?.close();
  });
  afterEach(() => assert.deepEqual(page.problems, []));

  it("lists the tasks in parts, and finds some of them by id or name", async () => {
    await page.tab.getByText("Tasks 1 to 50 of 122").waitFor();
    assert.equal((await page.cells("Tasks")).length, 50);
    await page.tab.getByRole("link", { name: "Next" }).click();
    await page.tab.getByText("Tasks 51 to 100 of 122").waitFor();
    await page.tab.getByLabel("Id or name contains").fill("SHOP");
    await page.tab.getByRole("button", { name: "Filter" }).click();
    await page.tab.getByText("1 task", { exact: true }).waitFor();
    const [cells] = await page.cells("Tasks");
    assert.deepEqual(cells, ["shop", "Shop", "", "", "0", "0", "0", "3", "4", "group"]);
  });

  it("shows a task's actions, loops and start URLs", async () => {
    await data(emulator, "updateLoopItems", {
      taskId: "shop",
      actionId: "pages",
      actionType: "LoopAction",
      loopType: "UrlList",
      loopItems: Array.from({ length: 250 }, (_, index) => `${site.url}/item/${index}`),
    });
    await page.go("#/tasks/shop", "Task shop");
    assert.deepEqual(await page.cells("Properties of extract"), [
      ["RowSelector", ".product"],
      ["Field.title", "h2"],
      ["Field.link", "a@href"],
    ]);
    assert.equal((await page.cells("Loop items of pages")).length, 100);
    await page.tab.getByText("The first 100 of 250").waitFor();
    assert.deepEqual(
      (await page.cells("Start URLs")).map(([, url]) => url),
      ["/1", "/2", "/missing", "/slow"].map((path) => site.url + path),
    );
    emulator.change.setLoopItems("shop", "pages", []);
  });

  it("follows a run while it works: subtasks, pages, rows, and why a page failed", async () => {
    await page.go("#/tasks/shop", "Task shop");
    await page.isLive();
    const { lotNo } = await data(emulator, "startTask", { taskId: "shop" });
    await page.tab.getByRole("link", { name: String(lotNo) }).click();
    await page.shows(`Run ${lotNo}`);
    await page.tab.getByText("1 extracting").first().waitFor();
    await page.tab.getByText("status 404").waitFor();
    await page.tab.getByRole("group").getByText("1 page failed").waitFor();
    const before = page.read.length;
    respond(["Whistle", "Map"]);
    await page.tab.getByText("3 finished").first().waitFor();
    assert.ok(
      page.read.slice(before).every((path) => path.startsWith(`runs/${lotNo}/`)),
      "only the view is read again",
    );
    assert.equal((await page.cells(`Subtasks of ${lotNo}`)).length, 4);
    await page.tab.getByRole("link", { name: "Rows", exact: true }).click();
    await page.shows(`Rows of run ${lotNo}`);
    const titles = (await page.cells(`Rows of ${lotNo}`)).map(([, exported, title]) => [exported, title]);
    assert.deepEqual(
      titles,
      ["Compass", "Lantern", "Rope", "Whistle", "Map"].map((title) => ["no", title]),
    );
    await data(emulator, "markExported", { taskId: "shop" });
    await page.tab.getByRole("cell", { name: "yes" }).first().waitFor();
  });

  it("has the numbers of the plot as a table", async () => {
    const [run] = emulator.inspect.runs("shop");
    await page.go(`#/runs/${run?.lotNo}`, `Run ${run?.lotNo}`);
    const lines = page.tab.getByRole("img", { name: /Rows over time/ }).locator("polyline");
    const areas = page.tab.getByRole("img", { name: /Subtasks by status/ }).locator("polygon");
    // The page shows the run before it has the numbers.
    await lines.waitFor();
    assert.deepEqual([await lines.count(), await areas.count()], [1, 5]);
    await page.tab.getByText("The same as a table").click();
    const last = (await page.cells("Rows and subtasks over time")).at(-1);
    assert.deepEqual(last?.slice(1), ["5", "0", "0", "0", "1", "3"]);
  });

  it("shows requests as they arrive, can stop, and filters", async () => {
    await page.go("#/requests", "Requests");
    await page.isLive();
    const newest = page.tab.locator("tbody tr").first();
    await call(emulator, "getActions", { fields: { taskIds: ["shop"] }, headers: { "user-agent": "a test" } });
    await newest.getByText("401", { exact: true }).waitFor();
    await newest.getByRole("link", { name: "shop" }).waitFor();
    await page.tab.getByRole("button", { name: "Pause" }).click();
    await page.tab.getByText("The list stays as it is.").waitFor();
    await call(emulator, "getData", { fields: { taskId: "shop", offset: 0, size: 1 } });
    await page.tab.getByLabel("Operation").selectOption("startTask");
    await page.tab.getByLabel("Task", { exact: true }).fill("shop");
    await page.tab.getByRole("button", { name: "Filter" }).click();
    await page.tab.getByText("1 request", { exact: true }).waitFor();
    assert.equal((await page.cells("Requests, the newest first"))[0]?.[2], "startTask");
    await page.showAll();
    await page.tab.getByLabel("Status (0: no response)").fill("401");
    await page.tab.getByLabel("Text").fill("A TEST");
    await page.tab.getByRole("button", { name: "Filter" }).click();
    await page.tab.getByText("1 request", { exact: true }).waitFor();
    await page.go("#/requests?operation=getData", "Requests");
    await page.tab.getByText("offset: 0, size: 1").waitFor();
    await page.go("#/requests?operation=startTask&taskId=shop", "Requests");
    await page.tab.getByText("1 request", { exact: true }).waitFor();
    await page.tab.getByRole("button", { name: "Pause" }).click();
    await page.tab.getByRole("table").getByRole("link").first().click();
    await page.shows(/^Request \d+$/);
    await page.tab.getByRole("region", { name: "The body" }).getByText('"taskId": "shop"').waitFor();
    await page.tab.getByRole("region", { name: "The response" }).getByText('"lotNo"').waitFor();
  });

  it("lists runs with their times, and finds them by status, task and text", async () => {
    const shown = async (): Promise<string[]> =>
      (await page.cells("Runs, the newest first")).map(([, taskId]) => taskId ?? "");
    emulator.change.holdRuns();
    emulator.change.startRun("copy-7");
    emulator.change.releaseRuns();
    const stopped = emulator.change.startRun("copy-8");
    emulator.change.setSubtaskStatus(stopped, "stopped");
    await emulator.settled();
    await page.go("#/runs", "Runs");
    assert.deepEqual((await shown()).slice(0, 2), ["copy-8", "copy-7"]);
    const [first] = await page.cells("Runs, the newest first");
    assert.match(first?.[3] ?? "", /^\d\d:\d\d:\d\d$/);
    assert.match(first?.[4] ?? "", /^\d+ ms$|^\d+\.\d s$/);
    await page.tab.getByLabel("Status").selectOption("stopped");
    await page.tab.getByRole("button", { name: "Filter" }).click();
    await page.tab.getByText("1 run", { exact: true }).waitFor();
    assert.deepEqual(await shown(), ["copy-8"]);
    await page.tab.getByLabel("Run, task or name contains").fill("COPY-7");
    await page.tab.getByRole("button", { name: "Filter" }).click();
    await page.tab.getByText("No run matches.").waitFor();
    await page.showAll();
    await page.tab.getByLabel("Task", { exact: true }).fill("many-rows");
    await page.tab.getByRole("button", { name: "Filter" }).click();
    await page.shows("Runs of many-rows");
    assert.deepEqual(await shown(), ["many-rows"]);
  });

  it("empties the journal", async () => {
    await page.go("#/requests", "Requests");
    await page.tab.getByRole("button", { name: "Empty the journal" }).click();
    await page.tab.getByText("The service has received no request that matches.").waitFor();
    assert.equal(emulator.requests.length, 0);
  });

  it("switches a behaviour of the service, and follows changes of others", async () => {
    await page.go("#/settings", "Settings");
    await page.isLive();
    await page.tab.getByLabel("errorBody", { exact: true }).selectOption("legacy");
    await page.tab.getByText("errorBody is now legacy.").waitFor();
    const refused = await call(emulator, "getActions", { fields: { taskIds: ["gone"] } });
    assert.equal(typeof refused.json.error, "string", refused.text);
    await page.tab.getByText(/^1 of \d+ differ/).waitFor();
    const amount = page.tab.getByLabel("dataPageMax", { exact: true });
    await amount.fill("2");
    await amount.press("Tab");
    await page.tab.getByText("dataPageMax is now 2.").waitFor();
    const tooLarge = await call(emulator, "getData", { fields: { taskId: "shop", offset: 0, size: 5 } });
    assert.equal(tooLarge.status, 400);
    emulator.setBehaviour({ errorBody: "envelope", dataPageMax: 0, statusCase: "upper" });
    await page.tab.locator("tr.changed[data-key=statusCase]").waitFor();
    assert.equal(await page.tab.getByLabel("statusCase", { exact: true }).inputValue(), "upper");
    assert.equal(await page.tab.getByLabel("errorBody", { exact: true }).inputValue(), "envelope");
    emulator.setBehaviour({ statusCase: "capital" });
  });

  it("adds faults and holds, which the service shows, and removes them", async () => {
    const respond = () => call(emulator, "getData", { fields: { taskId: "shop", offset: 0, size: 1 } });
    const read = (): Promise<number> => respond().then(({ status }) => status);
    await page.go("#/settings", "Settings");
    await page.isLive();
    const form = page.tab.getByRole("form", { name: "Add a fault" });
    const add = form.getByRole("button", { name: "Add the fault" });
    await form.getByLabel("Operation").selectOption("getData");
    await form.getByLabel("Kind").selectOption("status");
    await form.getByLabel("Status", { exact: true }).fill("418");
    await form.getByLabel("Headers").fill("Retry-After: 5\n\nX-Page : http://127.0.0.1:80/\n");
    await form.getByLabel("Times").fill("2");
    await add.click();
    await page.tab.getByText("The next requests of getData meet: status.").waitFor();
    const failed = await respond();
    assert.equal(failed.status, 418);
    assert.equal(failed.headers.get("retry-after"), "5");
    assert.equal(failed.headers.get("x-page"), "http://127.0.0.1:80/");
    await page.go("#/requests?operation=getData&status=418", "Requests");
    const [[, , , , , , duration, , kind] = []] = await page.cells("Requests, the newest first");
    assert.match(duration ?? "", /^\d+ ms$|^\d+\.\d s$/);
    assert.equal(kind, "status");
    await page.go("#/settings", "Settings");
    const fault = page.tab.getByRole("row", { name: /^getData status/ });
    await fault.getByRole("cell", { name: "1", exact: true }).nth(2).waitFor();
    await fault.getByRole("button", { name: "Remove" }).click();
    await page.tab.getByText("No request is to fail.").waitFor();
    assert.equal(
      await page.tab.evaluate("document.activeElement.innerText"),
      "Settings",
      "the focus stays on the page",
    );
    assert.equal(await read(), 200);

    await form.getByLabel("Operation").selectOption("getData");
    await form.getByLabel("Kind").selectOption("hold");
    await form.getByLabel("Task", { exact: true }).fill("shop");
    for (const label of ["Status", "Headers, one in each line"]) {
      assert.equal(await form.getByLabel(label, { exact: true }).isVisible(), false, `a hold has no ${label}`);
    }
    await add.click();
    const hold = page.tab.getByRole("row", { name: /^getData shop after/ });
    await hold.waitFor();
    const held = read();
    await hold.getByRole("cell", { name: "1", exact: true }).first().waitFor();
    await hold.getByRole("button", { name: "Release" }).click();
    assert.equal(await held, 200);
    const none = page.tab.getByText("No request is to wait.");
    await none.waitFor();
    const ofTest = emulator.hold({ operation: "getData" });
    await page.tab.getByRole("row", { name: /^getData any after/ }).waitFor();
    ofTest.release();
    await none.waitFor();
  });

  it("adds a fault of the pages that runs load", async () => {
    const form = page.tab.getByRole("form", { name: "Add a fault" });
    const url = form.getByLabel("URL of pages, * for any characters");
    assert.equal(await url.isVisible(), false);
    await form.getByLabel("Operation").selectOption("page");
    assert.equal(await form.getByLabel("When").isVisible(), false);
    await form.getByLabel("Kind").selectOption("late");
    await url.fill("*/1");
    await form.getByLabel("Milliseconds").fill("1");
    await form.getByLabel("At most, at random").fill("5");
    await form.getByRole("button", { name: "Add the fault" }).click();
    await page.tab.getByRole("row", { name: /^page late.*\*\/1/ }).waitFor();
    const [{ id = "", ...added } = {}] = emulator.faults as unknown as Record<string, unknown>[];
    assert.deepEqual([added.operation, added.url, added.delayMs, added.delayMaxMs], ["page", "*/1", 1, 5]);
    emulator.removeFault(String(id));
    await page.tab.getByText("No request is to fail.").waitFor();
  });

  it("offers every kind of fault, and says why a fault is refused", async () => {
    const { components } = parse(readFileSync(join(__dirname, "../../../emulator/admin.openapi.yaml"), "utf8"));
    const form = page.tab.getByRole("form", { name: "Add a fault" });
    const offered = await form
      .getByLabel("Kind")
      .locator("option")
      .evaluateAll((options: { value: string }[]) => options.map(({ value }) => value));
    assert.deepEqual(offered, [...components.schemas.Fault.properties.kind.enum, "hold"]);
    await form.getByLabel("Kind").selectOption("redirect");
    await form.getByLabel("Location").fill("not an address");
    await form.getByLabel("Headers").fill("no header");
    page.refusals.add(400);
    await form.getByRole("button", { name: "Add the fault" }).click();
    await page.tab.getByText(/That did not work: .*headers.*location/).waitFor();
    assert.equal(await form.getByLabel("Location").inputValue(), "not an address", "the form keeps what was filled in");
    emulator.setBehaviour({ errorBody: "html" });
    await page.tab.locator("tr.changed[data-key=errorBody]").waitFor();
    assert.equal(await form.getByLabel("Location").isVisible(), true, "also its fields");
    emulator.setBehaviour({ errorBody: "envelope" });
  });

  it("opens 100,000 rows and turns their pages with few elements and one request each", async () => {
    await page.go("#/settings", "Settings");
    const read = async (act: () => Promise<unknown>, shown: string): Promise<string[]> => {
      const before = page.read.length;
      await act();
      await page.tab.getByText(shown).waitFor();
      assert.equal((await page.cells(`Rows of ${manyRows}`)).length, 50);
      const elements = (await page.tab.evaluate("document.querySelectorAll('*').length")) as number;
      assert.ok(elements < 1_200, `${elements} elements`);
      return page.read.slice(before);
    };
    const opened = await read(() => page.go(`#/runs/${manyRows}/rows`, "Rows of run"), "Rows 1 to 50 of 100,000");
    assert.deepEqual(opened, [`runs/${manyRows}/rows?offset=0&limit=50`]);
    const next = await read(() => page.tab.getByRole("link", { name: "Next" }).click(), "Rows 51 to 100 of 100,000");
    assert.deepEqual(next, [`runs/${manyRows}/rows?offset=50&limit=50`]);
    await page.tab.getByLabel("Number").fill("70001");
    const jumped = await read(
      () => page.tab.getByRole("button", { name: /^Go/ }).click(),
      "Rows 70,001 to 70,050 of 100,000",
    );
    assert.deepEqual(jumped, [`runs/${manyRows}/rows?offset=70000&limit=50`]);
    assert.equal((await page.cells(`Rows of ${manyRows}`))[0]?.[2], "00070001");
    const last = await read(
      () => page.tab.getByRole("link", { name: "Last" }).click(),
      "Rows 99,951 to 100,000 of 100,000",
    );
    assert.equal(last.length, 1);
  });

  it("goes back, and shows the same view after a reload", async () => {
    await page.go("#/tasks?search=copy-1", "Tasks");
    await page.go(`#/runs/${manyRows}/rows?offset=500`, "Rows of run");
    await page.tab.reload();
    await page.tab.getByText("Rows 501 to 550 of 100,000").waitFor();
    await page.tab.goBack();
    await page.shows("Tasks");
    assert.equal(await page.tab.getByLabel("Id or name contains").inputValue(), "copy-1");
    await page.tab.goForward();
    await page.tab.getByText("Rows 501 to 550 of 100,000").waitFor();
  });

  it("reads no events while it is hidden, and all of its view when it is shown again", async () => {
    await page.go("#/tasks/copy-1", "Task copy-1");
    await page.isLive();
    const hide = (hidden: boolean): Promise<unknown> =>
      page.tab.evaluate(
        `Object.defineProperty(document, "hidden", { value: ${hidden}, configurable: true }); document.dispatchEvent(new Event("visibilitychange"))`,
      );
    await hide(true);
    await page.tab.locator("#connection").filter({ hasText: "Paused" }).waitFor();
    emulator.change.setStartUrls("copy-1", ["http://127.0.0.1/while-hidden"]);
    await hide(false);
    await page.tab.getByText("while-hidden").waitFor();
    await page.isLive();
  });

  it("says when the emulator has ended, and continues with the next one at its address", async () => {
    const short = await startWithTasks([{ taskId: "first", taskGroupId: "group", actions: [] }]);
    const other = await OpenPage.open(browser, short, "#/tasks");
    await other.isLive();
    await short.close();
    await other.tab.locator("#connection").filter({ hasText: "No connection" }).waitFor();
    assert.equal((await other.cells("Tasks")).length, 1, "the last content stays");
    const next = await startWithTasks([{ taskId: "second", taskGroupId: "group", actions: [] }], {
      port: Number(new URL(short.url).port),
    });
    await other.tab.getByRole("link", { name: "second" }).waitFor();
    await other.close();
    await next.close();
  });

  it("says what does not exist", async () => {
    page.refusals.add(404);
    for (const hash of ["#/tasks/none", "#/runs/1", "#/runs/1/rows"]) {
      await page.go(hash, /none|1/);
      await page.tab.getByText(/there is no/).waitFor();
    }
    await page.go("#/elsewhere", "There is no such view");
  });
});
