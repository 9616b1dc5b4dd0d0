import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { readXlsx } from "hucre/xlsx";
import { slowIt } from "../../environment";
import { writeFormat } from "../../internals/resources";
import { failure, useWorld } from "../life";

describe("DataExport as XLSX", () => {
  const world = useWorld();

  const path = "out/rows.xlsx";
  const all = { taskId: "task-1", scope: "all", path, format: "xlsx" };
  const files = (): string[] => readdirSync(world.path("out")).sort();
  const problems = (args: object): Promise<string[]> => world.providers.problems("DataExport", { ...all, ...args });

  async function sheet() {
    const { sheets } = await readXlsx(readFileSync(world.path(path)), { readStyles: true });
    assert.equal(sheets.length, 1);
    const [only] = sheets;
    assert.ok(only !== undefined);
    return only;
  }

  const rows = [
    '{"sku":"007","lot":"639308323497897245","formula":"=1+1","url":"https://shop.example/?a=1&b=<2>","name":" Größe, \\"L\\"\\nzwei 😀","price":"12.50","stock":999999999999999,"day":"1900-03-01","seen":"2026-11-21T08:30:00.500+01:00","on":"true","tags":["a",{"n":1.0}],"codes":"a\\r\\nb\\u0000_x000D_\\uffff_x0041\\r","raw":1.10}',
    '{"sku":"=","price":" ","stock":null,"day":"","on":false,"raw":"","late":"x"}',
  ];
  const columns = { price: "double", stock: "int64", day: "date", seen: "timestamp", on: "boolean", absent: "date" };

  it("has text as text, typed columns as numbers, booleans and dates, and nothing as a formula or a link", async () => {
    world.emulator.change.insertRows("task-1", rows);
    await world.declare("DataExport").up({ ...all, columns });
    const { rows: found, cells = new Map() } = await sheet();
    const [header, first, second] = found;
    assert.equal(found.length, 3);
    assert.deepEqual(header?.slice(-3), ["raw", "late", "absent"]);
    assert.deepEqual(first?.slice(0, 13), [
      ...["007", "639308323497897245", "=1+1", "https://shop.example/?a=1&b=<2>", ' Größe, "L"\nzwei 😀'],
      ...[12.5, 999999999999999, new Date("1900-03-01"), new Date("2026-11-21T07:30:00.500Z"), true],
      ...['["a",{"n":1.0}]', "a\r\nb\0_x000D_\uffff_x0041\r", "1.10"],
    ]);
    const values = Object.fromEntries(header?.map((name, index) => [String(name), second?.[index] ?? undefined]) ?? []);
    assert.deepEqual(
      Object.entries(values).filter(([, value]) => value !== undefined),
      [
        ["sku", "="],
        ["on", false],
        ["late", "x"],
      ],
    );
    for (const cell of cells.values()) {
      assert.deepEqual([cell.formula, cell.hyperlink], [undefined, undefined]);
    }
  });

  it("has a bold header that stays in view, a filter, formats, and widths of the first 200 rows", async () => {
    const long = (index: number): string => JSON.stringify({ word: "x".repeat(index < 200 ? 20 : 50), late: "y" });
    const args = { ...all, columns: { day: "date" } };
    world.emulator.change.addTask({ taskId: "task-2", taskGroupId: "group-1", actions: [] });
    world.emulator.change.insertRows("task-2", [
      `{"day":"2026-11-21","text":"${"z".repeat(500)}"}`,
      ...Array.from({ length: 250 }, (_, index) => long(index + 1)),
    ]);
    await world.declare("DataExport").up({ ...args, taskId: "task-2" });
    const { freezePane, autoFilter, columns: found = [], cells = new Map() } = await sheet();
    assert.deepEqual([freezePane?.rows, autoFilter?.range], [1, "A1:D252"]);
    assert.deepEqual(
      found.map(({ width }) => width),
      [13, 60, 23, 8],
    );
    const style = (place: string) =>
      (cells.get(place) as { style?: { numFmt?: string; font?: { bold?: boolean } } }).style;
    assert.deepEqual([style("0,0")?.font?.bold, style("1,1")?.font?.bold ?? false], [true, false]);
    assert.deepEqual([style("1,0")?.numFmt?.replaceAll("\\", ""), style("1,1")?.numFmt], ["yyyy-mm-dd", "@"]);
  });

  it("is the same file for the same rows, and a sheet without rows", async () => {
    world.emulator.change.insertRows("task-1", rows);
    const each = world.declare("DataExport");
    await each.up({ ...all, columns });
    const { sha256 } = each.state;
    await each.up({ ...all, columns, triggers: "again" });
    assert.equal(each.state.sha256, sha256);
    world.emulator.change.addTask({ taskId: "task-2", taskGroupId: "group-1", actions: [] });
    await world.declare("DataExport", "empty").up({ ...all, taskId: "task-2", path: "out/empty.xlsx" });
    const empty = await readXlsx(readFileSync(world.path("out/empty.xlsx")));
    assert.deepEqual(empty.sheets[0]?.rows.flat(), []);
  });

  it("has a cell in each row, because readers leave out rows without one", async () => {
    world.emulator.change.insertRows("task-1", ["{}", '{"a":"x","b":"y"}', '{"a":"","b":null}']);
    await world.declare("DataExport").up({ ...all, columns: { a: "int64", b: "string" }, maxRows: 1 });
    const { cells = new Map() } = await sheet();
    assert.deepEqual([cells.get("1,0")?.value, cells.get("1,1")?.value], [undefined, ""], "in no column of numbers");
    await world.declare("DataExport", "other").up({ ...all, path: "out/other.xlsx" });
    const { sheets } = await readXlsx(readFileSync(world.path("out/other.xlsx")), { readStyles: true });
    assert.deepEqual(
      ["1,0", "2,0", "3,0", "3,1"].map((place) => sheets[0]?.cells?.get(place)?.value),
      ["", "x", "", undefined],
    );
  });

  it("refuses what Excel cannot hold before anything is marked, and keeps the rows in a file of their own", async () => {
    world.emulator.change.insertRows("task-1", [
      `{"long":"${"x".repeat(32_768)}","n":"1000000000000000","day":"1900-02-28","seen":"2026-11-21T08:30:00.000001Z"}`,
      `{"long":"${"x".repeat(32_767)}","n":"-999999999999999","day":"9999-12-31","seen":"1970-01-01T00:00:00Z"}`,
    ]);
    const each = world.declare("DataExport");
    const args = { ...all, markExported: true, path: "out/{n}.xlsx" };
    const typed = { n: "int64", day: "date", seen: "timestamp" };
    assert.match(
      await failure(each.up({ ...args, columns: typed })),
      /fit the type of 3 columns:(\n {2}columns\.(n|day|seen): 1 of 2 values do not fit "\w+" \(row 1\)){3}\n/,
    );
    assert.equal(
      await failure(each.up(args)),
      [
        'The rows of task "task-1" do not fit the format "xlsx":',
        '  field "long": a cell has at most 32767 characters, and row 1 has more. Use format "csv" or "parquet".',
        'The 2 rows are in "out/1.rejected.ndjson". Nothing was marked as exported. Correct the task or the format. The next up exports again.',
      ].join("\n"),
    );
    assert.deepEqual(files(), ["1.rejected.ndjson"]);
    assert.ok(!world.operations().includes("markExported"));
    await each.up({ ...args, format: "csv", path: "out/{n}.csv" });
    assert.equal(each.state.marked, true);
  });

  slowIt("refuses more rows or columns than a sheet has, before it writes any", async () => {
    const [from, to] = [world.path("rows.ndjson"), world.path("rows.xlsx")];
    const write = (lines: string) => {
      writeFileSync(from, lines);
      return writeFormat({ format: "xlsx" }, from, to, { folder: world.path(".") });
    };
    const reasonOf = async (lines: string): Promise<unknown> =>
      write(lines).then(
        () => "written",
        (error: { failed: unknown }) => error.failed,
      );
    const others = 'Use format "csv" or "parquet".';
    assert.deepEqual(await reasonOf("{}\n".repeat(1_048_576)), [
      { check: "rows", reason: `1048576, and a sheet has at most 1048576 with its header. ${others}` },
    ]);
    const wide = (count: number): string =>
      `{${Array.from({ length: count }, (_, index) => `"f${index}":1`).join(",")}}\n`;
    assert.deepEqual(await reasonOf(wide(16_385)), [
      { check: "columns", reason: `16385, and a sheet has at most 16384. ${others}` },
    ]);
    assert.equal(await reasonOf(wide(16_384)), "written");
    const { sheets } = await readXlsx(readFileSync(to));
    assert.equal(sheets[0]?.autoFilter?.range, "A1:XFD2");
  });

  it("refuses arguments that do not go together before anything runs", async () => {
    const cases: [object, RegExp][] = [
      [{ compression: "snappy" }, /^compression "snappy" needs format "parquet"; got format "xlsx"$/],
      [{ compression: "gzip" }, /^compression "gzip" needs format "parquet"; got format "xlsx"$/],
      [{ path: "out/rows.xlsx.gz" }, /^path must not end in "\.gz" with format "xlsx" and compression "none"$/],
      [{ csv: { for: "spreadsheets" } }, /^csv needs format "csv"; got format "xlsx"$/],
    ];
    for (const [args, reason] of cases) {
      assert.match((await problems(args)).join("\n"), reason);
    }
    world.configure({ markScope: "returned" });
    const marked = { scope: "notExported", markExported: true, path: "{n}.xlsx" };
    assert.match((await problems(marked)).join(), /^maxRows must be at most 1000 .* format "xlsx" /);
    assert.deepEqual(await problems({ ...marked, maxRows: 1000 }), []);
  });
});
