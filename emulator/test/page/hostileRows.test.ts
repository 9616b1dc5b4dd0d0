import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import type { Emulator } from "webextract-emulator";
import { closePages, OpenPage, openBrowser } from "./browser";
import { startWithTasks } from "./shop";

const markup = [
  `<img src=x onerror="document.title='harmed'">`,
  "<script>document.title='harmed'</script>",
  "</script><script>document.title='harmed'</script>",
  `"><svg onload="document.title='harmed'">`,
  "<iframe srcdoc=\"<script>parent.document.title='harmed'</script>\"></iframe>",
  "<style>* { display: none }</style>",
  "</td></tr></table><h1>harmed</h1>",
  "{{constructor.constructor('alert(1)')()}}",
];
const links = [
  "javascript:document.title='harmed'",
  " javascript:document.title='harmed'",
  "JaVaScRiPt:document.title='harmed'",
  "data:text/html,<script>alert(1)</script>",
  "vbscript:msgbox(1)",
  "file:///etc/passwd",
  "//example.com/",
  "https://",
  "blob:http://127.0.0.1/1",
];
const texts = [
  "\u202Egnirts a\u202C",
  "\u2067right\u2066",
  "\ud800",
  "a\udfffb",
  "\u0000\u0007\u001b[31m",
  "\ufeff",
  "e\u0301".repeat(300),
];
const huge = "1 MB of text. ".repeat(75_000);

