import assert from "node:assert/strict";
import { existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { CliWorld } from "./webextract";

const exports = {
  "rows.ndjson": "--format ndjson",
  "rows.jsonl.gz": "--format ndjson --compression gzip",
  "rows.json": "--format json",
  "rows.json.zst": "--format json --compression zstd",
  "rows.csv": "--format csv",
  "rows.csv.gz": "--format csv --compression gzip",
  "sheet.csv": "--format csv --csv spreadsheets",
  "tabs.csv.zst": "--format csv --csv spreadsheets:tab --compression zstd",
  "rows.parquet": "--format parquet",
  "rows.xlsx": "--format xlsx",
};

describe("webextract rows of a file", () => {
  let world: CliWorld;
  before(async () => {
    world = await CliWorld.create();
    await world.finishedRun();
    world.emulator.change.insertRows("shop-1", [
      String.raw`{"number":"007","price":1.10,"nested":{"a":[2.50,null]},"title":"a;b, \"ü\"\tc"}`,
    ]);
  });
  after(() => world.remove());

  const shown = async (source: string): Promise<string> => {
    const { code, stdout, stderr } = await world.run(`rows ${source} -n 100`);
    assert.equal(code, 0, stderr);
    return stdout;
  };

  for (const [file, flags] of Object.entries(exports)) {
    it(`shows the rows of an export: ${flags}`, async () => {
      const written = await world.run(`export shop-1 --out ${file} ${flags}`);
      assert.equal(written.code, 0, written.stderr);
      const expected = await shown("shop-1");
      assert.match(expected, /\n007 .* 1\.10 .*\n\n26 of 26 rows\.\n$/);
      assert.equal(await shown(file), expected);
    });
  }

  it("makes no request and marks nothing", async () => {
    await world.run("export shop-1 --out quiet.ndjson");
    world.emulator.clearRequests();
    const { stdout } = await world.run("rows quiet.ndjson -n 2 --offset 24 --columns price,number --json");
    assert.deepEqual(JSON.parse(stdout), {
      ...{ file: "quiet.ndjson", offset: 24, total: 26 },
      rows: [
        { price: "168.88", number: "00000025" },
        { price: "1.10", number: "007" },
      ],
    });
    assert.deepEqual(world.operations(), []);
  });

  it("shows the columns of a CSV in their order, also those that no row has", async () => {
    writeFileSync(world.path("empty.csv"), "sku,price,late\r\n007,,\r\n008,1.10,\r\n");
    const { stdout } = await world.run("rows empty.csv");
    assert.equal(stdout, "sku  price  late\n007\n008  1.10\n\n2 of 2 rows.\n");
    const ended = await world.run("rows empty.csv --columns lat");
    assert.match(ended.stderr, /no field "lat"; did you mean "late"\? The fields are sku, price, late\./);
    const beyond = await world.run("rows empty.csv --offset 2");
    assert.equal(beyond.stdout, "No rows: the file has 2 rows, and the first one asked for is row 3.\n");
  });

  it("writes a page of the first rows", async () => {
    writeFileSync(world.path("page.ndjson"), `{"sku":"007"}\n{"sku":""}\n`);
    const { code, stdout } = await world.run("rows page.ndjson --html page.html -n 1");
    assert.deepEqual([code, stdout], [0, "sku\n007\n\n1 of 2 rows.\n"]);
    const page = readFileSync(world.path("page.html"), "utf8");
    assert.match(page, /File page\.ndjson.*2 of 2 rows, 1 field/s);
  });

  it("refuses options that are for tasks", async () => {
    writeFileSync(world.path("local.csv"), "a\n1\n");
    for (const flag of ["--lot-no 1", "--stack dev", "--profile one", "--base-url http://127.0.0.1:1"]) {
      const { code, stderr } = await world.run(`rows local.csv ${flag}`);
      const [option] = flag.split(" ");
      const words = `error: ${option} is for tasks, and "local.csv" is a file. Leave it out. No rows were read.\n`;
      assert.deepEqual([code, stderr], [2, words]);
    }
  });

  it("takes no object in S3 for a task", async () => {
    const { code, stderr } = await world.run("rows s3://bucket/rows.log");
    assert.equal(code, 2);
    assert.match(
      stderr,
      /^error: "s3:\/\/bucket\/rows\.log" has no known ending\. Known are \.ndjson, .+ No rows were read\.\n$/,
    );
  });

  it("refuses a broken file with one error, and writes no page", async () => {
    for (const name of ["rows.ndjson", "rows.json", "rows.jsonl.gz", "rows.json.zst", "rows.parquet", "rows.xlsx"]) {
      const broken = `broken-${name}`;
      const content = readFileSync(world.path(name));
      writeFileSync(world.path(broken), content);
      truncateSync(world.path(broken), content.length - 20);
      const { code, stdout, stderr } = await world.run(`rows ${broken} --html broken.html`);
      assert.deepEqual([code, stdout, existsSync(world.path("broken.html"))], [1, "", false], name);
      assert.match(stderr, /^error: "broken-\S+" cannot be read as (?:ndjson|json|parquet|xlsx): .+\n$/, stderr);
    }
    const missing = await world.run("rows none.csv");
    assert.deepEqual(
      [missing.code, missing.stderr],
      [2, 'error: "none.csv" cannot be read: ENOENT. No result was written.\n'],
    );
  });
});
