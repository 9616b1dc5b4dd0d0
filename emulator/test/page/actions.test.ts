import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import type { Emulator } from "webextract-emulator";
import { call, data, runTemplate } from "../caller";
import type { PageSite } from "../pageSite";
import { startSite } from "../pageSite";
import { closePages, OpenPage, openBrowser } from "./browser";
import { productPage, shopTask, startWithTasks } from "./shop";

describe("the actions of the emulator's page", () => {
  let site: PageSite;
  let emulator: Emulator;
  let browser: Browser;
  let page: OpenPage;

  beforeEach(async () => {
    site = await startSite();
    site.pages.set("/1", productPage(["Compass"]));
    emulator = await startWithTasks([shopTask(site, ["/1", "/later"])]);
    page = await OpenPage.open(browser, emulator, "#/tasks/shop");
    await page.isLive();
  });
  afterEach(async () => {
    await page?.close();
    await emulator?.close();
    await site?.close();
    assert.deepEqual(page.problems, []);
  });
  before(async () => {
    browser = await openBrowser();
  });
  after(closePages);

  const press = (name: string): Promise<void> => page.tab.getByRole("button", { name, exact: true }).click();
  const says = (text: string | RegExp): Promise<void> =>
    page.tab.locator("#announcement").filter({ hasText: text }).waitFor();

  it("start, stop and continue a run, and try its failed pages again", async () => {
    emulator.change.holdRuns();
    await press("Start a run");
    await page.shows(/^Run \d{18}$/);
    const [run] = emulator.inspect.runs("shop");
    const statuses = () => emulator.inspect.run(run?.lotNo ?? "")?.subtasks.map(({ status }) => status);
    assert.deepEqual(statuses(), ["waiting", "waiting"]);
    await press("Stop");
    await says("The run is stopped.");
    assert.deepEqual(statuses(), ["stopped", "stopped"]);
    await press("Continue");
    await page.tab.getByText("2 waiting").first().waitFor();
    emulator.change.releaseRuns();
    await page.tab.getByText("1 failed").first().waitFor();
    await page.tab.getByText("1 finished").first().waitFor();
    site.pages.set("/later", productPage(["Map"]));
    await press("Try failed pages again");
    await page.tab.getByText("2 finished").first().waitFor();
    assert.equal(await page.tab.locator(".actions button").count(), 0, "a finished run has nothing to do");
  });

  it("change a property and a list of a loop, as a person does in the editor of a service", async () => {
    const form = page.tab.getByRole("form", { name: "A property of extract" });
    await form.getByRole("combobox").selectOption("Field.title");
    await form.getByRole("textbox").fill("h3");
    await form.getByRole("button").click();
    await says("Field.title has a new value.");
    for (const item of ["https://one.test/", "https://two.test/"]) {
      await page.tab.getByRole("form", { name: "Another loop item of pages" }).getByRole("textbox").fill(item);
      await press("Add the item");
      await page.tab.getByRole("table", { name: "Loop items of pages" }).getByText(item).waitFor();
    }
    const actions = emulator.inspect.task("shop")?.actions ?? [];
    const [, pages, extract] = actions;
    assert.deepEqual(pages?.loopItems, ["https://one.test/", "https://two.test/"]);
    const expected = { RowSelector: ".product", "Field.title": "h3", "Field.link": "a@href" };
    assert.deepEqual({ ...extract?.properties }, expected);
  });

  it("export the whole state to a file, and import it", async () => {
    await runTemplate(emulator, "shop");
    await page.go("#/settings", "Settings");
    const [download] = await Promise.all([page.tab.waitForEvent("download"), press("Export")]);
    assert.equal(download.suggestedFilename(), "webextract-emulator-state.json");
    const file = await download.path();
    assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), emulator.exportState());
    const before = emulator.exportState();
    await emulator.reset();
    await page.tab.getByLabel("Document").setInputFiles(file);
    await press("Import, and replace the state");
    await says("The emulator has the state of the document.");
    assert.deepEqual(emulator.exportState(), before);
  });

  it("say why a document is not imported", async () => {
    const before = emulator.exportState();
    await page.go("#/settings", "Settings");
    const buffer = Buffer.from(`{"format": "something else"}`);
    await page.tab.getByLabel("Document").setInputFiles({ name: "state.json", mimeType: "application/json", buffer });
    page.refusals.add(400);
    await press("Import, and replace the state");
    await says(/That did not work: .*version/);
    assert.deepEqual(emulator.exportState(), before);
  });

  it("reset, but only after the user has agreed to what is removed", async () => {
    await runTemplate(emulator, "shop");
    await page.go("#/settings", "Settings");
    await press("Reset");
    assert.equal(emulator.inspect.runs().length, 1);
    await page.tab.getByLabel("Remove them").check();
    await press("Reset");
    await says("The emulator is as after its start.");
    assert.equal(emulator.inspect.runs().length, 0);
    assert.equal(await page.tab.getByLabel("Remove them").isChecked(), false);
  });

  it("fix, move and free the clock, and follow changes of others", async () => {
    await page.go("#/settings", "Settings");
    const clock = page.tab.getByRole("region", { name: "Clock" });
    await clock.getByLabel("Time in UTC; empty: now").fill("2030-01-02T03:04:05");
    await press("Fix the clock");
    await clock.getByText("2030-01-02 03:04:05 UTC").waitFor();
    assert.deepEqual(emulator.clock, { now: "2030-01-02T03:04:05.000Z", mode: "fixed" });
    await clock.getByLabel("Ahead by").fill("2");
    await clock.getByLabel("Unit").selectOption("days");
    await press("Move the clock");
    await clock.getByText("2030-01-04 03:04:05 UTC").waitFor();
    await press("Show the real time");
    await clock.getByText("The clock runs.").waitFor();
    assert.equal(emulator.clock.mode, "real");
    emulator.setClock({ mode: "fixed", at: "2031-01-01T00:00:00Z" });
    await clock.getByText("2031-01-01 00:00:00 UTC").waitFor();
    await press("Fix the clock");
    await says("The clock stands.");
    assert.equal(emulator.clock.now, "2031-01-01T00:00:00.000Z");
  });

  it("save a snapshot, restore it and delete it", async () => {
    await page.go("#/settings", "Settings");
    emulator.setBehaviour({ markScope: "returned" });
    await page.tab.getByLabel("Name", { exact: true }).fill("before / the <b>run</b>");
    await press("Save a snapshot");
    await says("The snapshot before / the <b>run</b> is saved.");
    await runTemplate(emulator, "shop");
    emulator.setBehaviour({ markScope: "task" });
    await press("Restore before / the <b>run</b>");
    await says("Everything is as in");
    assert.equal(emulator.inspect.runs().length, 0);
    assert.equal(emulator.behaviour.markScope, "returned");
    await press("Delete before / the <b>run</b>");
    await page.tab.getByText("A snapshot has everything in memory").waitFor();
  });

  it("are those of an account on its own page", async () => {
    const account = await emulator.createAccount("worker-1");
    await page.go("#/settings", "Settings");
    await page.tab.getByRole("link", { name: "worker-1" }).click();
    await page.tab.getByText("webextract-emulator / worker-1").waitFor();
    await page.go("#/tasks/shop", "Task shop");
    await press("Start a run");
    await page.shows(/^Run \d{18}$/);
    await account.settled();
    assert.deepEqual([account.inspect.runs().length, emulator.inspect.runs().length], [1, 0]);
    await fetch(`${emulator.url}/data/all?taskId=shop`, {
      headers: { authorization: `Bearer ${account.credentials.accessToken}` },
    });
    await page.go("#/requests/1", "Request 1");
    await page.tab.getByText(`curl -X GET '${emulator.url}/data/all?taskId=shop'`).waitFor();
  });

  it("change the plan and the latency, and follow changes of others", async () => {
    await page.go("#/settings", "Settings");
    const plan = page.tab.getByLabel("Plan of the account");
    await plan.selectOption("free");
    await says("The plan is now free.");
    assert.equal(emulator.plan, "free");
    const latency = page.tab.getByLabel("Delay of each request, in ms");
    await latency.fill("120");
    await latency.press("Enter");
    await says("Each request now waits 120 ms.");
    assert.equal(emulator.latency, 120);
    await page.heading().focus();
    emulator.setPlan("professional");
    emulator.setLatency(5);
    await plan.locator("option:checked", { hasText: "professional" }).waitFor({ state: "attached" });
    assert.equal(await latency.inputValue(), "5");
  });

  it("replace the faults by those of a file, and say where a file is wrong", async () => {
    await page.go("#/settings", "Settings");
    emulator.fault({ operation: "copyTask", kind: "reset" });
    const file = page.tab.getByLabel("File with faults and behaviours, in YAML or JSON");
    const choose = (text: string): Promise<void> =>
      file.setInputFiles({ name: "faults.yaml", mimeType: "text/plain", buffer: Buffer.from(text) });
    await choose("behaviour:\n  retryAfter: seconds\nfaults:\n  - {operation: getData, kind: late, delayMs: 5}\n");
    await press("Replace the faults");
    await says("The faults and behaviours are those of the file.");
    await page.tab.getByRole("row", { name: /^getData late/ }).waitFor();
    assert.deepEqual(
      emulator.faults.map(({ operation }) => operation),
      ["getData"],
    );
    assert.equal(emulator.behaviour.retryAfter, "seconds");
    page.refusals.add(400);
    await choose("faults:\n  - {operation: getData, kind: lat}\n");
    await press("Replace the faults");
    await says(/That did not work: faults\.0\.kind must be one of/);
    assert.equal(emulator.faults.length, 1);
  });

  it("expire the tokens of clients", async () => {
    await page.go("#/settings", "Settings");
    await press("Expire access tokens");
    await says("All access tokens have expired.");
    assert.equal((await call(emulator, "getActions", { fields: { taskIds: ["shop"] } })).status, 401);
    await data(emulator, "refreshToken", {
      grant_type: "refresh_token",
      refresh_token: emulator.credentials.refreshToken,
    });
    await press("Expire refresh tokens");
    await says("All refresh tokens have expired.");
  });
});

