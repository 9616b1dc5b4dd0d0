import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import Module from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import sinon from "sinon";
import { owner } from "../../scripts/objectStore/objectStore";
import { slowIt } from "../../test/environment";
import { S3World } from "../../test/resources/export/s3/s3World";
import { storeEnvironment } from "../../test/resources/export/s3/storeKinds";
import { Comparing } from "./comparing";
import type { Ended } from "./webextract";
import { CliWorld, fakePulumi, shop, useCliWorld } from "./webextract";

describe("webextract compare, of runs", () => {
  const world = useCliWorld();
  let temporary: string;
  beforeEach(() => {
    temporary = world.path("temporary");
    mkdirSync(temporary);
    writeFileSync(world.path("old.csv"), "sku,price\n1,2\n2,3\n");
  });

  const compare = (line: string, environment = {}): Promise<Ended> =>
    world.run(`compare ${line}`, { TMPDIR: temporary, ...environment });

  it("reads each row of a run once, and marks nothing", async () => {
    const lotNo = await world.finishedRun();
    const { stdout } = await world.run(`export ${shop.taskId} --lot-no ${lotNo}`);
    writeFileSync(world.path("rows.ndjson"), stdout);
    world.operations();
    const ended = await compare(`rows.ndjson ${shop.taskId}:${lotNo} --json`, { WEBEXTRACT_PAGE_SIZE: "10" });
    assert.equal(ended.code, 0, ended.stderr);
    assert.deepEqual([ended.json().base.rows, ended.json().head.rows], [25, 25]);
    assert.deepEqual(new Set(world.operations()), new Set(["getBatchData", "getSubtasks"]));
    assert.deepEqual(readdirSync(temporary), []);
  });

  it("says which run still runs, and which one has not returned all of its rows", async () => {
    const lotNo = await world.finishedRun();
    world.emulator.fault({ operation: "getSubtasks", kind: "error", code: "PermissionDenied" });
    const unknown = await compare(`old.csv ${shop.taskId}:${lotNo} --json`);
    assert.deepEqual([unknown.code, unknown.json().notes], [0, undefined]);
    const subtasks = { data: [{ subTaskId: "s", status: "Executing" }], requestId: "r" };
    world.emulator.fault({ operation: "getSubtasks", kind: "status", status: 200, body: subtasks });
    const ended = await compare(`old.csv ${shop.taskId}:${lotNo} --json`);
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(
      ended.json().notes[0],
      /^Run shop-1:\d+: 1 subtask of the task ran \(Executing\) when its rows were read\. If the subtasks are of this run, rows are missing\.$/,
    );
    assert.match(ended.stderr, /^warning: Run shop-1:\d+: /m);
    const body = { data: { total: 9, current: 1, offset: 1, restTotal: 0, data: [{ sku: "1" }] }, requestId: "r" };
    world.emulator.fault({ operation: "getBatchData", kind: "status", status: 200, body });
    const short = await compare(`old.csv ${shop.taskId}:${lotNo} --json`);
    assert.deepEqual(short.json().notes, [
      `Run shop-1:${lotNo}: the service reports 9 rows, and returned 1. Rows may be missing.`,
    ]);
  });

  it("takes the latest run from the state of a stack, by the id or the name of the task", async () => {
    const lotNo = await world.finishedRun();
    await world.finishedRun();
    const urn = (type: string): string => `urn:pulumi:dev::p::pulumi-nodejs:dynamic/webextract:${type}::books`;
    const { accessToken, apiKey } = world.emulator.credentials;
    const answers = {
      config: {
        "webextract:baseUrl": { value: world.emulator.url },
        "webextract:accessToken": { value: accessToken, secret: true },
        "webextract:apiKey": { value: apiKey, secret: true },
      },
      stack: {
        version: 3,
        deployment: {
          resources: [
            { urn: urn("TaskCopy"), outputs: { taskId: shop.taskId } },
            {
              urn: urn("CloudRun"),
              modified: "2026-01-02",
              outputs: { taskId: shop.taskId, lotNo, status: "finished" },
            },
            {
              urn: urn("CloudRun"),
              modified: "2026-01-01",
              outputs: { taskId: shop.taskId, lotNo: "7", status: "finished" },
            },
          ],
        },
      },
    };
    writeFileSync(world.path("answers.json"), JSON.stringify(answers));
    const code = `console.log(JSON.stringify(JSON.parse(require("node:fs").readFileSync("answers.json", "utf8"))[process.argv[2]]));`;
    const env = { PATH: fakePulumi(world, code), WEBEXTRACT_BASE_URL: undefined, WEBEXTRACT_ACCESS_TOKEN: undefined };
    for (const task of [shop.taskId, "books"]) {
      const ended = await compare(`old.csv ${task}:latest --stack dev`, env);
      assert.equal(ended.code, 0, ended.stderr);
      assert.match(ended.stdout, new RegExp(`^Head: ${task}:${lotNo}, 25 rows`, "m"));
    }
    answers.stack.deployment.resources.length = 1;
    writeFileSync(world.path("answers.json"), JSON.stringify(answers));
    const none = await compare("old.csv books:latest --stack dev", env);
    assert.equal(none.code, 2);
    assert.match(
      none.stderr,
      /The state of stack "dev" has no run of task "shop-1"\. Name the lotNo\. No rows were read\./,
    );
    const without = await compare("old.csv books:latest");
    assert.equal(without.code, 2);
    assert.match(
      without.stderr,
      /"books:latest" is the run in the state of a stack: use --stack NAME, or name the lotNo\./,
    );
  });

  it("compares files without a service, ends with 1 if a condition fails, and with 2 for a wrong one", async () => {
    writeFileSync(world.path("new.csv"), "sku,price\n1,2\n");
    const offline = { WEBEXTRACT_BASE_URL: undefined, WEBEXTRACT_ACCESS_TOKEN: undefined };
    const ended = await compare("old.csv new.csv --key sku --fail-on removed>0 --fail-on rows<-60% --json", offline);
    assert.equal(ended.code, 1, ended.stderr);
    assert.deepEqual(ended.json().failed, [{ condition: "removed>0", found: "1" }]);
    const wrong = await compare("old.csv new.csv --fail-on rows<10", offline);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /--fail-on <condition>.* It must be like rows<-10%, /);
    assert.equal((await compare("old.csv new.csv --markdown --json", offline)).code, 2);
  });

  it("writes a page as a whole, and asks before it replaces a file", async () => {
    const html = (name: string): string => `old.csv old.csv --key sku --html ${name}`;
    const written = await compare(html("sub/page.html --json"));
    assert.equal(written.code, 0, written.stderr);
    assert.equal(written.json().unchanged, 2);
    assert.match(written.stderr, /^The page is in sub\/page\.html\.$/m);
    assert.deepEqual(readdirSync(world.path("sub")), ["page.html"]);
    const first = readFileSync(world.path("sub/page.html"), "utf8");
    assert.match(first, /^<!doctype html>[\s\S]*<\/html>\n$/);
    writeFileSync(world.path("sub/page.html"), "mine");
    chmodSync(world.path("sub/page.html"), 0o600);
    const asked = await compare(html("sub/page.html"));
    assert.equal(asked.code, 2);
    assert.match(asked.stderr, /Replace the file sub\/page\.html\?.*Use --yes/);
    assert.equal(readFileSync(world.path("sub/page.html"), "utf8"), "mine");
    assert.equal((await compare(`${html("sub/page.html")} --yes`)).code, 0);
    assert.equal(readFileSync(world.path("sub/page.html"), "utf8"), first);
    assert.equal(statSync(world.path("sub/page.html")).mode & 0o777, 0o600);
    const rows = await compare(html("old.csv"));
    assert.equal(rows.code, 2);
    assert.match(rows.stderr, /It must be a file that ends in \.html\./);
    mkdirSync(world.path("folder.html"));
    execFileSync("mkfifo", [world.path("pipe")]);
    symlinkSync("pipe", world.path("pipe.html"));
    for (const name of ["folder.html", "pipe.html"]) {
      const other = await compare(`${html(name)} --yes`);
      assert.equal(other.code, 2, name);
      assert.match(other.stderr, /^error: ".*\.html" cannot be written: it is not a file\. No request was sent\./m);
    }
    assert.ok(statSync(world.path("pipe")).isFIFO());
    symlinkSync("sub/page.html", world.path("link.html"));
    assert.equal((await compare(`${html("link.html")} --yes`)).code, 0);
    assert.ok(lstatSync(world.path("link.html")).isSymbolicLink());
    const none = await compare(html("old.csv/page.html"));
    assert.equal(none.code, 1);
    assert.match(none.stderr, /^error: "old\.csv\/page\.html" cannot be written: .* No file was written\. /m);
  });

  slowIt("leaves the earlier page as it is on a full disk", async () => {
    writeFileSync(world.path("page.html"), "earlier");
    const header = Array.from({ length: 2_000 }, (_, index) => `c${index}`).join(",");
    writeFileSync(world.path("wide.csv"), `${header}\n`);
    writeFileSync(world.path("ignore.cjs"), 'process.on("SIGXFSZ", () => undefined);');
    const environment = { TMPDIR: temporary, NODE_OPTIONS: `--require=${world.path("ignore.cjs")}` };
    const args = ["compare", "wide.csv", "wide.csv", "--html", "page.html", "--yes"];
    // The database is smaller than the page.
    const { code, stderr } = await world.start(args, environment, 'ulimit -f 700; exec "$@"').ended;
    assert.equal(code, 1, stderr);
    assert.match(stderr, /^error: "page\.html" cannot be written: EFBIG\. /m);
    assert.equal(readFileSync(world.path("page.html"), "utf8"), "earlier");
    assert.deepEqual(
      readdirSync(world.folder).filter((name) => name.endsWith(".tmp")),
      [],
    );
  });

  it("says so if its temporary files cannot be written", async () => {
    const none = await compare("old.csv old.csv", { TMPDIR: world.path("none") });
    assert.equal(none.code, 1);
    assert.match(none.stderr, /^error: No folder for temporary files can be made in ".*none" \(ENOENT\)\. Set TMPDIR /);
    const rows = Array.from({ length: 100_000 }, (_, index) => `${index},${String(index).repeat(9)}\n`).join("");
    writeFileSync(world.path("large.csv"), `sku,price\n${rows}`);
    // The limit of a file's size is like a full disk. Its signal would end the process.
    writeFileSync(world.path("ignore.cjs"), 'process.on("SIGXFSZ", () => undefined);');
    const environment = { TMPDIR: temporary, NODE_OPTIONS: `--require=${world.path("ignore.cjs")}` };
    const running = world.start(["compare", "large.csv", "old.csv"], environment, 'ulimit -f 64; exec "$@"');
    const { code, stderr } = await running.ended;
    assert.equal(code, 1, stderr);
    assert.match(
      stderr,
      /^error: (DuckDB failed: .*|A temporary file cannot be written \(EFBIG\)\. )The rows are in the folder for temporary files, /m,
    );
    assert.doesNotMatch(stderr, /^ +at |report it/m);
    assert.deepEqual(readdirSync(temporary), []);
  });

  it("removes its files, which only the owner can read, also when a second signal ends it at once", async () => {
    // The end in order is so quick that a second signal from outside comes too late: this one comes within the first.
    writeFileSync(world.path("twice.cjs"), 'process.on("SIGINT", () => process.emit("SIGTERM", "SIGTERM"));');
    const environment = { TMPDIR: temporary, NODE_OPTIONS: `--require=${world.path("twice.cjs")}` };
    const isWaiting = world.holdAnswer({ operation: "getBatchData" });
    const running = world.start(["compare", "old.csv", `${shop.taskId}:1`], environment);
    await isWaiting;
    const [folder = ""] = readdirSync(temporary);
    assert.equal(statSync(join(temporary, folder)).mode & 0o777, 0o700);
    running.process.kill("SIGINT");
    // The SIGTERM alone would be 143.
    assert.equal((await running.ended).code, 130);
    assert.deepEqual(readdirSync(temporary), []);
  });
});

