import assert from "node:assert/strict";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import Module from "node:module";
import { resolve } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import sinon from "sinon";
import { isLarge, slowIt } from "../../environment";
import fc from "../../fastCheck";
import { columnKinds, writeFormat } from "../../internals/resources";
import { failure, World } from "../life";

type Cells = Record<string, unknown>;

describe("DataExport as Parquet", () => {
  let world: World;
  let duckdb: Awaited<ReturnType<DuckDBInstance["connect"]>>;
  before(async () => {
    const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
    duckdb = await instance.connect();
  });
  after(() => duckdb.closeSync());
  beforeEach(async () => {
    world = await World.create();
  });
  afterEach(async () => {
    sinon.restore();
    await world.remove();
  });

  const path = "out/rows.parquet";
  const all = { taskId: "task-1", scope: "all", path, format: "parquet" };
  const files = (): string[] => readdirSync(world.path("out")).sort();
  const problems = (args: object): Promise<string[]> => world.providers.problems("DataExport", { ...all, ...args });
  /** DuckDB's answer, each value as a string. */
  async function query(sql: string): Promise<Cells[]> {
    const reader = await duckdb.runAndReadAll(sql.replaceAll("FILE", `'${world.path(path)}'`));
    return reader.getRowObjectsJson() as Cells[];
  }
  const types = async (): Promise<Cells> =>
    Object.fromEntries((await query("DESCRIBE FROM FILE")).map((each) => [each.column_name, each.column_type]));

  it("is read by another implementation with its types, nulls, digits and characters", async () => {
    world.emulator.change.insertRows("task-1", [
      '{"name":"Grün ☃ \\"x\\"\\n","price":"12.50","pages":9223372036854775807,"seen":"2026-11-21T08:30:00.123456+02:00","day":"2024-02-29","on":true,"tags":["a",{"n":1.0}],"raw":12345678901234567890}',
      '{"name":"","price":null,"pages":"-9223372036854775808","seen":" ","day":"","on":"false","tags":null,"raw":1.10}',
      '{"price":1e3}',
    ]);
    const each = world.declare("DataExport");
    await each.up({
      ...all,
      columns: {
        price: "double",
        pages: "int64",
        seen: "timestamp",
        day: "date",
        on: "boolean",
        name: "string",
        absent: "date",
      },
    });
    assert.deepEqual(await types(), {
      name: "VARCHAR",
      price: "DOUBLE",
      pages: "BIGINT",
      seen: "TIMESTAMP WITH TIME ZONE",
      day: "DATE",
      on: "BOOLEAN",
      tags: "VARCHAR",
      raw: "VARCHAR",
      absent: "DATE",
    });
    assert.deepEqual(await query("SELECT * REPLACE (epoch_us(seen) AS seen, day::VARCHAR AS day) FROM FILE"), [
      {
        name: 'Grün ☃ "x"\n',
        price: 12.5,
        pages: "9223372036854775807",
        seen: String(Date.UTC(2026, 10, 21, 6, 30, 0, 123) * 1000 + 456),
        day: "2024-02-29",
        on: true,
        tags: '["a",{"n":1.0}]',
        raw: "12345678901234567890",
        absent: null,
      },
      {
        name: "",
        price: null,
        pages: "-9223372036854775808",
        seen: null,
        day: null,
        on: false,
        tags: null,
        raw: "1.10",
        absent: null,
      },
      { name: null, price: 1000, pages: null, seen: null, day: null, on: null, tags: null, raw: null, absent: null },
    ]);
    assert.equal(each.state.rowCount, 3);
    assert.deepEqual(files(), ["rows.parquet"]);
  });

  it("refuses a column that differs from a field in case only, unless that field is named too", async () => {
    world.emulator.change.insertRows("task-1", ['{"price":"1.50"}']);
    const each = world.declare("DataExport");
    for (const format of ["parquet", "xlsx"]) {
      const args = { ...all, format, path: `out/rows.${format}` };
      const message = await failure(each.up({ ...args, columns: { Price: "double", absent: "date" } }));
      assert.match(
        message,
        /\n {2}columns\.Price: no row has this field; did you mean "price"\? If both are fields, name both\n/,
      );
      assert.doesNotMatch(message, /absent/);
      await each.up({ ...args, columns: { Price: "double", price: "double", absent: "date" } });
      assert.equal(each.state.rowCount, 1);
    }
  });

  it("has the fields of later rows too, in several row groups, in each codec", async () => {
    const text = "é".repeat(1000);
    const rows = Array.from({ length: 5000 }, (_, n) =>
      JSON.stringify({ n, text, [n < 4000 ? "a.b" : "__proto__"]: n }),
    );
    world.emulator.change.insertRows("task-1", rows);
    const each = world.declare("DataExport");
    for (const compression of isLarge ? ["none", "snappy", "gzip", "zstd"] : ["zstd"]) {
      await each.up({ ...all, compression, columns: { n: "int64" } });
      const [codec] = await query("SELECT DISTINCT compression FROM parquet_metadata(FILE)");
      assert.equal(codec?.compression, { none: "UNCOMPRESSED" }[compression] ?? compression.toUpperCase());
      const [found] = await query(
        `SELECT sum(n)::INT AS sum, count("a.b") AS early, count("__proto__") AS late, min(text) = max(text) AS same FROM FILE`,
      );
      assert.deepEqual(found, { sum: (4999 * 5000) / 2, early: "4000", late: "1000", same: true });
    }
    const [groups] = await query("SELECT num_row_groups AS number FROM parquet_file_metadata(FILE)");
    assert.ok(Number(groups?.number) > 1);
    const [n, ...others] = await query(
      "SELECT path_in_schema, bool_and(stats_min_value IS NOT NULL) AS statistics FROM parquet_metadata(FILE) GROUP BY 1 ORDER BY 2 DESC",
    );
    assert.deepEqual(n, { path_in_schema: "n", statistics: true });
    assert.ok(others.length > 0 && others.every(({ statistics }) => statistics === false));
  });

  slowIt("of wide rows with few values is small, and has each value in its row, in all row groups", async () => {
    // The last rows are long, so that there are several groups.
    const line = (n: number): string => {
      const few = Array.from({ length: 5 }, (_, k) => [`f${(n * 7 + k * 199) % 1000}`, `${n}.${k}`]);
      const cells = [...(n % 10 === 9 ? [] : few), ...(n > 900 ? [["long", "x".repeat(40_000)]] : [])];
      return JSON.stringify(Object.fromEntries(cells));
    };
    const lines = Array.from({ length: 1_000 }, (_, n) => line(n));
    const [short, long] = [lines.slice(0, 900), lines];
    const sizes = [];
    for (const rows of [short, long]) {
      const from = world.path("rows.ndjson");
      writeFileSync(from, `${rows.join("\n")}\n`);
      await writeFormat({ format: "parquet" }, from, world.path("wide.parquet"), { folder: world.path(".") });
      sizes.push(statSync(world.path("wide.parquet")).size / statSync(from).size);
      const found = await query(`FROM '${world.path("wide.parquet")}'`);
      const filled = found.map((cells) =>
        Object.fromEntries(Object.entries(cells).filter(([, cell]) => cell !== null)),
      );
      assert.deepEqual(
        filled,
        rows.map((each) => JSON.parse(each)),
      );
    }
    assert.ok(
      sizes.every((times) => times < 3),
      `${sizes} times the size of the rows`,
    );
    const [groups] = await query(
      `SELECT num_row_groups AS number FROM parquet_file_metadata('${world.path("wide.parquet")}')`,
    );
    assert.equal(groups?.number, "2");
  });

  it("has as many rows as the export when no row has a field", async () => {
    world.emulator.change.addTask({ taskId: "task-2", taskGroupId: "group-1", actions: [] });
    world.emulator.change.insertRows("task-2", ["{}", "{}", "{}"]);
    const each = world.declare("DataExport");
    await each.up({ ...all, taskId: "task-2" });
    assert.equal(each.state.rowCount, 3);
    assert.deepEqual(await query("SELECT count(*)::INT AS rows FROM FILE"), [{ rows: 3 }]);
  });

  it("without a row has the columns of its types", async () => {
    world.emulator.change.addTask({ taskId: "task-2", taskGroupId: "group-1", actions: [] });
    const empty = { ...all, taskId: "task-2" };
    const each = world.declare("DataExport");
    await each.up({ ...empty, columns: { price: "double", id: "int64" } });
    assert.deepEqual(await types(), { id: "BIGINT", price: "DOUBLE" });
    assert.deepEqual(await query("FROM FILE"), []);
    await each.up(empty);
    // DuckDB reads no file without columns.
    await assert.rejects(query("FROM FILE"), /at least one non-root column/);
    assert.equal(each.state.rowCount, 0);
  });

  it("refuses values that do not fit before anything is marked, and keeps the rows in a file of their own", async () => {
    world.emulator.change.insertRows("task-1", [
      '{"price":"12,50 secret","pages":"1"}',
      '{"price":"1.5","pages":"1.0"}',
      '{"price":"7","pages":"9223372036854775808"}',
    ]);
    const each = world.declare("DataExport");
    const args = { ...all, scope: "all", markExported: true, path: "out/{n}.parquet" };
    const message = await failure(each.up({ ...args, columns: { price: "double", pages: "int64" } }));
    const { rowCount } = { rowCount: 3 };
    assert.equal(
      message,
      [
        'The rows of task "task-1" do not fit the type of 2 columns:',
        '  columns.price: 1 of 3 values do not fit "double" (row 1)',
        '  columns.pages: 2 of 3 values do not fit "int64" (rows 2, 3)',
        `The ${rowCount} rows are in "out/1.rejected.ndjson". Nothing was marked as exported. Correct the task or the columns. The next up exports again.`,
      ].join("\n"),
    );
    assert.equal(each.id, undefined);
    assert.deepEqual(files(), ["1.rejected.ndjson"]);
    assert.equal(world.content("out/1.rejected.ndjson").split("\n")[0], '{"price":"12,50 secret","pages":"1"}');
    assert.ok(!world.operations().includes("markExported"));
    await each.up({ ...args, columns: { price: "string" } });
    assert.deepEqual(files(), ["1.parquet", "1.rejected.ndjson"]);
  });

  it("rows that do not pass their checks are kept as NDJSON", async () => {
    world.emulator.change.insertRows("task-1", ['{"a":1}']);
    const args = { ...all, checks: { minRows: 2 }, compression: "zstd" };
    assert.match(await failure(world.declare("DataExport").up(args)), /"out\/rows\.rejected\.ndjson"/);
    assert.deepEqual(files(), ["rows.rejected.ndjson"]);
  });

  it("refuses arguments that do not go together before anything runs", async () => {
    const cases: [object, RegExp][] = [
      [{ format: "csv", columns: { a: "date" } }, /^columns needs format "parquet" or "xlsx"; got format "csv"$/],
      [{ format: "json", compression: "snappy" }, /^compression "snappy" needs format "parquet"; got format "json"$/],
      [
        { path: "out/rows.gz", compression: "gzip" },
        /^path must not end in "\.gz" with format "parquet" and compression "gzip"$/,
      ],
      [{ columns: { a: "float" } }, /^columns\.a must be "string" or "int64"/],
      [{ columns: {} }, /^columns must be a non-empty map/],
    ];
    for (const [args, reason] of cases) {
      assert.match((await problems(args)).join("\n"), reason);
    }
    assert.deepEqual(await problems({ compression: "snappy", columns: { a: "date" } }), []);
    world.configure({ markScope: "returned" });
    const marked = { scope: "notExported", markExported: true, path: "{n}.parquet" };
    assert.match(
      (await problems({ ...marked, columns: { a: "date" } })).join(),
      /^maxRows must be at most 1000 .* columns /,
    );
    assert.deepEqual(await problems(marked), []);
  });

  // A private function of Node.js, which `createRequire(…).resolve` calls.
  const modules = Module as unknown as { _resolveFilename(name: string, ...rest: unknown[]): string };

  it("looks for its package in the folder of webextract:packagesFolder, for programs without node_modules", async () => {
    await world.remove();
    const packagesFolder = resolve("packages");
    world = await World.create({ config: { packagesFolder } });
    const spy = sinon.spy(modules, "_resolveFilename");
    await world.declare("DataExport").up({ ...all });
    const calls = spy.getCalls().filter(({ args: [name] }) => name === "hyparquet-writer");
    const folders = calls.map(({ args }) => (args.at(-1) as { paths: string[] }).paths[0]);
    assert.ok(folders.length >= 2);
    assert.deepEqual([...new Set(folders)], [packagesFolder]);
  });

  it("is a problem in the preview if its package is missing, and leaves no file if it went missing since", async () => {
    const inputs = await world.providers.checked("DataExport", { ...all });
    const resolve = modules._resolveFilename;
    sinon.stub(modules, "_resolveFilename").callsFake(function (this: unknown, name, ...rest) {
      if (name === "hyparquet-writer") {
        throw new Error("not installed");
      }
      return resolve.call(this, name, ...rest);
    });
    assert.deepEqual(await problems({}), [
      'format "parquet" needs the package hyparquet-writer: run "npm install hyparquet-writer" in the program\'s folder, or in the one that webextract:packagesFolder names',
    ]);
    const message = await failure(world.providers.provider("DataExport").create(inputs));
    assert.match(message, /^The export needs the package hyparquet-writer: .* No file was written\./);
    assert.deepEqual(files(), []);
  });
});

