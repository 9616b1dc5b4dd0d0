import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { gunzipSync } from "node:zlib";
import { CliWorld, program } from "./webextract";

/** The pages of an export of 25 rows. */
const smallPages = { WEBEXTRACT_PAGE_SIZE: "5", WEBEXTRACT_CONCURRENCY: "1" };

/** Makes the file system of the command fail, as on a full disk or in a folder of another user. */
const failingDisk = `const files = require("node:fs/promises");
const { open, mkdir } = files;
const refuse = (code, syscall) => { throw Object.assign(new Error(code + ": " + syscall), { code, syscall }); };
files.mkdir = async (path, ...rest) => (path.includes("denied") ? refuse("EACCES", "mkdir") : mkdir(path, ...rest));
files.open = async (path, ...rest) => {
  const handle = await open(path, ...rest);
  const { writeFile } = handle;
  let writes = 0;
  if (path.endsWith(".partial")) {
    handle.writeFile = async (data) => (++writes > 2 ? refuse("ENOSPC", "write") : writeFile.call(handle, data));
  }
  return handle;
};`;

describe("webextract export to a file", () => {
  let world: CliWorld;
  let whole: string;
  beforeEach(async () => {
    world = await CliWorld.create();
    await world.finishedRun();
    whole = (await world.run("export shop-1")).stdout;
  });
  afterEach(() => world.remove());
  const left = (): string[] => readdirSync(world.folder).sort();
  const makeStale = (name: string): void => utimesSync(world.path(name), new Date(0), new Date(0));

  it("continues after a kill, with each row once", async () => {
    for (const [format, compression, out] of [
      ["ndjson", "none", "all.ndjson"],
      ["csv", "gzip", "all.csv.gz"],
    ] as const) {
      const isWaiting = world.holdAnswer({ operation: "getData", skip: 2 });
      const flags = ["export", "shop-1", "--out", out, "-f", format, "--compression", compression];
      const killed = world.start(flags, smallPages);
      await isWaiting;
      killed.process.kill("SIGKILL");
      await killed.ended;
      world.releaseAnswers();
      assert.deepEqual(
        left().filter((name) => name.startsWith(out)),
        [`${out}.partial`, `${out}.partial.json`, `${out}.partial.lock`],
      );
      world.operations();
      // The lock of the killed export counts until it is stale.
      const again = world.start([...flags, "--json"], smallPages);
      await again.says(/Another export has locked .* If it was killed, this one continues within 10 s\./);
      makeStale(`${out}.partial.lock`);
      const ended = await again.ended;
      assert.equal(ended.code, 0, ended.stderr);
      assert.match(ended.stderr, /continues after the \d+ rows/);
      assert.equal(ended.json().rowCount, 25);
      assert.ok(world.operations().filter((name) => name === "getData").length < 5);
    }
    assert.equal(readFileSync(world.path("all.ndjson"), "utf8"), whole);
    const direct = await world.run("export shop-1 -f csv");
    assert.equal(gunzipSync(readFileSync(world.path("all.csv.gz"))).toString("utf8"), direct.stdout);
    assert.deepEqual(left(), ["all.csv.gz", "all.ndjson"]);
  });

  it("is compressed if it says so, also on standard output, and refuses a name of another ending", async () => {
    const compressed = world.start(["export", "shop-1", "--compression", "gzip"]);
    let bytes = "";
    compressed.process.stdout?.setEncoding("latin1").on("data", (piece: string) => {
      bytes += piece;
    });
    assert.equal((await compressed.ended).code, 0);
    assert.equal(gunzipSync(Buffer.from(bytes, "latin1")).toString("utf8"), whole);
    world.operations();
    const refused = await world.run("export shop-1 --out rows.ndjson --compression gzip");
    assert.equal(refused.code, 2, refused.stderr);
    assert.match(refused.stderr, /--out must end in "\.gz" with compression "gzip"\. No rows were read\./);
    assert.deepEqual([world.operations(), left()], [[], []]);
  });

  it("as Parquet keeps rows that do not fit a column, and continues with them when the columns are right", async () => {
    world.emulator.change.insertRows("shop-1", ['{"weight":"12,50"}']);
    const parquet = "export shop-1 --out rows.parquet -f parquet --compression snappy";
    const refused = await world.run(`${parquet} --column weight=double`);
    assert.equal(refused.code, 1, refused.stderr);
    assert.match(refused.stderr, /columns\.weight: 1 of 1 values do not fit "double" \(row 26\)/);
    assert.match(refused.stderr, /The first 26 rows are kept in ".*rows\.parquet\.partial"\. .*continues after them/);
    world.operations();
    const written = await world.run(`${parquet} --column weight=string --json`);
    assert.deepEqual([written.code, written.json().rowCount], [0, 26], written.stderr);
    assert.ok(!world.operations().includes("getData"));
    assert.match(readFileSync(world.path("rows.parquet"), "latin1"), /^PAR1.*PAR1$/s);
    assert.deepEqual(left(), ["rows.parquet"]);
    const wrong = await world.run(`${parquet} --column weight=decimal`);
    assert.equal(wrong.code, 2, wrong.stderr);
    assert.match(wrong.stderr, /--column.*It must be NAME=TYPE with one of the types string, int64, double/s);
  });

  it("refuses a second export to the same file while the first one runs", async () => {
    const isWaiting = world.holdAnswer({ operation: "getData", skip: 2 });
    const first = world.start(["export", "shop-1", "--out", "rows.ndjson"], smallPages);
    await isWaiting;
    const second = await world.run("export shop-1 --out rows.ndjson --json");
    assert.deepEqual([second.code, second.json().error.exit], [1, "failed"], second.stderr);
    assert.match(
      second.stderr,
      /error: Another export is writing ".*rows\.ndjson\.partial"\. Wait for its end, or use another file\. No rows were read\./,
    );
    const other = await world.run("export shop-1 --out other.ndjson");
    assert.equal(other.code, 0, other.stderr);
    world.releaseAnswers();
    assert.equal((await first.ended).code, 0);
    assert.equal(readFileSync(world.path("rows.ndjson"), "utf8"), whole);
    assert.deepEqual(left(), ["other.ndjson", "rows.ndjson"]);
  });

  it("ends when it has lost its lock, and leaves the rows to the other export", async () => {
    const isWaiting = world.holdAnswer({ operation: "getData", skip: 2 });
    const running = world.start(["export", "shop-1", "--out", "rows.ndjson"], smallPages);
    await isWaiting;
    rmdirSync(world.path("rows.ndjson.partial.lock"));
    await running.says(/Another export may have taken over/);
    world.releaseAnswers();
    const ended = await running.ended;
    assert.equal(ended.code, 1, ended.stderr);
    assert.match(ended.stderr, /The export has lost its lock/);
    assert.deepEqual(left(), ["rows.ndjson.partial", "rows.ndjson.partial.json"]);
    assert.equal((await world.run("export shop-1 --out rows.ndjson", smallPages)).code, 0);
    assert.equal(readFileSync(world.path("rows.ndjson"), "utf8"), whole);
  });

  it("keeps its rows on a full disk, and continues when there is room", async () => {
    writeFileSync(world.path("failingDisk.cjs"), failingDisk);
    const env = { ...smallPages, NODE_OPTIONS: `--require ${world.path("failingDisk.cjs")}` };
    const full = await world.run("export shop-1 --out rows.ndjson --json", env);
    assert.deepEqual([full.code, full.json().error.exit], [1, "failed"]);
    const { message } = full.json().error;
    assert.match(
      message,
      /^The file ".*rows\.ndjson" cannot be written: ENOSPC: write\. Use another path, or make .* and free space there\./,
    );
    const kept = Number(/The first (\d+) rows are kept in ".*"\. It continues after them\.$/.exec(message)?.[1]);
    assert.ok(kept >= 5 && kept <= 10, message);
    const again = await world.run("export shop-1 --out rows.ndjson", smallPages);
    assert.equal(again.code, 0, again.stderr);
    assert.equal(readFileSync(world.path("rows.ndjson"), "utf8"), whole);
    const denied = await world.run("export shop-1 --out denied/rows.ndjson", env);
    assert.equal(denied.code, 1);
    assert.match(denied.stderr, /"denied|denied\/rows\.ndjson" cannot be written: EACCES: mkdir\. No rows were read\./);
  });

  it("makes the folders of the file, and refuses a file in place of one", async () => {
    const made = await world.run("export shop-1 --out new/deep/rows.ndjson");
    assert.equal(made.code, 0, made.stderr);
    writeFileSync(world.path("taken"), "mine");
    const refused = await world.run("export shop-1 --out taken/rows.ndjson");
    assert.equal(refused.code, 2, refused.stderr);
    assert.match(refused.stderr, /--out leads through ".*taken", which is not a folder/);
    assert.equal(readFileSync(world.path("taken"), "utf8"), "mine");
  });

  it("fails if standard output cannot be written", async () => {
    writeFileSync(world.path("readOnly"), "");
    const output = openSync(world.path("readOnly"), "r");
    for (const args of [["export", "shop-1"], ["rows", "shop-1", "--json"], ["--help"]]) {
      const child = spawn(process.execPath, [program, ...args], {
        env: { PATH: process.env.PATH, HOME: world.folder, ...world.environment },
        stdio: ["ignore", output, "pipe"],
      });
      let errors = "";
      child.stderr?.setEncoding("utf8").on("data", (text: string) => (errors += text));
      const [code] = await once(child, "close");
      assert.deepEqual(
        [code, errors],
        [1, "error: Standard output cannot be written (EBADF). The result is not complete.\n"],
        args.join(" "),
      );
    }
    closeSync(output);
    assert.ok(!existsSync(world.path("tokens")));
  });
});
