import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { json, startFakeServer } from "../../test/service/fakeServer";
import { program, useCliWorld } from "./webextract";

/** The pages of an export of 25 rows. */
const smallPages = { WEBEXTRACT_PAGE_SIZE: "5", WEBEXTRACT_CONCURRENCY: "1" };

describe("webextract rows and export", () => {
  const world = useCliWorld();
  let lotNo: string;
  beforeEach(async () => {
    lotNo = await world.finishedRun();
  });

  it("shows the first rows as a table", async () => {
    const { code, stdout } = await world.run("rows shop-1 -n 2 --columns number --columns price");
    assert.equal(code, 0);
    assert.equal(stdout, "number    price\n00000001  0.00\n00000002  7.37\n\n2 of 25 rows.\n");
  });

  it("warns if the service left rows out of its pages", async () => {
    world.emulator.setBehaviour({ emptyPageEvery: 1 });
    const { code, stdout, stderr } = await world.run("rows shop-1 -n 9 --columns number", smallPages);
    assert.deepEqual([code, stdout.includes("5 of 25 rows.")], [0, true]);
    assert.match(stderr, /^warning: Task "shop-1": the service returned an empty page, although rows are left: /);
  });

  it("refuses a field that no row has, with the fields", async () => {
    const ended = await world.run("rows shop-1 --columns numbr,price");
    assert.deepEqual([ended.code, ended.stdout], [1, ""]);
    assert.match(
      ended.stderr,
      /^error: The first 10 rows have no field "numbr"; did you mean "number"\? The fields are [^.]*\bnumber\b[^.]*\. --limit reads more rows\.\n$/,
    );
    // Without rows, nothing is known of their fields.
    assert.equal((await world.run("rows shop-1 --columns numbr --offset 25")).code, 0);
  });

  it("shows numbers as the service wrote them, and a field of any name", async () => {
    const rows =
      '[{"price":1.10,"__proto__":"x","big":1e400,"nested":{"a":[2.50, null]},"id":639308323497897245,"none":null}]';
    const service = await startFakeServer((_request, response) =>
      json(response, 200, `{"data":{"offset":1,"total":1,"restTotal":0,"data":${rows}},"requestId":"r-1"}`),
    );
    try {
      const environment = { WEBEXTRACT_BASE_URL: service.baseUrl };
      const { stdout } = await world.run("rows shop-1", environment);
      assert.equal(
        stdout.replaceAll(/ {2,}/g, "  "),
        'price  __proto__  big  nested  id  none\n1.10  x  1e400  {"a":[2.50, null]}  639308323497897245\n\n1 of 1 rows.\n',
      );
      const chosen = await world.run("rows shop-1 --columns __proto__,big,id --json", environment);
      assert.deepEqual(Object.entries(chosen.json().rows[0]), [
        ["__proto__", "x"],
        ["big", "1e400"],
        ["id", "639308323497897245"],
      ]);
    } finally {
      await service.close();
    }
  });

  it("warns of a file whose name ends like another format", async () => {
    const csv = await world.run("export shop-1 --out rows.csv --format ndjson");
    assert.deepEqual([csv.code, existsSync(world.path("rows.csv"))], [0, true]);
    assert.match(
      csv.stderr,
      /^warning: "rows\.csv" ends like csv, and its rows are written as ndjson\. Use --format csv/m,
    );
    const zipped = await world.run("export shop-1 --out rows.json.gz --compression gzip");
    assert.match(zipped.stderr, /ends like json, and its rows are written as ndjson/);
    for (const line of ["--out rows.ndjson", "--out rows.jsonl", "--out other.csv --format csv"]) {
      assert.doesNotMatch((await world.run(`export shop-1 ${line}`)).stderr, /warning/);
    }
  });

  it("gives the chosen rows of a run as JSON", async () => {
    const ended = await world.run(`rows shop-1 --lot-no ${lotNo} --offset 24 --columns number --json`);
    assert.deepEqual(ended.json(), { taskId: "shop-1", lotNo, offset: 24, total: 25, rows: [{ number: "00000025" }] });
  });

  it("writes the rows of a run to a file in each format", async () => {
    for (const format of ["ndjson", "json", "csv"]) {
      const ended = await world.run(
        `export shop-1 --lot-no ${lotNo} --out rows/{lotNo}.${format} --format ${format} --json`,
      );
      assert.equal(ended.code, 0, ended.stderr);
      const { file, rowCount, complete, bytes } = ended.json();
      assert.deepEqual({ file, rowCount, complete }, { file: `rows/${lotNo}.${format}`, rowCount: 25, complete: true });
      assert.equal(readFileSync(world.path(file)).length, bytes);
    }
    assert.deepEqual(readdirSync(world.path("rows")).sort(), [`${lotNo}.csv`, `${lotNo}.json`, `${lotNo}.ndjson`]);
  });

  it("writes the same rows to standard output", async () => {
    const ndjson = await world.run("export shop-1", smallPages);
    const first = await world.run("export shop-1 --max-rows 7", smallPages);
    assert.deepEqual([first.stdout, first.stderr], [`${ndjson.stdout.split("\n").slice(0, 7).join("\n")}\n`, ""]);
    const json = await world.run("export shop-1 --format json --max-rows 3 --out -");
    const csv = await world.run("export shop-1 --format csv");
    const rows = ndjson.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.equal(rows.length, 25);
    assert.deepEqual(json.json(), rows.slice(0, 3));
    const adopted = await world.run("adopt shop-1");
    assert.deepEqual((await world.run("adopt shop-1 --out -")).stdout, adopted.stdout);
    const probed = await world.run("probe --out -");
    assert.deepEqual([probed.code, probed.stdout.length > 500], [(await world.run("probe")).code, true]);
    assert.equal(existsSync(world.path("-")), false);
    assert.equal(csv.stdout.trim().split("\n").length, 26);
  });

  it("ends without an error when the reader has read enough", async () => {
    const child = spawn(process.execPath, [program, "export", "shop-1"], {
      cwd: world.folder,
      env: { PATH: process.env.PATH, HOME: world.folder, ...world.environment, WEBEXTRACT_PAGE_SIZE: "1" },
    });
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
    child.stdout.once("data", () => child.stdout.destroy());
    const [code] = await once(child, "close");
    assert.deepEqual([code, errors], [0, ""]);
  });

  it("needs a run for a file with its lotNo", async () => {
    const { code, stderr } = await world.run("export shop-1 --out rows-{lotNo}.csv --format csv");
    assert.deepEqual([code, world.operations()], [2, []]);
    assert.equal(stderr, 'error: --out contains "{lotNo}", which needs --lot-no. No request was sent.\n');
  });
});
