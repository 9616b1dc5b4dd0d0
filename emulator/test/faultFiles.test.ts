import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Emulator, Fault } from "webextract-emulator";
import { readFaultFile } from "webextract-emulator";
import { admin, refusalOf } from "./admin/adminCaller";
import { call, startWith, useEmulator } from "./caller";
import { emulator as start } from "./emulatorProcess";
import { delayOf, FaultPlan } from "./internals";
import type { PageSite } from "./pageSite";
import { startSite } from "./pageSite";

const read = { fields: { taskId: "template", offset: 0, size: 1 } };

describe("a fault below HTTP", () => {
  const emulator = useEmulator();

  /** All bytes of the response, in latin1. */
  function bytes(): Promise<string> {
    const { port } = new URL(emulator.url);
    const socket = connect(Number(port), "127.0.0.1").setEncoding("latin1");
    const target = "/data/all?taskId=template&offset=0&size=1";
    socket.write(
      `GET ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${emulator.credentials.accessToken}\r\n\r\n`,
    );
    return text(socket);
  }

  it("closes the connection without a response", async () => {
    emulator.fault({ operation: "getData", kind: "close" });
    assert.equal(await bytes(), "");
    emulator.fault({ operation: "startTask", kind: "close", when: "after" });
    await assert.rejects(call(emulator, "startTask", { fields: { taskId: "template" } }));
    assert.equal(emulator.inspect.runs().length, 1);
    assert.deepEqual(
      emulator.requests.map(({ status, response, tookEffect }) => [status, response, tookEffect]),
      [
        [0, "", false],
        [0, "", true],
      ],
    );
  });

  it("sends garbage, the same with the same seed", async () => {
    const found: string[] = [];
    for (const seed of [1, 1, 2]) {
      emulator.fault({ operation: "getData", kind: "garbage", seed });
      found.push(await bytes());
    }
    assert.deepEqual(
      found.map((each) => [each.length, each.startsWith("HTTP")]),
      [64, 64, 64].map((length) => [length, false]),
    );
    assert.ok(found[0] === found[1] && found[0] !== found[2]);
    emulator.fault({ operation: "getData", kind: "garbage" });
    await assert.rejects(call(emulator, "getData", read));
  });

  it("sends a wrong length", async () => {
    emulator.fault({ operation: "getData", kind: "wrongLength" });
    const [head = "", body = ""] = (await bytes()).split("\r\n\r\n");
    assert.match(head, /^HTTP\/1\.1 200 OK\r\n/);
    assert.ok(JSON.parse(body).data !== undefined);
    assert.equal(Number(/content-length: (\d+)/.exec(head)?.[1]), Math.floor(body.length / 2));
  });

  it("waits for a random time that the seed chooses", async () => {
    const delays = (seed: number) => {
      const plan = new FaultPlan(() => undefined);
      const fault = plan.add({ operation: "getData", kind: "late", delayMs: 10, delayMaxMs: 60, seed });
      return Array.from({ length: 100 }, () => delayOf(fault, 1000));
    };
    const [one, same, other] = [delays(1), delays(1), delays(2)];
    assert.deepEqual(one, same);
    assert.notDeepEqual(one, other);
    assert.ok(Math.min(...one) < 15 && Math.max(...one) > 55 && one.every((ms) => ms >= 10 && ms <= 60), String(one));
    emulator.fault({ operation: "getData", kind: "late", when: "before", delayMs: 40, delayMaxMs: 50 });
    await call(emulator, "getData", read);
    assert.ok((emulator.requests[0]?.durationMs ?? 0) >= 39);
  });

  it("is refused where it cannot happen", () => {
    const wrong: [Fault, RegExp][] = [
      [{ operation: "getData", kind: "changed" }, /kind changed is only for the operation page/],
      [{ operation: "getData", kind: "reset", url: "*" }, /url is only for the operation page/],
      [
        { operation: "page", kind: "redirect" },
        /kind must be one of reset, hang, .*changed, hold for the operation page/,
      ],
      [{ operation: "page", kind: "late", when: "after" }, /when must be before for the operation page/],
      [{ operation: "getData", kind: "wrongLength", when: "before" }, /when must be after for wrongLength/],
      [{ operation: "getData", kind: "late", delayMs: 5, delayMaxMs: 4 }, /delayMaxMs must be at least delayMs/],
    ];
    for (const [fault, message] of wrong) assert.throws(() => emulator.fault(fault), message);
    assert.deepEqual(emulator.faults, []);
  });
});