describe("a request as a command of curl", () => {
  let emulator: Emulator;
  let browser: Browser;
  let page: OpenPage;
  before(async () => {
    emulator = await startWithTasks([]);
    browser = await openBrowser();
    page = await OpenPage.open(browser, emulator, "#/requests", { permissions: ["clipboard-read", "clipboard-write"] });
  });
  after(async () => {
    await closePages();
    await emulator?.close();
  });

  /** The arguments that a shell gives to curl. */
  async function argumentsOf(number: number): Promise<string[]> {
    await page.go(`#/requests/${number}`, `Request ${number}`);
    const command = await page.tab.getByRole("region", { name: "The command" }).innerText();
    const output = execFileSync("sh", ["-c", `curl() { printf '%s\\0' "$@"; }\n${command}`], {
      encoding: "utf8",
      env: { WEBEXTRACT_ACCESS_TOKEN: "a token", WEBEXTRACT_API_KEY: "a key", WEBEXTRACT_REFRESH_TOKEN: "a refresh" },
    });
    return output.split("\0").slice(0, -1);
  }

  it("is copied, and has names in the place of credentials", async () => {
    const { accessToken, apiKey, refreshToken } = emulator.credentials;
    await call(emulator, "getData", { fields: { taskId: "it's", offset: 0, size: 1 } });
    await call(emulator, "updateTaskUrls", { fields: { taskId: "shop" }, file: "http://127.0.0.1/" });
    await call(emulator, "refreshToken", { fields: { grant_type: "refresh_token", refresh_token: refreshToken } });
    await page.go("#/requests/1", "Request 1");
    await page.tab.getByRole("button", { name: "Copy as curl" }).click();
    await page.tab.getByText("The command is copied.").waitFor();
    const copied: string = await page.tab.evaluate("navigator.clipboard.readText()");
    assert.equal(
      copied,
      `curl -X GET '${emulator.url}/data/all?taskId=it%27s&offset=0&size=1' \\\n  -H "authorization: Bearer $WEBEXTRACT_ACCESS_TOKEN"`,
    );
    assert.deepEqual((await argumentsOf(1)).slice(3), ["-H", "authorization: Bearer a token"]);
    assert.deepEqual((await argumentsOf(2)).slice(3), [
      ...["-H", "x-api-key: a key"],
      ...["--form-string", "taskId=shop", "-F", "file=@urls.txt"],
    ]);
    const refresh = await argumentsOf(3);
    assert.deepEqual(JSON.parse(refresh.at(-1) ?? ""), { grant_type: "refresh_token", refresh_token: "a refresh" });
    const shown: string = await page.tab.evaluate("document.body.textContent");
    for (const secret of [accessToken, apiKey, refreshToken]) assert.ok(!shown.includes(secret));
  });

  it("gives a shell exactly the request, whatever the request has", async () => {
    const taskIds = [
      "it's $(touch harmed) `harmed`",
      '"; rm -rf "',
      "\\",
      "\u202Eabc",
      "\n\u009b31m",
      "\ud800",
      "é",
      "!x",
    ];
    emulator.clearRequests();
    await fetch(`${emulator.url}/task/getActions?a=$(harmed)'&b[]={1,2}&c=%0a`, {
      method: "POST",
      headers: { "content-type": "application/json; a='\"$(harmed)" },
      body: JSON.stringify({ taskIds }),
    });
    await fetch(`${emulator.url}/a'$(harmed)/[1-3]/{a,b}`, { method: "DELETE" });
    const numbers = emulator.requests.map(({ number }) => number);
    const [, method, url, , type, , body] = await argumentsOf(numbers[0] ?? 0);
    assert.equal(method, "POST");
    const { searchParams, pathname } = new URL(url ?? "");
    assert.equal(pathname, "/task/getActions");
    assert.deepEqual(
      [searchParams.get("a"), searchParams.get("b[]"), searchParams.get("c")],
      ["$(harmed)'", "{1,2}", "\n"],
    );
    assert.equal(type, "content-type: application/json; a='\"$(harmed)");
    assert.deepEqual(JSON.parse(body ?? ""), { taskIds });
    assert.match(body ?? "", /^[ -~]*$/);
    const [, other, unknown] = await argumentsOf(numbers[1] ?? 0);
    assert.equal(other, "DELETE");
    assert.equal(unknown, `${emulator.url}/a'$(harmed)/%5B1-3%5D/%7Ba,b%7D`);
  });

  it("is absent for a body that the journal does not have", async () => {
    const send = (path: string, body: string | undefined) =>
      fetch(emulator.url + path, { method: "POST", headers: { "content-type": "application/json" }, body });
    emulator.clearRequests();
    await send("/task/getActions", "@/etc/passwd");
    await send("/elsewhere", "{}");
    await send("/elsewhere", undefined);
    const [text, unknown, none] = emulator.requests.map(({ number, bodyLeftOut }) => ({ number, bodyLeftOut }));
    assert.deepEqual([text?.bodyLeftOut, unknown?.bodyLeftOut, none?.bodyLeftOut], [true, true, undefined]);
    for (const found of [text, unknown]) {
      await page.go(`#/requests/${found?.number}`, `Request ${found?.number}`);
      await page.tab.getByText("The request had a body that is not in the journal").waitFor();
      assert.equal(await page.tab.getByRole("button", { name: "Copy as curl" }).count(), 0);
    }
    assert.deepEqual((await argumentsOf(none?.number ?? 0)).slice(0, 3), ["-X", "POST", `${emulator.url}/elsewhere`]);
  });

  it("is absent for a list whose items the journal does not have", async () => {
    emulator.clearRequests();
    await call(emulator, "getActions", {
      fields: { taskIds: Array.from({ length: 10_001 }, (_, index) => `${index}`) },
    });
    const number = emulator.requests[0]?.number;
    await page.go(`#/requests/${number}`, `Request ${number}`);
    await page.tab.getByText("There is no command").waitFor();
  });
});