describe("rows that want to harm the emulator's page", () => {
  let emulator: Emulator;
  let browser: Browser;
  let page: OpenPage;
  let lotNo: string;

  before(async () => {
    emulator = await startWithTasks([
      {
        taskId: "<img src=x onerror=alert(1)>",
        taskGroupId: "group",
        name: markup.join(""),
        startUrls: [...links, ...markup],
        actions: [
          {
            actionType: markup[0] ?? "",
            actionId: markup[1] ?? "",
            name: markup[2],
            properties: Object.fromEntries([...markup, ...links].map((text) => [text, text])),
          },
        ],
      },
    ]);
    const [task] = emulator.inspect.tasks();
    lotNo = emulator.change.insertRows(task?.taskId ?? "", [
      ...markup.map((text) => ({ text, [text]: "a name" })),
      ...links.map((text) => ({ text })),
      ...texts.map((text) => ({ text })),
      { text: huge },
      JSON.parse(
        `{"__proto__": "a field", "constructor": "another", "toString": {"nested": ["<b>"]}, "hasOwnProperty": 1}`,
      ),
      { text: "https://example.com/a?b=c#d" },
      Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field ${index}`, index])),
    ] as never);
    browser = await openBrowser();
    page = await OpenPage.open(browser, emulator);
  });
  after(async () => {
    await closePages();
    await emulator?.close();
  });

  /** The page is as its own scripts made it. */
  async function isUnharmed(): Promise<void> {
    assert.deepEqual(page.problems, []);
    assert.match(await page.tab.title(), / – webextract-emulator$/);
    const foreign = "main :is(script, style, iframe, img, object, embed, link, base, meta, template)";
    assert.equal(await page.tab.locator(foreign).count(), 0);
    assert.equal(await page.heading().count(), 1);
    const handlers = (await page.tab.evaluate(
      "[...document.querySelectorAll('main *')].flatMap((e) => e.getAttributeNames().filter((n) => n.startsWith('on') || n === 'style' || n === 'srcdoc'))",
    )) as string[];
    assert.deepEqual(handlers, []);
    const hrefs = (await page.tab.evaluate(
      "[...document.querySelectorAll('main a')].map((a) => a.getAttribute('href'))",
    )) as (string | null)[];
    for (const href of hrefs) assert.match(href ?? "#/", /^(#\/|https?:\/\/)/);
  }

  it("stay text in the table, with links only to http and https", async () => {
    await page.go(`#/runs/${lotNo}/rows`, "Rows of run");
    const shown = (await page.cells(`Rows of ${lotNo}`)).flat();
    for (const text of markup) assert.ok(shown.includes(text), text);
    await isUnharmed();
    const outside = page.tab.locator('main a[href^="http"]');
    assert.equal(await outside.count(), 1);
    assert.equal(await outside.getAttribute("href"), "https://example.com/a?b=c#d");
    assert.equal(await outside.getAttribute("rel"), "noreferrer noopener");
  });

  it("cost a bounded number of elements and characters", async () => {
    await page.go(`#/runs/${lotNo}/rows`, "Rows of run");
    const columns = await page.tab
      .getByRole("table", { name: `Rows of ${lotNo}` })
      .locator("thead th")
      .count();
    assert.ok(columns <= 32, `${columns} columns`);
    const longest = (await page.tab.evaluate(
      "Math.max(...[...document.querySelectorAll('td')].map((td) => td.textContent.length))",
    )) as number;
    assert.ok(longest < 1_000, `${longest} characters`);
    await page.tab.getByText(/fields\. A row's number leads to all of them/).waitFor();
  });

  it("are shown whole one at a time", async () => {
    const rows = emulator.inspect.rows(emulator.inspect.tasks()[0]?.taskId ?? "");
    for (const [index, row] of rows.entries()) {
      await page.go(`#/runs/${lotNo}/rows/${index + 1}`, `Row ${index + 1} of run`);
      await isUnharmed();
      if (row.text === huge) {
        const shown = (await page.tab.evaluate("document.querySelector('.fields td').textContent")) as string;
        assert.equal(shown, huge);
      }
    }
    await page.go(`#/runs/${lotNo}/rows/${rows.length - 2}`, `Row ${rows.length - 2} of run`);
    const names = (await page.cells("Fields")).map(([name]) => name);
    assert.deepEqual(names, ["__proto__", "constructor", "toString", "hasOwnProperty"]);
  });

  it("show characters that hide or turn text as escapes, in cells, titles, labels and messages", async () => {
    const hidden = "a\u202eb\u001b[31m\u0000\ud800";
    const shown = "a\\u202eb\\u001b[31m\\u0000\\ud800";
    emulator.change.insertRows(emulator.inspect.tasks()[0]?.taskId ?? "", [{ text: hidden, [hidden]: "name" }], lotNo);
    const last = emulator.inspect.rowPage(lotNo, { offset: 0, limit: 1 })?.total;
    await page.go(`#/runs/${lotNo}/rows/${last}`, `Row ${last} of run`);
    assert.deepEqual(await page.cells("Fields"), [
      ["text", shown],
      [shown, "name"],
    ]);
    page.refusals.add(404);
    await page.go(`#/tasks/${encodeURIComponent("x\u202ey\u001b")}`, "Task x\\u202ey\\u001b");
    assert.equal(await page.tab.title(), "Task x\\u202ey\\u001b – webextract-emulator");
    await emulator.saveSnapshot("one\u202etwo");
    await page.go("#/settings", "Settings");
    await page.tab.getByRole("button", { name: "Restore one\\u202etwo" }).click();
    await page.tab.getByText("Everything is as in one\\u202etwo.").waitFor();
    const raw: boolean = await page.tab.evaluate(
      '/[\\u202e\\u001b]/.test(document.documentElement.outerHTML.replace(/data-key="[^"]*"/g, \'\'))',
    );
    assert.equal(raw, false);
    await emulator.deleteSnapshot("one\u202etwo");
  });

  it("have the same protection in tasks, and in the journal", async () => {
    await page.go("#/tasks", "Tasks");
    await isUnharmed();
    await page.tab.getByRole("link", { name: "<img src=x onerror=alert(1)>" }).click();
    await page.shows("Task <img src=x onerror=alert(1)>");
    await isUnharmed();
    await fetch(`${emulator.url}/task/getActions?${encodeURIComponent("<script>alert(1)</script>")}=1`, {
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": "<script>alert(1)</script>" },
      body: JSON.stringify({ taskIds: markup, __proto__: null }),
    });
    const bodies = [
      "a text of its own".repeat(50_000),
      markup,
      { taskId: "x".repeat(1_000_000) },
      { taskIds: [{ toString: "none" }, null] },
      Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`${markup[0]}${index}`, markup])),
      JSON.parse('{"__proto__": {"taskId": "a"}, "hasOwnProperty": 1}'),
    ];
    for (const body of bodies) {
      await fetch(`${emulator.url}/task/getActions`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${emulator.credentials.accessToken}` },
        body: JSON.stringify(body),
      });
    }
    await page.go("#/requests", "Requests");
    await isUnharmed();
    assert.equal((await page.cells("Requests, the newest first")).length, bodies.length + 1);
    const characters = (await page.tab.evaluate("document.querySelector('main').textContent.length")) as number;
    assert.ok(characters < 20_000, `${characters} characters`);
    for (const { number } of emulator.requests) {
      await page.go(`#/requests/${number}`, `Request ${number}`);
      await isUnharmed();
    }
    await page.go("#/requests/1", "Request 1");
    await page.tab.getByText("<script>alert(1)</script>").first().waitFor();
    await isUnharmed();
  });

  it("would not run even as markup: the browser refuses inline scripts and markup made of strings", async () => {
    const attempt = (code: string): Promise<string> =>
      page.tab.evaluate(
        `(() => { try { ${code}; return String(window.harmed); } catch (error) { return error.name; } })()`,
      );
    assert.equal(await attempt("document.body.innerHTML = '<b>x</b>'"), "TypeError");
    assert.equal(
      await attempt("document.querySelector('main').setAttribute('onclick', 'window.harmed = 1')"),
      "TypeError",
    );
    assert.equal(await attempt("document.createElement('script').text = 'window.harmed = 1'"), "TypeError");
    await page.tab.evaluate(
      "(() => { const s = document.createElement('style'); s.textContent = 'main { display: none }'; document.head.append(s); })()",
    );
    assert.equal(await page.tab.locator("main").isVisible(), true);
    assert.ok(
      page.problems.every((problem) => /Content Security Policy|Trusted/i.test(problem)),
      page.problems.join("\n"),
    );
  });
});