describe("webextract compare, without DuckDB", () => {
  const files = new Comparing();
  after(() => files.remove());
  afterEach(() => sinon.restore());

  const withResolve = (fail: () => string): void => {
    // A private function of Node.js, which `createRequire(…).resolve` calls.
    const modules = Module as unknown as { _resolveFilename(name: string, ...rest: unknown[]): string };
    const resolve = modules._resolveFilename;
    sinon.stub(modules, "_resolveFilename").callsFake(function (this: unknown, name, ...rest) {
      return name === "@duckdb/node-api" ? fail() : resolve.call(this, name, ...rest);
    });
  };

  it("says what to install", async () => {
    const file = files.rows("a.ndjson", [{ a: "1" }]);
    withResolve(() => {
      throw new Error("not installed");
    });
    assert.equal(
      await files.failure(file, file),
      'The package @duckdb/node-api, which reads the rows, is not installed: run "npm install @duckdb/node-api" in this folder. No rows were read.',
    );
  });

  it("says so if the package has no program for this platform", async () => {
    const file = files.rows("a.ndjson", [{ a: "1" }]);
    const broken = files.write("broken.cjs", 'throw new Error("Cannot find module @duckdb/node-bindings-plan9-x64");');
    withResolve(() => broken);
    assert.match(
      await files.failure(file, file),
      /^The package @duckdb\/node-api cannot be loaded \(Cannot find module @duckdb\/node-bindings-plan9-x64\)\. .* No rows were read\.$/,
    );
  });
});

