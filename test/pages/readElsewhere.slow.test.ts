import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { writeFormat } from "../internals/resources";
import { readPage } from "./readPage";

type Row = Record<string, unknown>;

const run = promisify(execFile);

/** What a guess changes: leading zeros, digits, spaces, words for nothing, line breaks, lists, and text alone. */
const rows = [
  [
    '{"sku":"007","price":12.50,"name":"Größe, \\"L\\"\\nzwei","big":12345678901234567890,"id":"639308323497897245"',
    '"na":"NA","word":"null","tags":["a",{"n":1.0}],"on":"true","day":"2026-11-21","exp":"1e5"}',
  ],
  [
    '{"sku":"008","price":3,"name":" x ","big":1,"id":"2"',
    '"na":"None","word":"NULL","tags":[],"on":"false","day":"2026-02-01","exp":"x","late":"1_000"}',
  ],
].map((parts) => parts.join(","));
const asText: Row[] = [
  {
    ...{ sku: "007", price: "12.50", name: 'Größe, "L"\nzwei', big: "12345678901234567890", id: "639308323497897245" },
    ...{ na: "NA", word: "null", tags: '["a",{"n":1.0}]', on: "true", day: "2026-11-21", exp: "1e5" },
  },
  {
    ...{ sku: "008", price: "3", name: " x ", big: "1", id: "2", na: "None", word: "NULL", tags: "[]" },
    ...{ on: "false", day: "2026-02-01", exp: "x", late: "1_000" },
  },
];
const onlyText = ['{"name":"alpha","title":"one"}', '{"name":"beta","title":"two"}'];

