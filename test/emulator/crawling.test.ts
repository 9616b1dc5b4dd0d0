import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import timers from "node:timers/promises";
import sinon from "sinon";
import type { Crawling, Emulator, SeedAction } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { Hosts } from "../internals/emulator";
import { admin } from "./admin/adminCaller";
import { call, data, runTemplate, startWith } from "./caller";
import type { PageSite } from "./pageSite";
import { startSite } from "./pageSite";

const extract: SeedAction = {
  actionType: "ExtractDataAction",
  actionId: "extract",
  properties: { RowSelector: "li", "Field.name": "b" },
};
const details: SeedAction = {
  actionType: "DetailAction",
  actionId: "detail",
  properties: { LinkSelector: "a", "Field.text": "h1" },
};
const pagination: SeedAction = {
  actionType: "PaginationAction",
  actionId: "pages",
  properties: { NextSelector: "a.next" },
};

describe("a run with options for crawling", () => {
  let emulator: Emulator;
  let site: PageSite;
  beforeEach(async () => {
    site = await startSite();
  });
  afterEach(() => Promise.all([emulator.close(), site.close()]));

  const prepare = async (crawling: Partial<Crawling>, actions: SeedAction[], paths: string[], urlsPerSubtask = 3) => {
    emulator = await startWith([], { crawling });
    const startUrls = paths.map((path) => site.url + path);
    emulator.change.addTask({ taskId: "task", taskGroupId: "group", actions, startUrls, urlsPerSubtask });
  };
  const run = async (...args: Parameters<typeof prepare>) => {
    await prepare(...args);
    await runTemplate(emulator, "task");
  };
  const subtasks = () => emulator.inspect.runs("task").at(-1)?.subtasks ?? [];
  const errors = () => subtasks().flatMap((subtask) => subtask.errors.map(({ message }) => message));
  const rows = () => emulator.inspect.rows("task").map(({ name, text }) => (text === undefined ? name : [name, text]));

  it("loads one page of a host at a time", async () => {
    const open: ServerResponse[] = [];
    let most = 0;
    const paths = ["/1", "/2", "/3", "/4", "/5"];
    for (const path of paths) {
      site.pages.set(path, (_request, response) => {
        open.push(response);
        most = Math.max(most, open.length);
        setImmediate(() => {
          open.splice(open.indexOf(response), 1);
          response.writeHead(200, { "content-type": "text/html" }).end(`<li><b>${path}</b>`);
        });
      });
    }
    await run({ hostConnections: 1 }, [extract], paths, 1);
    assert.deepEqual([most, rows()], [1, paths]);
  });

  it("opens the pages that robots.txt allows, and reads it once for each run", async () => {
    site.pages.set(
      "/robots.txt",
      "User-agent: *\nDisallow: /\n\nUser-agent: webextract-emulator\nDisallow: /private\n",
    );
    for (const path of ["/open", "/private/1"]) site.pages.set(path, `<li><b>${path}</b>`);
    site.pages.set("/moved", (_request, response) => {
      response.writeHead(302, { location: "/private/1" }).end();
    });
    await run({ robots: true }, [extract], ["/open", "/private/1", "/moved"]);
    const refused = "not opened: robots.txt does not allow it";
    assert.deepEqual([rows(), errors()], [["/open"], [refused, refused]]);
    assert.deepEqual(site.asked, ["/robots.txt", "/open", "/moved"]);
    site.pages.set("/robots.txt", "");
    await runTemplate(emulator, "task");
    assert.deepEqual(errors(), []);
  });

  it("matches hostile rules beside its other work, and opens nothing if that takes too long", async () => {
    const rules = `Disallow: /${"*a".repeat(400)}b\n`.repeat(300);
    site.pages.set("/robots.txt", `User-agent: *\n${rules}`);
    const path = `/${"a".repeat(8000)}`;
    emulator = await startWith([], { crawling: { robots: true }, pageTimeoutMs: 1000 });
    const startUrls = [`${site.url}${path}`, `${site.url}${path}b`];
    emulator.change.addTask({ taskId: "task", taskGroupId: "group", actions: [extract], startUrls });
    let isSettled = false;
    const settled = runTemplate(emulator, "task").then(() => {
      isSettled = true;
    });
    let answered = 0;
    for (; !isSettled; answered += 1) await admin(emulator, "/health");
    await settled;
    const unreadable = "not opened: robots.txt of the site cannot be read";
    assert.deepEqual([errors(), site.asked], [[unreadable, unreadable], ["/robots.txt"]]);
    assert.ok(answered > 10, `${answered} requests were answered meanwhile`);
    // The rules were the reason: others of the same site are matched.
    site.pages.set("/robots.txt", "User-agent: *\nDisallow: /*b$\n");
    site.pages.set(path, "<li><b>open</b>");
    await runTemplate(emulator, "task");
    assert.deepEqual([rows(), errors()], [["open"], ["not opened: robots.txt does not allow it"]]);
  });

  it("says nothing about a site to the other subtasks if the one that read robots.txt is stopped", async () => {
    const held: ServerResponse[] = [];
    site.pages.set("/robots.txt", (_request, response) => {
      held.push(response);
    });
    for (const path of ["/1", "/2"]) site.pages.set(path, `<li><b>${path}</b>`);
    await prepare({ robots: true }, [extract], ["/1", "/2"], 1);
    await data(emulator, "startTask", { taskId: "task" });
    while (held.length === 0) await new Promise(setImmediate);
    const [first] = subtasks();
    await call(emulator, "stopSubtasks", { fields: { taskId: "task", subTaskIds: [first?.subTaskId] } });
    while (held.length === 1) await new Promise(setImmediate);
    held[1]?.writeHead(404).end();
    await emulator.settled();
    assert.deepEqual([subtasks().map(({ status }) => status), errors()], [["stopped", "finished"], []]);
  });

  it("opens everything without robots.txt, and nothing if it cannot be read", async () => {
    site.pages.set("/open", "<li><b>open</b>");
    await run({ robots: true }, [extract], ["/open"]);
    assert.deepEqual(rows(), ["open"]);
    site.pages.set("/robots.txt", (_request, response) => {
      response.writeHead(503).end();
    });
    await runTemplate(emulator, "task");
    assert.deepEqual(errors(), ["not opened: robots.txt of the site cannot be read"]);
  });

  it("loads a page again after a failure that may pass, and tells each reason", async () => {
    let asked = 0;
    site.pages.set("/busy", (_request, response) => {
      asked += 1;
      if (asked === 1) response.socket?.destroy();
      else if (asked === 2) response.writeHead(429, { "retry-after": "0" }).end();
      else response.writeHead(200, { "content-type": "text/html" }).end("<li><b>there</b>");
    });
    site.pages.set("/down", (_request, response) => {
      response.writeHead(503, { "retry-after": "0" }).end();
    });
    await run({ retries: 2 }, [extract], ["/busy", "/down", "/gone"]);
    assert.deepEqual(rows(), ["there"]);
    const [subtask] = subtasks();
    assert.deepEqual(subtask?.errors, [
      { url: `${site.url}/down`, message: "status 503" },
      { url: `${site.url}/gone`, message: "status 404" },
    ]);
    assert.deepEqual(
      subtask.retries.map(({ url, message }) => [new URL(url).pathname, message]),
      [
        ["/busy", "could not be fetched (ECONNRESET)"],
        ["/busy", "status 429"],
        ["/down", "status 503"],
        ["/down", "status 503"],
      ],
    );
  });

  it("opens at most the pages that it may, and keeps the rows that it has", async () => {
    site.pages.set("/1", `<li><b>a</b><a href="/a"></a><li><b>b</b><a href="/b"></a>`);
    site.pages.set("/a", "<h1>page of a</h1>");
    await run({ maxPages: 2 }, [extract, details], ["/1", "/2", "/3"]);
    assert.deepEqual(rows(), [
      ["a", "page of a"],
      ["b", ""],
    ]);
    assert.deepEqual(errors(), ["not opened, like 2 other pages: a run may open 2 pages"]);
    assert.deepEqual(site.asked, ["/1", "/a"]);
  });

  it("follows links to the depth that it may", async () => {
    site.pages.set("/1", `<li><b>1</b></li><a class="next" href="/2"></a>`);
    site.pages.set("/2", `<li><b>2</b><a href="/detail"></a></li><a class="next" href="/3"></a>`);
    await run({ maxDepth: 1 }, [extract, details, pagination], ["/1"]);
    assert.deepEqual(rows(), [
      ["1", ""],
      ["2", ""],
    ]);
    assert.deepEqual(errors(), ["not opened, like 1 other page: a page may be 1 link deep"]);
    assert.deepEqual(site.asked, ["/1", "/2"]);
  });

  it("stops while it waits for a retry", async () => {
    site.pages.set("/down", (_request, response) => {
      response.writeHead(503, { "retry-after": "3600" }).end();
    });
    await prepare({ retries: 1 }, [extract], ["/down"]);
    await data(emulator, "startTask", { taskId: "task" });
    while (subtasks()[0]?.retries.length !== 1) await new Promise(setImmediate);
    const subTaskIds = subtasks().map(({ subTaskId }) => subTaskId);
    await call(emulator, "stopSubtasks", { fields: { taskId: "task", subTaskIds } });
    await emulator.settled();
    assert.deepEqual(
      subtasks().map(({ status }) => status),
      ["stopped"],
    );
  });

  it("refuses an option that does not exist or has a wrong value", async () => {
    emulator = await startWith();
    const wrong = JSON.parse('{"depth":1}');
    await assert.rejects(
      startEmulator({ crawling: wrong }),
      /unknown crawling option "depth"; known: hostConnections, /,
    );
    await assert.rejects(
      startEmulator({ crawling: { retries: -1 } }),
      /retries cannot be -1; allowed: an integer of at least 0/,
    );
    for (const hostPauseMs of [2 ** 31, -1, 0.5, Number.NaN]) {
      await assert.rejects(
        startEmulator({ crawling: { hostPauseMs } }),
        new RegExp(`hostPauseMs cannot be ${hostPauseMs}; allowed: an integer from 0 to 3600000`),
      );
    }
    const most = { latencyMs: 600_000, pageTimeoutMs: 3_600_000, pageMemoryMb: 65_536, port: 65_535 };
    for (const [name, allowed] of Object.entries(most)) {
      for (const value of [allowed + 1, 2 ** 31, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        await assert.rejects(
          startEmulator({ [name]: value }),
          new RegExp(`option ${name} cannot be ${value}; allowed: an integer from [01] to ${allowed}$`),
        );
      }
    }
  });
});

describe("a crawl delay of robots.txt", () => {
  for (const delay of ["86400", "1e300", "Infinity", "-5", "a day"]) {
    it(`of ${delay} is at most 30 seconds, and ends with its run`, async () => {
      const site = await startSite();
      const waits: number[] = [];
      const wait = sinon.stub(timers, "setTimeout").callsFake((ms, _value, options) => {
        if (options?.signal?.aborted === true) return Promise.reject(options.signal.reason);
        waits.push(ms ?? 0);
        // Only a stop ends the wait.
        return new Promise((_resolve, reject) => {
          options?.signal?.addEventListener("abort", () => reject(options.signal?.reason));
        });
      });
      const emulator = await startWith([], { crawling: { robots: true } });
      try {
        site.pages.set("/robots.txt", `User-agent: *\nCrawl-delay: ${delay}\n`);
        for (const path of ["/1", "/2"]) site.pages.set(path, `<li><b>${path}</b>`);
        const add = () =>
          emulator.change.addTask({
            taskId: "task",
            taskGroupId: "group",
            actions: [extract],
            startUrls: ["/1", "/2"].map((path) => site.url + path),
          });
        const isDelayed = Number(delay) > 0;
        for (const asked of [1, 2]) {
          add();
          await data(emulator, "startTask", { taskId: "task" });
          if (isDelayed) while (waits.length < asked) await new Promise(setImmediate);
          else await emulator.settled();
          await emulator.reset();
        }
        assert.ok(
          waits.every((ms) => ms > 0 && ms <= 30_000),
          String(waits),
        );
        assert.equal(waits.length, isDelayed ? 2 : 0);
        const once = isDelayed ? ["/1"] : ["/1", "/2"];
        assert.deepEqual(
          site.asked.filter((path) => path !== "/robots.txt"),
          [...once, ...once],
        );
      } finally {
        wait.restore();
        await Promise.all([emulator.close(), site.close()]);
      }
    });
  }
});

describe("the pause between requests to a host", () => {
  it("is not left behind by a request that gave up its turn", async () => {
    const waits: number[] = [];
    const stop = new AbortController();
    const hosts = new Hosts(
      { connections: 1, pauseMs: 50 },
      {
        now: () => 1000,
        wait: async (ms, signal) => {
          waits.push(ms);
          signal.throwIfAborted();
        },
      },
    );
    const run = {};
    const enter = async (runPauseMs: number, signal = new AbortController().signal) =>
      (await hosts.enter("http://a/", run, runPauseMs, signal))();
    await enter(0);
    const waiting = enter(86_400_000, stop.signal);
    stop.abort(new Error("stopped"));
    await assert.rejects(waiting, /stopped/);
    await enter(0);
    assert.equal(waits.at(-1), 50);
  });

  it("keeps each host's requests apart, in their order, and no other host's", async () => {
    const waits: number[] = [];
    const clock = {
      now: () => 1000,
      wait: async (ms: number) => {
        waits.push(ms);
      },
    };
    const hosts = new Hosts({ connections: 0, pauseMs: 50 }, clock);
    const { signal } = new AbortController();
    for (const url of ["http://a/1", "http://a/2", "http://b/1", "http://a/3", "not a url"])
      await hosts.enter(url, {}, 0, signal);
    assert.deepEqual(waits, [50, 100]);
  });
});
