import assert from "node:assert/strict";
import dns from "node:dns/promises";
import type { ServerResponse } from "node:http";
import sinon from "sinon";
import type { Emulator, SeedAction } from "webextract-emulator";
import { call, data, runTemplate, startWith } from "./caller";
import type { PageSite } from "./pageSite";
import { startSite } from "./pageSite";

const extract: SeedAction = {
  actionType: "ExtractDataAction",
  actionId: "extract",
  properties: {
    RowSelector: "li",
    "Field.id": "@id",
    "Field.name": "b",
    "Field.link": "a@href",
    "Field.none": ".none",
  },
};
const details: SeedAction = {
  actionType: "DetailAction",
  actionId: "detail",
  properties: { LinkSelector: "a", "Field.text": "h1", "Field.none": ".none" },
};
const pagination: SeedAction = {
  actionType: "PaginationAction",
  actionId: "pages",
  properties: { NextSelector: "a.next", MaxPages: "2" },
};
const loop = (loopType: string, loopItems: string[]): SeedAction => ({
  actionType: "LoopAction",
  actionId: loopType,
  loopType,
  loopItems,
});

describe("a run", () => {
  let emulator: Emulator;
  let site: PageSite;
  const lines: string[] = [];
  beforeEach(async () => {
    site = await startSite();
    lines.length = 0;
    emulator = await startWith([], { log: (line) => lines.push(line), pageTimeoutMs: 5000 });
  });
  afterEach(() => Promise.all([emulator.close(), site.close()]));

  const task = (actions: SeedAction[], startUrls: string[] = [], urlsPerSubtask = 3, taskId = "task") =>
    emulator.change.addTask({
      taskId,
      taskGroupId: "group",
      actions,
      startUrls: startUrls.map((path) => (path.startsWith("/") ? site.url + path : path)),
      urlsPerSubtask,
    });
  const named = (taskId = "task") => emulator.inspect.rows(taskId).map((row) => row.name);
  const statuses = () =>
    emulator.inspect
      .runs("task")
      .at(-1)
      ?.subtasks.map(({ status }) => status);
  const errors = () =>
    emulator.inspect
      .runs("task")
      .at(-1)
      ?.subtasks.flatMap((subtask) => subtask.errors.map(({ message }) => message));

  it("reads the fields of each row: text, attributes, absolute links, and empty strings for missing elements", async () => {
    site.pages.set(
      "/list/",
      `<ul><li id="1"><b> Ä\n  <i>&amp;</i> ö </b><a href="../item?x=1">x</a></li><li><b>second</b></li></ul>`,
    );
    task([extract], ["/list/"]);
    await runTemplate(emulator, "task");
    assert.deepEqual(emulator.inspect.rows("task"), [
      { id: "1", name: "Ä & ö", link: `${site.url}/item?x=1`, none: "" },
      { id: "", name: "second", link: "", none: "" },
    ]);
  });

  it("opens the uploaded URLs, then those of the loop, or else the URL of the action", async () => {
    for (const name of ["one", "two", "three"]) site.pages.set(`/${name}`, `<li><b>${name}</b></li>`);
    const navigate: SeedAction = {
      actionType: "NavigateAction",
      actionId: "open",
      properties: { Url: `${site.url}/three` },
    };
    task([navigate, extract, loop("URLList", [`${site.url}/two`])], ["/one"]);
    await runTemplate(emulator, "task");
    assert.deepEqual(named(), ["one", "two"]);
    task([navigate, extract, loop("UrlList", [])], [], 3, "other");
    await runTemplate(emulator, "other");
    assert.deepEqual(named("other"), ["three"]);
  });

  it("puts the texts of a loop into the URL", async () => {
    site.pages.set("/find?q=a%20b", "<li><b>found</b></li>");
    site.pages.set("/find?q=%C3%BC", "<li><b>ü</b></li>");
    const navigate: SeedAction = {
      actionType: "NavigateAction",
      actionId: "open",
      properties: { Url: `${site.url}/find?q={text}` },
    };
    task([navigate, extract, loop("TextList", ["a b", "ü"])]);
    await runTemplate(emulator, "task");
    assert.deepEqual(named(), ["found", "ü"]);
  });

  it("enters the texts of a loop into the form of a page", async () => {
    site.pages.set("/", `<form action="find"><input type="hidden" name="lang" value="de"><input name="q"></form>`);
    site.pages.set("/find?lang=de&q=one", "<li><b>1</b></li>");
    site.pages.set("/find?lang=de&q=two", "<li><b>2</b></li>");
    const enter: SeedAction = { actionType: "EnterTextAction", actionId: "enter", properties: { TextToSet: "one" } };
    task([enter, extract], ["/"]);
    await runTemplate(emulator, "task");
    emulator.change.addAction("task", loop("TextList", ["two", "one"]));
    await runTemplate(emulator, "task");
    assert.deepEqual(named(), ["1", "2", "1"]);
    site.pages.set("/", `<form method="post"><input name="q"></form>`);
    await runTemplate(emulator, "task");
    assert.deepEqual([statuses(), errors()], [["failed"], Array(2).fill("forms with method post are not supported")]);
  });

  it("follows the pages of a list up to the maximum, and the link of each row, in order", async () => {
    site.pages.set("/1", `<li><b>a</b><a href="/a">a</a></li><li><b>no link</b></li><a class="next" href="2">next</a>`);
    site.pages.set(
      "/2",
      `<li><b>b</b><a href="/gone">b</a></li><li><b>c</b><a href="/c">c</a></li><a class="next" href="3">next</a>`,
    );
    site.pages.set("/3", "<li><b>too far</b></li>");
    site.pages.set("/a", "<h1>page of a</h1>");
    site.pages.set("/c", "<h1>page of c</h1>");
    task([extract, details, pagination], ["/1"]);
    await runTemplate(emulator, "task");
    const rows = emulator.inspect.rows("task").map(({ name, text }) => [name, text]);
    assert.deepEqual(rows, [
      ["a", "page of a"],
      ["no link", ""],
      ["b", ""],
      ["c", "page of c"],
    ]);
    assert.deepEqual([statuses(), errors()], [["finished"], ["status 404"]]);
  });

  it("reads each page of a list once, whatever the link to the next page says", async () => {
    site.pages.set("/a", `<li><b>a</b></li><a class="next" href="b#top">next</a>`);
    site.pages.set("/b", `<li><b>b</b></li><a class="next" href="a">next</a>`);
    site.pages.set("/here", `<li><b>here</b></li><a class="next" href="#">next</a>`);
    site.pages.set("/old", (_request, response) => {
      response.writeHead(301, { location: "/new" }).end();
    });
    site.pages.set("/new", `<li><b>new</b></li><a class="next" href="/old">next</a>`);
    task([extract, { ...pagination, properties: { NextSelector: "a.next" } }], ["/a", "/here", "/old"]);
    await runTemplate(emulator, "task");
    assert.deepEqual(named(), ["a", "b", "here", "new"]);
  });

  it("resolves links and forms against the base of the page", async () => {
    const base = `<base href="/deep/"><base href="/second/">`;
    site.pages.set("/", `${base}<li><b>1</b><a href="item">x</a></li><a class="next" href="next">next</a>`);
    site.pages.set("/deep/next", `<li><b>2</b></li>`);
    task([extract, pagination], ["/"]);
    await runTemplate(emulator, "task");
    assert.deepEqual(
      emulator.inspect.rows("task").map(({ name, link }) => [name, link]),
      [
        ["1", `${site.url}/deep/item`],
        ["2", ""],
      ],
    );
    const enter: SeedAction = { actionType: "EnterTextAction", actionId: "enter", properties: { TextToSet: "x" } };
    site.pages.set("/form", `${base}<form action="find"><input name="q"></form>`);
    site.pages.set("/deep/find?q=x", "<li><b>found</b></li>");
    site.pages.set("/self", `${base}<form><input name="q"></form>`);
    site.pages.set("/self?q=x", "<li><b>itself</b></li>");
    task([enter, extract], ["/form", "/self"], 3, "forms");
    await runTemplate(emulator, "forms");
    assert.deepEqual(named("forms"), ["found", "itself"]);
  });

  it("reads what a page shows without scripts", async () => {
    site.pages.set("/", "<noscript><li><b>plain</b></li></noscript>");
    task([extract], ["/"]);
    await runTemplate(emulator, "task");
    assert.deepEqual(named(), ["plain"]);
  });

  it("trusts a name below localhost only if it leads to this machine", async () => {
    const lookup = sinon.stub(dns, "lookup") as unknown as sinon.SinonStub;
    try {
      lookup.withArgs("out.localhost").resolves([{ address: "127.0.0.1" }, { address: "192.0.2.1" }]);
      lookup.withArgs("none.localhost").rejects(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }));
      task([extract], ["http://out.localhost/", "http://none.localhost/"]);
      await runTemplate(emulator, "task");
      assert.deepEqual(errors(), [
        "out.localhost is outside of this machine; serve a copy of its pages with --site",
        "could not be fetched (ENOTFOUND)",
      ]);
    } finally {
      lookup.restore();
    }
  });

  it("accepts texts that are not valid Unicode", async () => {
    site.pages.set("/find?q=%EF%BF%BD", "<li><b>replaced</b></li>");
    const navigate: SeedAction = {
      actionType: "NavigateAction",
      actionId: "open",
      properties: { Url: `${site.url}/find?q={text}` },
    };
    task([navigate, extract, loop("TextList", ["\ud800"])]);
    await runTemplate(emulator, "task");
    assert.deepEqual(named(), ["replaced"]);
  });

  it("keeps the order of the inputs, even if its subtasks finish in another order", async function () {
    // On a busy machine, a page can fail before its turn: seen three times among all tests, never alone.
    this.retries(3);
    let first: ServerResponse | undefined;
    site.pages.set("/slow", (_request, response) => {
      first = response;
    });
    for (const name of ["b", "c", "d"]) site.pages.set(`/${name}`, `<li><b>${name}</b></li>`);
    task([extract], ["/slow", "/b", "/c", "/d"], 1);
    const { lotNo } = await data(emulator, "startTask", { taskId: "task" });
    const subtasks = () => emulator.inspect.run(lotNo)?.subtasks.map(({ status }) => status);
    const ended = () => subtasks()?.filter((status) => status === "finished" || status === "failed") ?? [];
    while (ended().length < 3) await new Promise(setImmediate);
    assert.equal(subtasks()?.join(), "extracting,finished,finished,finished");
    assert.deepEqual(named(), []);
    first?.writeHead(200, { "content-type": "text/html" }).end("<li><b>a</b></li>");
    await emulator.settled();
    assert.deepEqual(named(), ["a", "b", "c", "d"]);
  });

  it("stops a subtask between pages and continues from there", async () => {
    let held: ServerResponse | undefined;
    site.pages.set("/1", `<li><b>a</b></li><a class="next" href="2">next</a>`);
    site.pages.set("/2", (_request, response) => {
      held = response;
    });
    task([extract, pagination], ["/1"]);
    const { lotNo } = await data(emulator, "startTask", { taskId: "task" });
    while (held === undefined) await new Promise(setImmediate);
    const subTaskIds = emulator.inspect.run(lotNo)?.subtasks.map(({ subTaskId }) => subTaskId);
    await call(emulator, "stopSubtasks", { fields: { taskId: "task", subTaskIds } });
    await emulator.settled();
    assert.deepEqual([statuses(), named()], [["stopped"], ["a"]]);
    site.pages.set("/2", "<li><b>b</b></li>");
    await call(emulator, "startSubtasks", { fields: { taskId: "task", subTaskIds } });
    await emulator.settled();
    assert.deepEqual([statuses(), named()], [["finished"], ["a", "b"]]);
    assert.deepEqual(site.asked, ["/1", "/2", "/2"]);
  });

  it("fails with a reason if every page failed, and can be started again", async () => {
    site.pages.set("/text", (_request, response) => {
      response.writeHead(200, { "content-type": "text/plain" }).end("x");
    });
    site.pages.set("/loop", (_request, response) => {
      response.writeHead(302, { location: "/loop" }).end();
    });
    site.pages.set("/out", (_request, response) => {
      response.writeHead(302, { location: "http://example.test/" }).end();
    });
    const closed = await startSite();
    await closed.close();
    const failing = [
      "/none",
      "/text",
      "/loop",
      "/out",
      "http://example.test/",
      "ftp://127.0.0.1/",
      "not a url",
      closed.url,
    ];
    task([extract], failing, 99);
    await runTemplate(emulator, "task");
    assert.deepEqual(statuses(), ["failed"]);
    assert.deepEqual(errors(), [
      "status 404",
      "not a page: text/plain",
      "more than 5 redirects",
      "example.test is outside of this machine; serve a copy of its pages with --site",
      "example.test is outside of this machine; serve a copy of its pages with --site",
      "only http and https can be opened",
      "not an absolute URL",
      "could not be fetched (ECONNREFUSED)",
    ]);
    assert.equal(lines.filter((line) => line.startsWith("subtask ")).length, 8);
    site.pages.set("/none", "<li><b>now</b></li>");
    const subTaskIds = emulator.inspect.runs("task")[0]?.subtasks.map(({ subTaskId }) => subTaskId);
    await call(emulator, "startSubtasks", { fields: { taskId: "task", subTaskIds } });
    await emulator.settled();
    assert.deepEqual([statuses(), named()], [["finished"], ["now"]]);
  });

  it("follows a redirect on this machine and resolves links against its target", async () => {
    site.pages.set("/old", (_request, response) => {
      response.writeHead(301, { location: "/new/" }).end();
    });
    site.pages.set("/new/", `<li><a href="x">x</a></li>`);
    task([extract], ["/old"]);
    await runTemplate(emulator, "task");
    assert.equal(emulator.inspect.rows("task")[0]?.link, `${site.url}/new/x`);
  });

  it("opens no page outside of this machine", async () => {
    // For the emulator an address like any other; for the system it is this machine.
    const remote = site.url.replace("127.0.0.1", "0.0.0.0");
    site.pages.set("/1", "<li><b>far away</b></li>");
    task([extract], [`${remote}/1`]);
    await runTemplate(emulator, "task");
    assert.deepEqual([statuses(), site.asked], [["failed"], []]);
  });

  it("reads pages in the encoding of their header or their meta element", async () => {
    const latin = Buffer.from("<li><b>sch\u00f6n</b></li>", "latin1");
    site.pages.set("/header", (_request, response) => {
      response.writeHead(200, { "content-type": "text/html; charset=ISO-8859-1" }).end(latin);
    });
    site.pages.set("/meta", (_request, response) => {
      const meta = Buffer.from('<meta charset="windows-1252">', "latin1");
      response.writeHead(200, { "content-type": "text/html" }).end(Buffer.concat([meta, latin]));
    });
    site.pages.set("/plain", (_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<li><b>schön</b></li>");
    });
    task([extract], ["/header", "/meta", "/plain"]);
    await runTemplate(emulator, "task");
    assert.deepEqual(named(), ["schön", "schön", "schön"]);
  });

  it("asks for pages that are not compressed, and names an encoding that a page has all the same", async () => {
    site.pages.set("/", ({ headers }, response) => {
      response.writeHead(200, { "content-type": "text/html", "content-encoding": "gzip" }).end("x");
      accepted = headers["accept-encoding"];
    });
    let accepted: string | string[] | undefined;
    task([extract], ["/"]);
    await runTemplate(emulator, "task");
    assert.deepEqual(
      [accepted, errors()],
      ["identity", ["compressed with gzip, although the request asked for it as it is"]],
    );
  });

  it("reads a page again if the site closed the connection of an earlier page", async () => {
    const used = new WeakSet<object>();
    for (let index = 0; index < 20; index += 1) {
      site.pages.set(`/${index}`, ({ socket }, response) => {
        // As a site whose time limit for idle connections ends while the request is on its way.
        if (used.has(socket)) socket.destroy();
        else response.writeHead(200, { "content-type": "text/html" }).end(`<li><b>${index}</b></li>`);
        used.add(socket);
      });
    }
    task(
      [extract],
      [...Array(20).keys()].map((index) => `/${index}`),
      99,
    );
    await runTemplate(emulator, "task");
    assert.deepEqual([named().length, errors()], [20, []]);
  });

  it("follows redirects as browsers do: addresses in UTF-8, and no statuses that say something else", async () => {
    site.pages.set("/%C3%A9", "<li><b>é</b></li>");
    const redirect = (status: number) => (_request: unknown, response: ServerResponse) => {
      response.writeHead(status, { location: Buffer.from("/é").toString("latin1") }).end();
    };
    const statuses = [301, 302, 303, 307, 308, 300, 304, 305];
    for (const status of statuses) site.pages.set(`/${status}`, redirect(status));
    task(
      [extract],
      statuses.map((status) => `/${status}`),
      99,
    );
    await runTemplate(emulator, "task");
    assert.deepEqual(named(), ["é", "é", "é", "é", "é"]);
    assert.deepEqual(errors(), ["status 300", "status 304", "status 305"]);
  });

  it("fails a page at once whose site changes the protocol", async () => {
    site.pages.set("/", ({ socket }) => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n");
    });
    task([extract], ["/"]);
    await runTemplate(emulator, "task");
    assert.match(errors()?.join() ?? "", /changed the protocol/);
  });

  it("records a wrong selector and does not crash", async () => {
    site.pages.set("/1", "<li>x</li>");
    task([{ ...extract, properties: { RowSelector: "li[[", "Field.a": "b" } }], ["/1"]);
    await runTemplate(emulator, "task");
    assert.deepEqual([statuses(), errors()?.length], [["failed"], 1]);
  });

  it("finishes without rows if there is no page to open", async () => {
    task([extract]);
    const lotno = await runTemplate(emulator, "task");
    assert.deepEqual(statuses(), ["finished"]);
    assert.equal((await data(emulator, "getBatchData", { taskId: "task", lotno, offset: 0, size: 1 })).total, 0);
  });

  it("ends when its task is deleted", async () => {
    site.pages.set("/1", () => undefined);
    task([extract], ["/1"]);
    await data(emulator, "startTask", { taskId: "task" });
    while (site.asked.length === 0) await new Promise(setImmediate);
    emulator.change.deleteTask("task");
    await emulator.settled();
    assert.deepEqual(emulator.inspect.runs("task"), []);
  });
});
