import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { aptInstall } from "../aptInstall";
import { writeFormat } from "../internals/resources";
import { readPage } from "./readPage";

type Row = Record<string, unknown>;
type Expression = readonly [reader: string, expression: string];

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
/** More than readers look at before they guess, or read at once. */
const many = Array.from({ length: 25_000 }, (_, index) => `{"n":"${index}","text":"a \\"b\\"\\n\\n${"x".repeat(40)}"}`);
const manyThenLate = [...many, '{"n":"25000","late":"x"}'];
const onlyText = ['{"name":"alpha","title":"one"}', '{"name":"beta","title":"two"}'];

/** The readers of the page with their versions and expressions. */
const readers = [...readPage("docs/how-to/read-elsewhere.md").matchAll(/^\| (\w+) ([\d.]+) \| `([^`]+)` \|/gm)].map(
  ([, name = "", version = "", expression = ""]) => ({ name, version, expression }),
);
const inPython = readers.filter(({ name }) => name !== "R");
const names: Record<string, string> = { DuckDB: "duckdb", Spark: "pyspark", DataFusion: "datafusion" };

/** The packages of a reader. That of ClickHouse has versions of its own: this one contains the version of the page. */
function packagesOf({ name, version }: (typeof readers)[number]): string[] {
  return name === "ClickHouse" ? [`chdb-core==${version}`, "chdb==4.4.0"] : [`${names[name] ?? name}==${version}`];
}

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
  /** Readers that this machine cannot have. */
  const missing = new Set<string>();

  function miss(name: string, why: string): void {
    missing.add(name);
    console.error(`NOT TESTED: ${name}, because ${why}`);
  }

  async function install(name: string, packages: readonly string[]): Promise<void> {
    await run("venv/bin/pip", ["install", "-q", ...packages], { cwd: folder }).catch((error: { stderr: string }) =>
      miss(name, `pip install ${packages.join(" ")} failed: ${error.stderr.trim().slice(-500)}`),
    );
  }

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "webextract-readers-"));
    for (const [name, lines] of Object.entries({ rows, text: onlyText, many, manyThenLate })) {
      const from = join(folder, `${name}.ndjson`);
      writeFileSync(from, `${lines.join("\n")}\n`);
      for (const format of ["csv", "parquet"] as const) {
        await writeFormat({ format }, from, join(folder, `${name}.${format}`), { folder });
      }
    }
    assert.equal(await aptInstall("python3", "python3-venv"), undefined);
    await run("python3", ["-m", "venv", "venv"], { cwd: folder });
    const fastParquet = "fastparquet==2026.9.0";
    const all = [...inPython.flatMap(packagesOf), fastParquet];
    await run("venv/bin/pip", ["install", "-q", ...all], { cwd: folder }).catch(async () => {
      for (const reader of inPython) {
        await install(reader.name, packagesOf(reader));
      }
      await install("fastparquet", [fastParquet]);
    });
    const noJava = await aptInstall("java", "default-jre-headless");
    if (noJava !== undefined) {
      miss("Spark", noJava);
    }
    assert.ok(missing.size < inPython.length / 2, "most readers cannot be installed");
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** What the expressions return whose readers are there. */
  async function read(all: readonly Expression[]): Promise<(readonly [expression: string, found: unknown])[]> {
    const expressions = all.filter(
      ([reader, expression]) =>
        !missing.has(reader) && !(expression.includes("fastparquet") && missing.has("fastparquet")),
    );
    const options = { cwd: folder, stdio: ["pipe", "pipe", "ignore"] as ["pipe", "pipe", "ignore"] };
    const python = spawn("venv/bin/python", [join(__dirname, "readers.py")], options);
    python.stdin.end(JSON.stringify(expressions));
    const lines = (await text(python.stdout)).split("\n").filter((line) => line.startsWith("["));
    assert.equal(lines.length, expressions.length);
    return expressions.map(([, expression], index) => [expression, JSON.parse(lines[index] as string)[1]]);
  }

  it("has expressions that return each cell of a CSV as text", async () => {
    assert.deepEqual(
      readers.map(({ name }) => name),
      [...Object.keys(inParquet), "R"],
    );
    for (const [name, found] of await read(inPython.map(({ name, expression }) => [name, expression]))) {
      assert.deepEqual(filled(found), asText, name);
    }
  });

  it("has expressions that return each cell of a long CSV with line breaks in its cells", async () => {
    const expected = many.map((line) => JSON.parse(line));
    const expressions = inPython.map(({ name, expression }) => [name, expression.replaceAll("rows.csv", "many.csv")]);
    for (const [expression, found] of await read(expressions as unknown as Expression[])) {
      // DataFusion reads parts of a file at the same time.
      const inOrder = filled(found).sort((one, other) => Number(one.n) - Number(other.n));
      assert.deepEqual(inOrder, expected, expression);
    }
  });

  it("says rightly that each reader returns the texts of a Parquet file", async () => {
    const expressions = [
      ...Object.entries(inParquet),
      ["pandas", 'pandas.read_parquet("rows.parquet", engine="fastparquet")'] as const,
    ];
    for (const [expression, found] of await read(expressions)) {
      assert.deepEqual(filled(found), asText, expression);
    }
  });

  const cell = (row: number, name: string) => (found: unknown) => filled(found)[row]?.[name];
  const rounded = 12345678901234567000;
  const lost: readonly (readonly [
    reader: string,
    expression: string,
    look: (found: unknown) => unknown,
    is: unknown,
  ])[] = [
    ["pandas", 'pandas.read_csv("rows.csv")', cell(0, "sku"), 7],
    ["pandas", 'pandas.read_csv("rows.csv")', cell(0, "na"), undefined],
    ["pandas", 'pandas.read_csv("rows.csv")', cell(1, "na"), undefined],
    ["pandas", 'pandas.read_csv("rows.csv")', cell(0, "word"), undefined],
    ["polars", 'polars.read_csv("rows.csv")', cell(0, "sku"), 7],
    ["pyarrow", 'pyarrow.csv.read_csv("rows.csv")', cell(0, "big"), rounded],
    ["DuckDB", "FROM 'rows.csv'", cell(0, "on"), true],
    ["ClickHouse", "SELECT * FROM file('rows.csv')", cell(1, "name"), "x"],
    ["ClickHouse", "SELECT * FROM file('text.csv')", cell(0, "c1"), "name"],
    ["DataFusion", 'datafusion.SessionContext().read_csv("rows.csv")', cell(0, "sku"), 7],
    ["daft", 'daft.read_csv("rows.csv")', cell(0, "big"), rounded],
    ["Spark", 'spark.read.csv("rows.csv", header=True)', (found) => filled(found).length, 3],
    ["pandas", 'pandas.read_json("rows.ndjson", lines=True)', cell(0, "sku"), 7],
    ["pandas", 'pandas.read_json("rows.ndjson", lines=True, dtype=False)', cell(0, "sku"), "007"],
    ["pandas", 'pandas.read_json("rows.ndjson", lines=True, dtype=False)', cell(0, "price"), 12.5],
    ["polars", 'polars.read_ndjson("manyThenLate.ndjson")', cell(25_000, "late"), undefined],
    ["polars", 'polars.read_ndjson("manyThenLate.ndjson", infer_schema_length=None)', cell(25_000, "late"), "x"],
    ["DuckDB", "FROM 'manyThenLate.ndjson'", (error) => /has unknown key "late"/.test(String(error)), true],
    ["DuckDB", "FROM read_json('manyThenLate.ndjson', sample_size = -1)", cell(25_000, "late"), "x"],
    ["Spark", 'spark.read.json("rows.ndjson", primitivesAsString=True)', cell(0, "price"), "12.50"],
    ["Spark", 'spark.read.json("rows.ndjson", primitivesAsString=True)', cell(0, "big"), "12345678901234567890"],
    ["daft", 'daft.read_json("rows.ndjson")', cell(0, "tags"), ["a", null]],
    ["pyarrow", 'pyarrow.json.read_json("rows.ndjson")', (error) => /JSON parse error/.test(String(error)), true],
    [
      "DataFusion",
      'datafusion.SessionContext().read_json("rows.ndjson", file_extension="ndjson")',
      (error) => /Json error/.test(String(error)),
      true,
    ],
  ];

  it("says rightly what is lost without them, and what becomes of NDJSON", async () => {
    const found = new Map(await read(lost.map(([reader, expression]) => [reader, expression])));
    for (const [, expression, look, is] of lost.filter(([, expression]) => found.has(expression))) {
      assert.deepEqual(look(found.get(expression)), is, expression);
    }
  });

  it("says rightly what jq does to numbers", async () => {
    const noJq = await aptInstall("jq", "jq");
    const version = noJq ?? execFileSync("jq", ["--version"], { encoding: "utf8" }).trim();
    if (version !== "jq-1.6") {
      miss("jq 1.6", noJq ?? `this is ${version}`);
      return;
    }
    const input = '{"a":1.10,"b":639308323497897245,"c":"639308323497897245"}';
    const output = execFileSync("jq", ["-c", "."], { input, encoding: "utf8" });
    assert.equal(output, '{"a":1.1,"b":639308323497897200,"c":"639308323497897245"}\n');
  });

  it("has an expression for R", async () => {
    const noR = await aptInstall("Rscript", "r-base-core");
    if (noR !== undefined) {
      miss("R", noR);
      return;
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
