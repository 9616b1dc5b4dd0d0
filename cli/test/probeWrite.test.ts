import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import files from "node:fs/promises";
import sinon from "sinon";
import type { Emulator } from "webextract-emulator";
import { slowIt } from "../../test/environment";
import { startFakeServer } from "../../test/service/fakeServer";
import type { SkippedWaits } from "../../test/service/skipWaits";
import { skipWaits } from "../../test/service/skipWaits";
import { mostRequests } from "./internals/probe";
import { group, original, seedFor, startSite } from "./probe/writing";
import { CliWorld } from "./webextract";

const line = `probe --write --from ${original} --group ${group}`;
const copyLine = /^The copy of task "the-original-83" is task "([0-9a-f-]{36})"\.$/m;

describe("webextract probe --write", function () {
  this.timeout(60_000);
  let site: Awaited<ReturnType<typeof startSite>>;
  let world: CliWorld;
  let emulator: Emulator;
  let waits: SkippedWaits;
  beforeEach(async () => {
    site = await startSite();
    const seed = seedFor(site.baseUrl, { syntheticRows: 6, syntheticSubtasks: 2 });
    world = await CliWorld.create({ seed });
    waits = skipWaits();
    emulator = world.emulator;
  });
  afterEach(async () => {
    waits.restore();
    await world.remove();
    await site.close();
  });

  const copies = () => emulator.requests.filter(({ operation, tookEffect }) => operation === "copyTask" && tookEffect);
  const starts = () => emulator.requests.filter(({ operation, tookEffect }) => operation === "startTask" && tookEffect);

  it("says what it will do, prints the id of the copy, and writes a table, within the limit of requests and without a run", async () => {
    const { code, stdout, stderr } = await world.run(`${line} --yes`);
    assert.equal(code, 0, stderr);
    const [plan = ""] = stderr.split("\n");
    assert.match(
      plan,
      /^This copies task "the-original-83" into group "shops-83" at http:.*, with at most 140 requests\. The API cannot delete the copy: it stays behind\./,
    );
    assert.doesNotMatch(plan, /run/);
    const [, copy = ""] = copyLine.exec(stderr) ?? [];
    assert.ok(emulator.inspect.task(copy), stderr);
    assert.match(stderr.trimEnd().split("\n").at(-1) ?? "", new RegExp(`^Task "${copy}", the copy, stays behind`));
    assert.match(stdout, /^\| question \| seen \| contract or usual \| the package \|$/m);
    assert.match(stdout, /^\| the copy \| .* \| ✔ handles it \|$/m);
    assert.match(stdout, /^- course of the run: needs --start \(`statusWords`/m);
    assert.ok(emulator.requests.length <= mostRequests);
    assert.deepEqual([copies().length, starts().length], [1, 0]);
  });

  it("touches the task in one request, the copy, and no other task", async () => {
    const before = JSON.stringify(emulator.inspect.task(original));
    const { code, stderr } = await world.run(`${line} --start --yes`);
    assert.equal(code, 0, stderr);
    const [, copy = ""] = copyLine.exec(stderr) ?? [];
    const naming = emulator.requests.filter((entry) => JSON.stringify(entry).includes(original));
    assert.deepEqual(
      naming.map(({ operation }) => operation),
      ["copyTask"],
    );
    assert.equal(JSON.stringify(emulator.inspect.task(original)), before);
    for (const { query, body, tookEffect } of emulator.requests.filter((entry) => entry.operation !== "copyTask")) {
      const fields = { ...query, ...(body as object) } as { taskId?: string; taskIds?: string[] };
      const tasks = [fields.taskId ?? [], fields.taskIds ?? []].flat();
      assert.ok(
        tasks.every((task) => task === copy || emulator.inspect.task(task) === undefined),
        JSON.stringify(tasks),
      );
      assert.ok(tasks.includes(copy) || tookEffect === false || tasks.length === 0);
    }
    assert.deepEqual([copies().length, starts().length], [1, 1]);
    assert.match(stderr, /One run of the copy is started, which may cost money\./);
    assert.match(stderr, /One run of it was started\.$/m);
  });

  it("writes four files without a host, an id, a credential, or a value of a row, a property or an item", async () => {
    for (const behaviour of [{}, { actionShape: "flat", errorBody: "legacy", updatedParameters: "lists" }] as const) {
      emulator.setBehaviour(behaviour);
      const { code, stdout, stderr } = await world.run(`${line} --start --yes --out probed`);
      assert.equal(code, 0, stderr);
      const [, copy = ""] = copyLine.exec(stderr) ?? [];
      const { accessToken, apiKey, refreshToken } = emulator.credentials;
      const { subtasks, lotNo } = emulator.inspect.runs(copy)[0] ?? assert.fail();
      const secrets = [
        ...[original, group, copy, accessToken, apiKey, refreshToken, lotNo, subtasks[0]?.subTaskId ?? assert.fail()],
        ...[emulator.url, site.baseUrl, "127.0.0.1", new URL(emulator.url).port, world.folder],
        ...["open-the-shop", "each-shelf", "read-the-shelf", "secret shelf", "secret-margin", "/shelf/", "private"],
        ...["Field.shelf", '"shelf"', 'Wait"', "Note"],
      ];
      const files = readdirSync(world.path("probed")).sort();
      assert.deepEqual(files, ["behaviours.yaml", "config.sh", "report.md", "responses.json"]);
      const texts = [stdout, ...files.map((file) => readFileSync(world.path(`probed/${file}`), "utf8"))];
      for (const secret of secrets) {
        assert.ok(!texts.some((text) => text.includes(secret)), secret);
      }
      assert.equal(texts[files.indexOf("report.md") + 1], stdout);
      const responses = JSON.parse(texts[files.indexOf("responses.json") + 1] ?? "");
      const start = responses.find(
        ({ operation, status }: Record<string, unknown>) => operation === "startTask" && status === 200,
      );
      assert.deepEqual(start.body, { data: { lotNo: "<18 digits>", status: "Waiting" }, requestId: "<a UUID>" });
      const rows = responses.findLast(({ operation }: Record<string, unknown>) => operation === "getBatchData");
      const row = Object.fromEntries([1, 2, 3, 4, 5].map((field) => [`field${field}`, "<string>"]));
      assert.deepEqual(rows.body.data.data, [row, row, "…"]);
      const counts = responses.flatMap(({ body }: { body: unknown }) =>
        Object.entries(Object(Object(body).data)).flatMap(([name, value]) => (typeof value === "number" ? name : [])),
      );
      assert.deepEqual([...new Set(counts)].sort(), ["current", "offset", "restTotal", "total"]);
      rmSync(world.path("probed"), { recursive: true });
    }
  });

  it("writes the settings as commands of a shell, and the behaviours for the emulator", async () => {
    emulator.setBehaviour({ refreshPath: "tokenRefresh", markScope: "returned", splitting: "never" });
    const { code } = await world.run(`${line} --start --yes --out probed`);
    assert.equal(code, 0);
    const commands = readFileSync(world.path("probed/config.sh"), "utf8");
    assert.match(commands, /^#!\/bin\/sh\n/);
    assert.match(commands, /^pulumi config set webextract:refreshPath '\/token\/refresh'$/m);
    assert.match(commands, /^pulumi config set webextract:markScope 'returned'$/m);
    assert.match(commands, /^# In the program: finishedWhen: "rowsSettled" of each CloudRun$/m);
    assert.match(readFileSync(world.path("probed/behaviours.yaml"), "utf8"), /^behaviour:\n(?: {2}\w+: .+\n)+$/m);
  });

  it("finds no fault in a run without rows, and says how to ask about rows", async () => {
    const actions = [{ actionType: "LoopAction", actionId: "each", loopType: "UrlList", loopItems: [] }];
    emulator.change.addTask({ taskId: "template", taskGroupId: group, actions });
    const { code, json } = await world.run(`probe --write --from template --group ${group} --start --yes --json`);
    const { findings } = json() as { findings: { found: string; is: string; consequence: string }[] };
    const ofRows = findings.filter(({ found }) => /the run brought no rows/i.test(found));
    assert.deepEqual([code, new Set(ofRows.map(({ consequence }) => consequence))], [0, new Set(["notShown"])]);
    const [first, ...others] = ofRows.map(({ found }) => found);
    assert.match(
      first ?? "",
      /as that of a task without pages\. .* To ask them, probe a task whose runs bring rows\.$/,
    );
    assert.deepEqual(others, Array(4).fill("Not asked: the run brought no rows."));
  });

  it("ends with exit code 1 if something is not handled, and asks for an issue", async () => {
    emulator.setBehaviour({ taskGone: "serverError" });
    const { code, json } = await world.run(`${line} --start --yes --json`);
    assert.equal(code, 1);
    const limits = json().findings.filter(({ consequence }: { consequence: string }) => consequence === "notHandled");
    assert.deepEqual(
      limits.map(({ check }: { check: string }) => check),
      ["task that does not exist, for each operation"],
    );
    const { stdout } = await world.run(`${line} --start --yes`);
    assert.match(
      stdout,
      /^Not handled: task that does not exist, for each operation\. Open an issue with this report\.$/m,
    );
  });

  it("sends nothing if there is nobody to ask, if an option lacks another, or if the answer is no", async () => {
    const refused = async (args: string): Promise<string> => {
      const { code, stderr } = await world.run(args);
      assert.equal(code, 2, stderr);
      return stderr;
    };
    assert.match(
      await refused(line),
      /Continue\? Nobody can answer, because this is no terminal\. Nothing was done\. Use --yes/,
    );
    assert.match(
      await refused("probe --write --yes"),
      /--write needs --from TASK and --group GROUP\. No request was sent\./,
    );
    for (const option of ["from x", "group x", "start", "out x", "yes"]) {
      const [name] = option.split(" ");
      assert.match(await refused(`probe --${option}`), new RegExp(`--${name} needs --write\\. No request was sent\\.`));
    }
    assert.match(
      await refused(`${line} --task x`),
      /cannot be used with option '--write'|'--task <taskId>' cannot be used/,
    );
    const terminal = world.startOnTerminal(line.split(" "));
    await terminal.says(/Continue\?/);
    terminal.press("n");
    assert.equal(await terminal.ended, 1);
    assert.deepEqual(emulator.requests, []);
  });

  it("asks again about files that it would replace", async () => {
    await world.run(`${line} --yes --out probed`);
    const { stderr } = await world.run(`${line} --out probed`);
    assert.match(stderr, /Replaced in probed: report\.md, config\.sh, behaviours\.yaml, responses\.json\./);
  });

  it("has no report, and says that no copy was made, if the service does not know the task", async () => {
    const { code, stderr } = await world.run(`probe --write --from nowhere --group ${group} --yes`);
    assert.equal(code, 4, stderr);
    assert.match(stderr, /No copy was made\.$/m);
  });

  it("sends no copy if a proxy or another server responds in place of the service", async () => {
    const pages: [number, object, string][] = [
      [404, { "content-type": "text/html" }, "<html>nothing here</html>"],
      [404, { "content-type": "application/json" }, '{"message": "no route matched"}'],
      [302, { location: "https://login.example/" }, ""],
      [200, { "content-type": "text/html" }, "<html>log in</html>"],
      [503, { "content-type": "text/html" }, "<html>maintenance</html>"],
    ];
    for (const [status, headers, page] of pages) {
      const other = await startFakeServer((_seen, response) => response.writeHead(status, { ...headers }).end(page));
      const ended = await world.run(`${line} --yes --out probed`, { WEBEXTRACT_BASE_URL: other.baseUrl });
      assert.equal(ended.code, status === 503 ? 5 : 1, ended.stderr);
      assert.match(
        ended.stderr,
        /getData .*(?: Check (?:that )?WEBEXTRACT_BASE_URL| It is safe to try again\.).* No copy was made\.$/m,
      );
      const own = other.seen.filter(({ url }) => url.startsWith("/task/copy") && url.includes(original));
      assert.deepEqual([own, readdirSync(world.path("probed"))], [[], []]);
      await other.close();
    }
  });

  /** A command whose copy the service holds, after the first Ctrl-C. */
  async function interruptedCopy() {
    const hold = emulator.hold({ operation: "copyTask", skip: 1 });
    const running = world.start([...line.split(" "), "--yes"]);
    await hold.reached;
    running.process.kill("SIGINT");
    await running.says(/Ending\./);
    return { hold, running };
  }

  it("does not say that no copy was made if one may exist", async () => {
    const { running } = await interruptedCopy();
    await emulator.close();
    const { code, stderr } = await running.ended;
    assert.equal(code, 130);
    assert.match(stderr, /^error: .* A copy of task "the-original-83" in group "shops-83" may exist: [^.]*\.$/m);
  });

  it("writes the report to standard output if a file cannot be written, and says so", async () => {
    mkdirSync(world.path("probed/config.sh"), { recursive: true });
    const { code, stdout, stderr } = await world.run(`${line} --yes --out probed`);
    assert.equal(code, 1);
    assert.match(stdout, /^# Report of webextract probe\n/);
    assert.match(
      stderr,
      /^error: "probed\/config\.sh" cannot be written: something else stands there now, [^.]*\. The report is on standard output\.$/m,
    );
    assert.match(stderr, /^Task "[0-9a-f-]{36}", the copy, stays behind/m);
  });

  it("refuses a folder that takes no files, before anything is sent", async () => {
    writeFileSync(world.path("file"), "");
    const refused = async (out: string, code: string) => {
      const { stdout, stderr, code: exit } = await world.run(`${line} --yes --out ${out}`);
      assert.deepEqual([exit, stdout, world.operations()], [2, "", []], stderr);
      assert.ok(stderr.includes(`error: No files can be written into "${out}" (${code}`), stderr);
      assert.match(stderr, /\)\. Mend that, or name another --out\. No request was sent\.\n$/);
    };
    await refused("file/probed", "ENOTDIR");
    await refused("file", "ENOTDIR");
    for (const code of ["EACCES", "EROFS", "ENOSPC"]) {
      const error = Object.assign(new Error("no"), { code });
      const stub = sinon.stub(files, code === "ENOSPC" ? "open" : "mkdir").rejects(error);
      await refused(`probed-${code}`, code).finally(() => stub.restore());
    }
  });

  for (const [operation, skip, left] of [
    ["copyTask", 1, /Task "[0-9a-f-]{36}", the copy, stays behind.* No run was started\./],
    ["updateLoopItems", 2, /Task "[0-9a-f-]{36}", the copy, stays behind.* No run was started\./],
    ["startTask", 2, /Task "[0-9a-f-]{36}", the copy, stays behind.* One run of it was started\./],
  ] as const) {
    const test = operation === "startTask" ? it : slowIt;
    test(`says in its last lines after a Ctrl-C during ${operation} what it did and what stays`, async () => {
      const hold = emulator.hold({ operation, skip });
      const running = world.start([...line.split(" "), "--start", "--yes", "--json"]);
      await hold.reached;
      running.process.kill("SIGINT");
      await running.says(/Ending\./);
      hold.release();
      const { code, stderr, json } = await running.ended;
      assert.deepEqual([code, json().error.exit], [130, "interrupted"]);
      const last = stderr.trimEnd().split("\n").at(-1) ?? "";
      assert.match(last, /^error: Interrupted\. .*Requests sent: \d+, the last one: \w+\./);
      assert.match(last, left);
    });
  }

  it("says with the second Ctrl-C that a copy may exist", async () => {
    const { hold, running } = await interruptedCopy();
    running.process.kill("SIGINT");
    const { code, stderr } = await running.ended;
    assert.equal(code, 6);
    assert.match(
      stderr,
      /^error: A copy of task "the-original-83" in group "shops-83" may exist: the API cannot list tasks/m,
    );
    hold.release();
  });

  it("says with the second Ctrl-C during a start only that a run may exist", async () => {
    const hold = emulator.hold({ operation: "startTask", skip: 2 });
    const running = world.start([...line.split(" "), "--start", "--yes"]);
    await hold.reached;
    running.process.kill("SIGINT");
    await running.says(/Ending\./);
    running.process.kill("SIGINT");
    const { code, stderr } = await running.ended;
    assert.equal(code, 6);
    const last = stderr.trimEnd().split("\n").at(-1) ?? "";
    assert.match(last, /^error: A paid run of task "[0-9a-f-]{36}" may exist: .* the copy, stays behind: [^.]*\.$/);
    hold.release();
  });

  it("is named by probe without --write, and by doctor until it was run", async () => {
    assert.match((await world.run("probe")).stdout, /^`webextract probe --write --from TASK --group GROUP` asks more/m);
    const doctor = async () => (await world.run("doctor")).stdout;
    assert.match(
      await doctor(),
      /^! probe: this service has not been probed from this machine\n {4}Run "webextract probe --write/m,
    );
    emulator.fault({ operation: "copyTask", taskId: original, kind: "reset", when: "after" });
    await world.run(`${line} --yes`);
    assert.match(await doctor(), /^! probe: /m, "a lost copy shows too little");
    await world.run(`${line} --yes`);
    assert.match(await doctor(), /^✔ probe: /m);
  });
});