describe("webextract compare, of objects in S3", () => {
  let s3: S3World;
  let world: CliWorld;
  before(async function () {
    this.timeout(900_000);
    s3 = await S3World.create();
    await s3.begin();
    world = await CliWorld.create();
  });
  after(async () => {
    await world.remove();
    await s3.end();
    await s3.remove();
  });

  const compare = (line: string): Promise<Ended> =>
    world.run(`compare ${line}`, {
      ...storeEnvironment(s3.proxy.endpoint, owner, s3.temporary),
      TMPDIR: s3.temporary,
      WEBEXTRACT_S3_FORCE_PATH_STYLE: "true",
      WEBEXTRACT_BASE_URL: undefined,
    });

  it("fetches them without a configured service, and leaves nothing", async () => {
    await s3.write("rows/old.ndjson", '{"sku":"1"}\n{"sku":"2"}\n');
    writeFileSync(world.path("new.csv.gz"), gzipSync("sku\n2\n3\n"));
    const ended = await compare("s3://rows-bucket/rows/old.ndjson new.csv.gz --key sku --json");
    assert.equal(ended.code, 0, ended.stderr);
    const { added, removed, unchanged } = ended.json();
    assert.deepEqual([added, removed, unchanged], [1, 1, 1]);
    assert.deepEqual(
      s3.leftovers(world.folder).filter((name) => name !== "new.csv.gz"),
      [],
    );
  });

  it("shows the history of the files below a prefix", async () => {
    for (const run of [10, 9, 8]) {
      await s3.write(`runs/rows-${run}.ndjson`, '{"sku":"1"}\n'.repeat(run));
    }
    await s3.write("runs/note.txt", "x");
    for (const prefix of ["s3://rows-bucket/runs", "s3://rows-bucket/runs/rows-"]) {
      const ended = await compare(`--history ${prefix} --json`);
      assert.equal(ended.code, 0, ended.stderr);
      const found = ended.json().files.map(({ name, rows }: { name: string; rows: number }) => `${name} ${rows}`);
      assert.deepEqual(
        found,
        [8, 9, 10].map((run) => `s3://rows-bucket/runs/rows-${run}.ndjson ${run}`),
      );
    }
    const none = await compare("--history s3://rows-bucket/none/");
    assert.deepEqual([none.code, none.stdout], [2, ""]);
    assert.match(none.stderr, /"s3:\/\/rows-bucket\/none\/" matches no file of rows\./);
    const refused = await compare("--history s3://rows-bucket/runs --key sku");
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /--history.* cannot be used with .*--key/);
  });

  it("says which object is missing, and refuses a path that is none", async () => {
    writeFileSync(world.path("new.csv"), "sku\n");
    const missing = await compare("new.csv s3://rows-bucket/none.csv");
    assert.deepEqual([missing.code, missing.stdout], [2, ""]);
    assert.match(missing.stderr, /"s3:\/\/rows-bucket\/none\.csv" cannot be read: there is no such object\./);
    const bucket = await compare("new.csv s3://R/none.csv");
    assert.equal(bucket.code, 2);
    assert.match(bucket.stderr, /"s3:\/\/R\/none\.csv" has an invalid bucket name: /);
  });
});