/** The readers of the page with their versions and expressions. */
const readers = [...readPage("docs/how-to/read-elsewhere.md").matchAll(/^\| (\w+) ([\d.]+) \| `([^`]+)` \|/gm)].map(
  ([, name = "", version = "", expression = ""]) => ({ name, version, expression }),
);
/** The package of ClickHouse has versions of its own: this one contains the version of the page. */
const packages: Record<string, string> = { DuckDB: "duckdb", Spark: "pyspark", DataFusion: "datafusion" };
const pinned = readers.flatMap(({ name, version }) =>
  name === "R"
    ? []
    : name === "ClickHouse"
      ? [`chdb-core==${version}`, "chdb==4.4.0"]
      : [`${packages[name] ?? name}==${version}`],
);

const inParquet = {
  pandas: 'pandas.read_parquet("rows.parquet")',
  polars: 'polars.read_parquet("rows.parquet")',
  pyarrow: 'pyarrow.parquet.read_table("rows.parquet")',
  DuckDB: "FROM 'rows.parquet'",
  ClickHouse: "SELECT * FROM file('rows.parquet')",
  DataFusion: 'datafusion.SessionContext().read_parquet("rows.parquet")',
  daft: 'daft.read_parquet("rows.parquet")',
  Spark: 'spark.read.parquet("rows.parquet")',
};

/** Without what is missing: null, an empty string, and the absent field of a map. */
function filled(found: unknown): Row[] {
  assert.ok(Array.isArray(found), String(found));
  return found.map((row: Row) =>
    Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && value !== "")),
  );
}

describe("the page about reading rows elsewhere", function () {
  this.timeout(1_800_000);
  let folder: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "webextract-readers-"));
    for (const [name, lines] of Object.entries({ rows, text: onlyText })) {
      const from = join(folder, `${name}.ndjson`);
      writeFileSync(from, `${lines.join("\n")}\n`);
      for (const format of ["csv", "parquet"] as const) {
        await writeFormat({ format }, from, join(folder, `${name}.${format}`), { folder });
      }
    }
    await run("python3", ["-m", "venv", "venv"], { cwd: folder });
    await run("venv/bin/pip", ["install", "-q", ...pinned, "fastparquet==2026.9.0"], { cwd: folder });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  async function read(expressions: readonly (readonly [reader: string, expression: string])[]): Promise<unknown[]> {
    const options = { cwd: folder, stdio: ["pipe", "pipe", "ignore"] as ["pipe", "pipe", "ignore"] };
    const python = spawn("venv/bin/python", [join(__dirname, "readers.py")], options);
    python.stdin.end(JSON.stringify(expressions));
    const lines = (await text(python.stdout)).split("\n").filter((line) => line.startsWith("["));
    assert.equal(lines.length, expressions.length);
    return lines.map((line) => JSON.parse(line)[1]);
  }

  const inPython = readers.filter(({ name }) => name !== "R");

  it("has expressions that return each cell of a CSV as text", async () => {
    assert.deepEqual(
      readers.map(({ name }) => name),
      [...Object.keys(inParquet), "R"],
    );
    const found = await read(inPython.map(({ name, expression }) => [name, expression]));
    for (const [index, { name }] of inPython.entries()) {
      assert.deepEqual(filled(found[index]), asText, name);
    }
  });

  it("says rightly that each reader returns the texts of a Parquet file", async () => {
    const expressions = [
      ...Object.entries(inParquet),
      ["pandas", 'pandas.read_parquet("rows.parquet", engine="fastparquet")'] as const,
    ];
    for (const [index, found] of (await read(expressions)).entries()) {
      assert.deepEqual(filled(found), asText, expressions[index]?.[1]);
    }
  });

  it("says rightly what is lost without them", async () => {
    const [pandas, polars, pyarrow, duckdb, clickHouse, header, dataFusion, daft, spark] = (await read([
      ["pandas", 'pandas.read_csv("rows.csv")'],
      ["polars", 'polars.read_csv("rows.csv")'],
      ["pyarrow", 'pyarrow.csv.read_csv("rows.csv")'],
      ["DuckDB", "FROM 'rows.csv'"],
      ["ClickHouse", "SELECT * FROM file('rows.csv')"],
      ["ClickHouse", "SELECT * FROM file('text.csv')"],
      ["DataFusion", 'datafusion.SessionContext().read_csv("rows.csv")'],
      ["daft", 'daft.read_csv("rows.csv")'],
      ["Spark", 'spark.read.csv("rows.csv", header=True)'],
    ])) as Row[][];
    assert.deepEqual([pandas?.[0]?.sku, pandas?.[0]?.na, pandas?.[1]?.na, pandas?.[0]?.word], [7, null, null, null]);
    assert.deepEqual([polars?.[0]?.sku, dataFusion?.[0]?.sku, duckdb?.[0]?.on], [7, 7, true]);
    assert.deepEqual([pyarrow?.[0]?.big, daft?.[0]?.big], [12345678901234567000, 12345678901234567000]);
    assert.deepEqual([clickHouse?.[1]?.name, header?.[0]], ["x", { c1: "name", c2: "title" }]);
    assert.equal(spark?.length, 3);
  });

  it("says rightly what becomes of NDJSON", async () => {
    const [guessed, kept, spark, daft, pyarrow, dataFusion] = await read([
      ["pandas", 'pandas.read_json("rows.ndjson", lines=True)'],
      ["pandas", 'pandas.read_json("rows.ndjson", lines=True, dtype=False)'],
      ["Spark", 'spark.read.json("rows.ndjson", primitivesAsString=True)'],
      ["daft", 'daft.read_json("rows.ndjson")'],
      ["pyarrow", 'pyarrow.json.read_json("rows.ndjson")'],
      ["DataFusion", 'datafusion.SessionContext().read_json("rows.ndjson", file_extension="ndjson")'],
    ]);
    const [first, second] = [guessed, kept].map((found) => filled(found)[0]);
    assert.deepEqual([first?.sku, second?.sku, second?.price], [7, "007", 12.5]);
    assert.deepEqual([filled(spark)[0]?.price, filled(spark)[0]?.big], ["12.50", "12345678901234567890"]);
    assert.deepEqual(filled(daft)[0]?.tags, ["a", null]);
    assert.match(String(pyarrow), /JSON parse error/);
    assert.match(String(dataFusion), /Json error/);
  });

  it("has an expression for R", () => {
    const folders = (process.env.PATH ?? "").split(delimiter);
    if (!folders.some((each) => existsSync(join(each, "Rscript")))) {
      assert.equal(
        process.getuid?.(),
        0,
        "R is not installed, and only root can install it: apt-get install r-base-core",
      );
      execFileSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "r-base-core"], { stdio: "ignore" });
    }
    const expression = readers.find(({ name }) => name === "R")?.expression;
    const code = `t <- ${expression}; cat(paste(c(names(t), t(as.matrix(t))), collapse = "\\x1f"))`;
    const env = { ...process.env, LC_ALL: "C.UTF-8" };
    const cells = execFileSync("Rscript", ["-e", code], { cwd: folder, encoding: "utf8", env }).split("\x1f");
    const names = cells.slice(0, cells.length / 3);
    const found = [1, 2].map((row) =>
      Object.fromEntries(names.map((name, column) => [name, cells[row * names.length + column]])),
    );
    assert.deepEqual(filled(found), asText);
  });
});