describe("a fault of a page that a run loads", () => {
  let emulator: Emulator;
  let site: PageSite;
  beforeEach(async () => {
    site = await startSite();
    for (const path of ["/1", "/2", "/other"]) site.pages.set(path, `<h1 class="big title" id=head>Page ${path}</h1>`);
    emulator = await startWith([], { pageTimeoutMs: 300 });
    emulator.change.addTask({
      ...{ taskId: "shop", taskGroupId: "group", urlsPerSubtask: 3 },
      startUrls: ["/1", "/2", "/other"].map((path) => `${site.url}${path}`),
      actions: [
        {
          actionType: "ExtractDataAction",
          actionId: "e",
          properties: { "Field.title": "h1.title", "Field.id": "#head" },
        },
      ],
    });
  });
  afterEach(() => Promise.all([emulator.close(), site.close()]));

  /** The titles of a run, and its errors. */
  async function run(): Promise<{ titles: string[]; errors: string[] }> {
    const lotNo = emulator.change.startRun("shop");
    await emulator.settled();
    return {
      titles: emulator.inspect.rows("shop", lotNo).map(({ title }) => String(title)),
      errors: (emulator.inspect.run(lotNo)?.subtasks ?? []).flatMap(({ errors }) =>
        errors.map(({ message }) => message),
      ),
    };
  }

  const kinds: [Omit<Fault, "operation">, string][] = [
    [{ kind: "status" }, "status 503"],
    [{ kind: "status", status: 404 }, "status 404"],
    [{ kind: "reset" }, "could not be fetched (ECONNRESET)"],
    [{ kind: "truncated" }, "could not be fetched (ECONNRESET)"],
    [{ kind: "wrongType" }, "not a page: application/octet-stream"],
    [{ kind: "hang" }, "no complete response within 300 ms"],
    [{ kind: "late", delayMs: 500 }, "no complete response within 300 ms"],
    [{ kind: "slow", delayMs: 500 }, "no complete response within 300 ms"],
  ];
  for (const [fault, message] of kinds) {
    it(`is an error of its subtask: ${JSON.stringify(fault)}`, async () => {
      emulator.fault({ operation: "page", url: `${site.url}/2`, ...fault });
      assert.deepEqual(await run(), { titles: ["Page /1", "Page /other"], errors: [message] });
      assert.deepEqual((await run()).errors, [], "once");
      assert.deepEqual(emulator.faults, []);
    });
  }

  it("changes the markup, so that selectors match nothing", async () => {
    emulator.fault({ operation: "page", url: `*/other`, kind: "changed" });
    assert.deepEqual(await run(), { titles: ["Page /1", "Page /2", ""], errors: [] });
  });

  it("makes a page slow, applies to the pages of a pattern or a task, and not with *", async () => {
    emulator.fault({ operation: "*", kind: "status", times: 9 });
    emulator.fault({ operation: "page", taskId: "template", kind: "status", times: 9 });
    emulator.fault({ operation: "page", url: "http://*.1:*/o*r", kind: "slow", delayMs: 6, times: 9 });
    emulator.fault({ operation: "page", url: `${site.url}/`, kind: "status", times: 9 });
    emulator.fault({ operation: "page", url: "*/1*/1*/1", kind: "status", times: 9 });
    assert.deepEqual(await run(), { titles: ["Page /1", "Page /2", "Page /other"], errors: [] });
    assert.deepEqual(
      emulator.faults.map(({ happened }) => happened),
      [0, 0, 1, 0, 0],
    );
  });

  it("can hold a page until the test releases it", async () => {
    const hold = emulator.hold({ operation: "page", url: "*/2" });
    const lotNo = emulator.change.startRun("shop");
    await hold.reached;
    assert.equal(emulator.inspect.rows("shop", lotNo).length, 1);
    hold.release();
    await emulator.settled();
    assert.equal(emulator.inspect.rows("shop", lotNo).length, 3);
  });
});