describe("The values of Parquet columns", () => {
  const isRefused = (type: keyof typeof columnKinds, ...texts: string[]): void => {
    for (const text of texts) {
      assert.equal(columnKinds[type].convert(text), undefined, `${type} ${text}`);
    }
  };

  it("a double is a number that gives its digits back", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        assert.equal(columnKinds.double.convert(JSON.stringify(number)), number === 0 ? 0 : number);
      }),
    );
    assert.equal(columnKinds.double.convert("1.50"), 1.5);
    assert.equal(columnKinds.double.convert("9007199254740992"), 2 ** 53);
    assert.equal(columnKinds.double.convert("100000000000000000000"), 1e20);
    isRefused(
      "double",
      "9007199254740993",
      "0.1234567890123456789",
      "1e400",
      "1e-400",
      "1,5",
      "0x10",
      "NaN",
      "01",
      " 1",
      "[1]",
    );
  });

  it("an int64 is any integer of 64 bits", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }), (number) => {
        const fits = BigInt.asIntN(64, number) === number;
        assert.equal(columnKinds.int64.convert(String(number)), fits ? number : undefined);
      }),
    );
    isRefused("int64", "1.0", "1e3", "+1", "٣");
  });

  it("a timestamp is a moment to the microsecond, and a date is a day of the calendar", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("0000-01-01T00:00:00Z"), max: new Date("9999-12-31T23:59:59Z"), noInvalidDate: true }),
        (date) => {
          assert.equal(columnKinds.timestamp.convert(date.toISOString()), BigInt(date.getTime()) * 1000n);
          const day = date.toISOString().slice(0, 10);
          assert.equal(new Date(Number(columnKinds.date.convert(day)) * 86_400_000).toISOString().slice(0, 10), day);
        },
      ),
    );
    assert.equal(columnKinds.timestamp.convert("1970-01-01t00:00:00.0000010z"), 1n);
    assert.equal(columnKinds.timestamp.convert("1969-12-31T23:59:59.999999Z"), -1n);
    assert.equal(columnKinds.timestamp.convert("1970-01-01T01:00:00+01:00"), 0n);
    assert.equal(columnKinds.timestamp.convert("1969-12-31T23:59:59.5Z"), -500_000n);
    isRefused(
      "timestamp",
      "2026-11-21T08:30:00",
      "2026-11-21",
      "2026-11-21 08:30:00Z",
      "2016-12-31T23:59:60Z",
      "2026-11-21T08:30:00.1234567Z",
      "1795246200",
    );
    isRefused("date", "2026-02-29", "2026-11-21T00:00:00Z", "21.11.2026", "2026-13-01");
  });

  it("a boolean is true or false", () => {
    assert.deepEqual([columnKinds.boolean.convert("true"), columnKinds.boolean.convert("false")], [true, false]);
    isRefused("boolean", "TRUE", "1", "yes", "[true]");
  });
});
