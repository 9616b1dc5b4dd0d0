import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { gunzipSync } from "node:zlib";
import { ServiceClient } from "../../src/service";
import { program, useCliWorld } from "./webextract";

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
  if (path.endsWith(".tmp")) {
    handle.writeFile = async (data) => (++writes > 2 ? refuse("ENOSPC", "write") : writeFile.call(handle, data));
  }
  return handle;
};`;

describe("webextract export to a file", () => {
  const world = useCliWorld();
  let whole: string;
  beforeEach(async () => {
    await world.finishedRun();
    whole = (await world.run("export shop-1")).stdout;
  });
  const left = (): string[] => readdirSync(world.folder).sort();

  it("reads all rows again after a kill, and leaves alone what the killed export has left", async () => {
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
      const [temporary = "", ...others] = left().filter((name) => name.startsWith(out));
      assert.match(temporary, /\.[0-9a-f]{8}\.tmp$/);
      assert.deepEqual(others, []);
      const before = readFileSync(world.path(temporary), "utf8");
      const again = await world.start([...flags, "--json"], smallPages).ended;
      assert.equal(again.code, 0, again.stderr);
      assert.equal(again.json().rowCount, 25);
      assert.equal(readFileSync(world.path(temporary), "utf8"), before);
      rmSync(world.path(temporary));
    }
    assert.equal(readFileSync(world.path("all.ndjson"), "utf8"), whole);
    const direct = await world.run("export shop-1 -f csv");
    assert.equal(gunzipSync(readFileSync(world.path("all.csv.gz"))).toString("utf8"), direct.stdout);
    assert.deepEqual(left(), ["all.csv.gz", "all.ndjson"]);
  });

  it("mixes no rows of two runs, and changes no finished file that a killed export has linked", async () => {
    const isWaiting = world.holdAnswer({ operation: "getData", skip: 2 });
    const killed = world.start(["export", "shop-1", "--out", "rows.ndjson"], smallPages);
    await isWaiting;
    killed.process.kill("SIGKILL");
    await killed.ended;
    world.releaseAnswers();
    const finished = left()[0] ?? "";
    linkSync(world.path(finished), world.path("finished.ndjson"));
    const copy = readFileSync(world.path("finished.ndjson"), "utf8");
    const { url: baseUrl, credentials } = world.emulator;
    await new ServiceClient({ baseUrl, accessToken: credentials.accessToken }).removeData({ taskId: "shop-1" });
    const rows = Array.from({ length: 30 }, (_, index) => `{"new":${index}}`);
    world.emulator.change.insertRows("shop-1", rows);
    const again = await world.run("export shop-1 --out rows.ndjson", smallPages);
    assert.equal(again.code, 0, again.stderr);
    assert.equal(readFileSync(world.path("rows.ndjson"), "utf8"), rows.map((row) => `${row}\n`).join(""));
    assert.equal(readFileSync(world.path("finished.ndjson"), "utf8"), copy);
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
    assert.match(
      refused.stderr,
      /--out must end in "\.gz" with format "ndjson" and compression "gzip"\. No rows were read\./,
    );
    assert.deepEqual([world.operations(), left()], [[], []]);
  });

  it("writes CSV for spreadsheets with the delimiter that the flag names", async () => {
    const { stdout } = await world.run("export shop-1 -f csv --csv spreadsheets:semicolon --max-rows 1");
    const usual = (await world.run("export shop-1 -f csv --max-rows 1")).stdout;
    const [header = "", ...lines] = stdout.split("\r\n");
    assert.equal(header, `\ufeff${usual.split("\n")[0]?.replaceAll(",", ";")}`);
    assert.equal(lines.length, 2);
    const wrong = await world.run("export shop-1 --csv spreadsheets");
    assert.match(wrong.stderr, /--csv needs format "csv"; got format "ndjson"/);
  });

  it("as Parquet refuses rows that do not fit a column, and leaves no file", async () => {
    world.emulator.change.insertRows("shop-1", ['{"weight":"12,50"}']);
    const parquet = "export shop-1 --out rows.parquet -f parquet --compression snappy";
    const refused = await world.run(`${parquet} --column weight=double`);
    assert.equal(refused.code, 1, refused.stderr);
    assert.match(refused.stderr, /columns\.weight: 1 of 1 values do not fit "double" \(row 26\)/);
    assert.deepEqual(left(), []);
    const written = await world.run(`${parquet} --column weight=string --json`);
    assert.deepEqual([written.code, written.json().rowCount], [0, 26], written.stderr);
    assert.match(readFileSync(world.path("rows.parquet"), "latin1"), /^PAR1.*PAR1$/s);
    assert.deepEqual(left(), ["rows.parquet"]);
    const wrong = await world.run(`${parquet} --column weight=decimal`);
    assert.equal(wrong.code, 2, wrong.stderr);
    assert.match(wrong.stderr, /--column.*It must be NAME=TYPE with one of the types string, int64, double/s);
  });

  it("never overwrites the file of another export that runs at the same time, and takes the next number", async () => {
    const isWaiting = world.holdAnswer({ operation: "getData", skip: 2 });
    const first = world.start(["export", "shop-1", "--out", "rows.ndjson"], smallPages);
    await isWaiting;
    const second = await world.run("export shop-1 --out rows.ndjson --max-rows 5");
    assert.equal(second.code, 0, second.stderr);
    world.releaseAnswers();
    const ended = await first.ended;
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, /The file ".*rows\.ndjson" exists\. /);
    const counting = ["export", "shop-1", "--out", "n-{n}.ndjson", "--json"];
    const isWaitingAgain = world.holdAnswer({ operation: "getData", skip: 2 });
    const slow = world.start(counting, smallPages);
    await isWaitingAgain;
    assert.equal((await world.start(counting).ended).code, 0);
    world.releaseAnswers();
    const slower = await slow.ended;
    assert.equal(slower.code, 0, slower.stderr);
    assert.match(slower.json().file, /n-2\.ndjson$/);
    for (const name of ["n-1.ndjson", "n-2.ndjson"]) {
      assert.equal(readFileSync(world.path(name), "utf8"), whole);
    }
  });

  it("leaves no file on a full disk", async () => {
    writeFileSync(world.path("failingDisk.cjs"), failingDisk);
    const env = { ...smallPages, NODE_OPTIONS: `--require ${world.path("failingDisk.cjs")}` };
    const full = await world.runProgram("export shop-1 --out rows.ndjson --json", env);
    assert.deepEqual([full.code, full.json().error.exit], [1, "failed"]);
    assert.match(
      full.json().error.message,
      /^The file ".*rows\.ndjson" cannot be written: ENOSPC: write\. Use another path, or make .* free space there\./,
    );
    assert.deepEqual(left(), ["failingDisk.cjs"]);
    const inTemporary = await world.runProgram("export shop-1 -f csv", env);
    assert.deepEqual([inTemporary.code, inTemporary.stdout], [1, ""]);
    assert.match(
      inTemporary.stderr,
      /The rows cannot be written to the folder for temporary files, ".+": ENOSPC: write\. Make free space there, or set TMPDIR/,
    );
    const again = await world.run("export shop-1 --out rows.ndjson", smallPages);
    assert.equal(again.code, 0, again.stderr);
    assert.equal(readFileSync(world.path("rows.ndjson"), "utf8"), whole);
    const denied = await world.runProgram("export shop-1 --out denied/rows.ndjson", env);
    assert.equal(denied.code, 1);
    assert.match(
      denied.stderr,
      /"denied|denied\/rows\.ndjson" cannot be written: EACCES: mkdir\. .* No rows were read\./,
    );
  });

  it("leaves no temporary rows behind standard output, when a second signal or a kill of a slow reader's ends it", async () => {
    mkdirSync(world.path("temporary"));
    const temporary = { TMPDIR: world.path("temporary") };
    const isWaiting = world.holdAnswer({ operation: "getData", skip: 2 });
    const running = world.start(["export", "shop-1", "-f", "csv"], { ...smallPages, ...temporary });
    await isWaiting;
    assert.equal(readdirSync(temporary.TMPDIR).length, 1);
    running.process.kill("SIGINT");
    await running.says(/^Ending\./m);
    running.process.kill("SIGTERM");
    assert.equal((await running.ended).code, 143);
    assert.deepEqual(readdirSync(temporary.TMPDIR), []);
    world.releaseAnswers();
    // The command waits in its first write, so its reader decides how long the rows are on the disk.
    writeFileSync(
      world.path("slow.cjs"),
      'process.stdout.write = (_, ...rest) => { process.stderr.write("Writing.\\n"); setInterval(() => undefined, 1e6); return false; };',
    );
    const preload = { NODE_OPTIONS: `--require=${world.path("slow.cjs")}` };
    const slow = world.start(["export", "shop-1", "-f", "csv"], { ...temporary, ...preload });
    await slow.says(/^Writing\./m);
    assert.deepEqual(readdirSync(temporary.TMPDIR), []);
    slow.process.kill("SIGKILL");
    await slow.ended;
  });

  it("says once that there is no folder for temporary files, and that a name is too long", async () => {
    world.operations();
    const nowhere = await world.run("export shop-1 -f csv", { TMPDIR: world.path("nowhere") });
    assert.equal(nowhere.code, 1);
    assert.match(
      nowhere.stderr,
      /^error: No folder for temporary files can be made in ".*nowhere" \(ENOENT\)\. Set TMPDIR to another one\. No rows were read\.\n$/,
    );
    for (const length of [240, 260]) {
      const long = await world.run(`export shop-1 --out ${"x".repeat(length)}.ndjson`);
      assert.equal(long.code, 2);
      assert.match(
        long.stderr,
        /^error: --out has a file name that is too long for this disk, .*: 2\d\d bytes\. Use a shorter one\. No rows were read\.\n$/,
      );
    }
    assert.ok(!world.operations().includes("getData"));
    assert.deepEqual(left(), []);
    assert.equal((await world.run(`export shop-1 --out ${"x".repeat(220)}.ndjson`)).code, 0);
  });

  it("refuses a path of S3 with one slash, and warns of a backslash in a name", async () => {
    const { code, stderr } = await world.run("export shop-1 --out s3:/rows/all.ndjson");
    assert.deepEqual([code, left()], [2, []], stderr);
    assert.match(stderr, /--out names no object of S3 \(path\.join makes one slash of two\).*No rows were read/);
    const windows = await world.run(["export", "shop-1", "--out", "rows\\all.ndjson"]);
    assert.match(windows.stderr, /--out contains a backslash, which separates no folders/);
    assert.deepEqual(left(), ["rows\\all.ndjson"]);
  });

  it("fails if standard output cannot be written", async () => {
    writeFileSync(world.path("readOnly"), "");
    const output = openSync(world.path("readOnly"), "r");
    for (const args of [["export", "shop-1"], ["rows", "shop-1", "--json"], ["--help"]]) {
      const child = spawn(process.execPath, [program, ...args], {
        env: { PATH: process.env.PATH, HOME: world.folder, ...world.environment },
        cwd: world.folder,
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