describe("a file of faults", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "emulator-faults-"));
  });
  after(() => rmSync(folder, { recursive: true }));
  const fileOf = (content: string) => {
    const file = join(folder, "faults.yaml");
    writeFileSync(file, content);
    return file;
  };
  const content = `behaviour:
  dataPageMax: 7
  statusCase: lower
faults:
  - {operation: getData, kind: status, status: 418, times: 2}
  - operation: page
    kind: changed
    probability: 0.5
`;

  for (const option of ["--faults", "--plan"]) {
    it(`of ${option} is that of the start, to which a reset returns, also of an account`, async () => {
      const running = start(
        "--port",
        "0",
        "--plan",
        "free",
        option,
        fileOf(content),
        "--behaviour",
        "statusCase=upper",
      );
      const url = await running.says(/webextract:baseUrl (http:\S+)/);
      await admin({ url }, "/accounts/one", { method: "PUT" });
      for (const path of ["", "/accounts/one", ""]) {
        const { json } = await admin({ url }, `${path}/behaviour`);
        assert.deepEqual([json.dataPageMax, json.statusCase], [7, "upper"]);
        const { faults } = (await admin({ url }, `${path}/faults`)).json;
        assert.deepEqual(
          faults.map(({ kind, times }: { kind: string; times?: number }) => [kind, times]),
          [
            ["status", 2],
            ["changed", undefined],
          ],
        );
        await admin({ url }, `${path}/faults`, { method: "DELETE" });
        await admin({ url }, `${path}/reset`, { method: "POST" });
      }
      assert.equal((await admin({ url }, "/settings")).json.plan, "free");
      running.process.kill("SIGTERM");
      assert.equal(await running.ended, 0);
    });
  }

  it("is one: --faults and --plan cannot both name one", async () => {
    const running = start("--port", "0", "--faults", fileOf(content), "--plan", fileOf(content));
    await running.says(/--faults and --plan both name a file of faults: give one of them/);
    assert.notEqual(await running.ended, 0);
  });

  it("is refused with the place of each problem", async () => {
    const cases: [string, RegExp][] = [
      [
        "faults:\n  - {operation: getDat, kind: reset}\n",
        /line 2, column 17: faults\.0\.operation must be one of \*, refreshToken/,
      ],
      [
        "behaviour: {taskGone: no}\nfault: []\n",
        /line 2, column 1: fault is not known; line 1, column 23: behaviour\.taskGone must be one of /,
      ],
      ["faults:\n  - {operation: getData, kind: changed}\n", /line 2, column 5: faults\.0: kind changed is only for/],
      ["faults: [", /not valid YAML \(/],
    ];
    for (const [wrong, message] of cases) {
      const running = start("--port", "0", "--faults", fileOf(wrong));
      assert.equal(await running.ended, 1);
      assert.match(running.output(), message);
    }
  });

  it("has all its problems in one message, also as JSON", () => {
    const wrong = `{"faults": [
      {"operation": "getData", "kind": "wrong"},
      {"operation": "page", "kind": "redirect"}],
      "__proto__": 1, "fault": 1}`;
    assert.throws(
      () => readFaultFile(fileOf(wrong)),
      /^Error: line 4, column 7: __proto__ is not known; line 4, column 23: fault is not known; line 2, column 40: faults\.0\.kind must be one of .*; line 3, column 7: faults\.1: kind must be one of .* for the operation page$/,
    );
    // A longer one is refused as fast, without places.
    const long = JSON.stringify({
      fault: 1,
      faults: [{ operation: "getData", kind: "status", body: "x".repeat(2e6) }],
    });
    assert.throws(() => readFaultFile(fileOf(long)), /^Error: fault is not known$/);
  });

  it("is a regular file with text in UTF-8", () => {
    const message = (content: string | Buffer) => {
      const file = join(folder, "other.yaml");
      writeFileSync(file, content);
      try {
        return JSON.stringify(readFaultFile(file));
      } catch (error) {
        return String(error);
      }
    };
    for (const empty of ["", " \n", "# nothing\n", "null"])
      assert.equal(message(empty), "Error: the file is empty", JSON.stringify(empty));
    assert.equal(message("\ufefffaults: []\n"), '{"faults":[]}');
    assert.equal(message(Buffer.from("behaviour: {a: \xfc}", "latin1")), "Error: the file is not UTF-8");
    assert.equal(message(Buffer.from("\ufefffaults: []", "utf16le")), "Error: the file is not UTF-8");
    for (const other of [folder, "/dev/zero", "/dev/null"])
      assert.throws(() => readFaultFile(other), { message: "not a regular file" }, other);
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    assert.throws(() => readFaultFile(pipe), { message: "not a regular file" });
  });

  it("replaces faults at run time, or changes nothing", async () => {
    const emulator = await startWith();
    emulator.fault({ operation: "startTask", kind: "reset" });
    emulator.setBehaviour({ dataPageMax: 3 });
    const hold = emulator.hold({ operation: "copyTask" });
    const put = (body: string) => ({ method: "PUT", body, headers: { "content-type": "application/yaml" } }) as const;
    const { json } = await admin(emulator, "/faults", put(content));
    assert.deepEqual(json.faults, JSON.parse(JSON.stringify(emulator.faults)));
    assert.deepEqual([emulator.behaviour.dataPageMax, emulator.behaviour.statusCase], [7, "lower"]);
    assert.equal((await call(emulator, "getData", read)).status, 418);
    assert.deepEqual(
      emulator.faults.map(({ kind }) => kind),
      ["status", "changed"],
    );
    const wrong = `behaviour: {dataPageMax: 1}\nfaults: [{operation: getData, kind: changed}]`;
    assert.match(await refusalOf(emulator, "/faults", put(wrong)), /^400 InvalidParameter: kind changed is only/);
    assert.deepEqual([emulator.behaviour.dataPageMax, emulator.faults.length], [7, 2]);
    emulator.setFaults({});
    assert.deepEqual([emulator.faults, emulator.behaviour.dataPageMax], [[], 7]);
    hold.release();
    await assert.rejects(startWith([], { faults: [{ operation: "page", kind: "error" }] }), /kind must be one of/);
    await emulator.close();
  });
});
