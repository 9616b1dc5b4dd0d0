import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { aptInstall } from "../../aptInstall";
import { writeFormat } from "../../internals/resources";
import { readPage, repository } from "../../pages/readPage";

const run = promisify(execFile);

const packages = ["pandas==3.1.1", "polars==2.1.0", "openpyxl==3.1.5", "fastexcel==0.21.0"];

/** What each reader returns for the file, each value as JSON with dates as text. */
const readers = `
import json, openpyxl, pandas, polars
sheet = openpyxl.load_workbook("rows.xlsx").active
header, *rows = [[cell.value for cell in row] for row in sheet.iter_rows()]
found = {
    "openpyxl": [dict(zip(header, row)) for row in rows],
    "pandas": PANDAS.to_dict("records"),
    "polars": POLARS.to_dicts(),
    "looks": [sheet.freeze_panes, sheet.auto_filter.ref, sheet["A1"].font.b, sheet["A2"].font.b],
    "kinds": [cell.data_type for cell in sheet[2]],
    "guessed": pandas.read_excel("rows.xlsx").to_dict("records"),
}
guess = [cell.value for cell in openpyxl.load_workbook("guess/rows.xlsx").active[2]]
found["guess"] = [guess[0], guess[1], str(guess[1])]
print(json.dumps(found, default=lambda value: str(value)))
`;

const large = `
const { writeFormat } = require("./test/internals/resources");
const [from, to] = process.argv.slice(-2);
writeFormat({ format: "xlsx", columns: { n: "int64" } }, from, to, { folder: "." }).then(({ bytes }) => console.log(bytes));
`;

describe("an XLSX file in other programs", function () {
  this.timeout(1_800_000);
  const folder = mkdtempSync(join(tmpdir(), "webextract-xlsx-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  before(async () => {
    const rows = [
      '{"sku":"007","lot":"639308323497897245","formula":"=1+1","url":"https://shop.example/?a=1","name":"Größe, \\"L\\"\\nzwei","na":"NA","price":"12.50","day":"2026-11-21","seen":"2026-11-21T08:30:00Z","on":"true"}',
      '{"sku":"","price":" "}',
      '{"sku":"008","na":"null","price":"3"}',
      "{}",
    ];
    const from = join(folder, "rows.ndjson");
    writeFileSync(from, `${rows.join("\n")}\n`);
    const columns = { price: "double", day: "date", seen: "timestamp", on: "boolean" } as const;
    await writeFormat({ format: "xlsx", columns }, from, join(folder, "rows.xlsx"), { folder });
    assert.equal(await aptInstall("python3", "python3-venv"), undefined);
    await run("python3", ["-m", "venv", "venv"], { cwd: folder });
    await run("venv/bin/pip", ["install", "-q", ...packages], { cwd: folder });
    assert.equal(await aptInstall("soffice", "libreoffice-calc"), undefined);
  });

  async function convert(format: string, from: string, to: string): Promise<void> {
    const profile = `-env:UserInstallation=file://${join(folder, "profile")}`;
    const args = [profile, "--headless", "--convert-to", format, "--outdir", to, from];
    await run("soffice", args, { cwd: folder });
  }

  const texts = {
    ...{ sku: "007", lot: "639308323497897245", formula: "=1+1", url: "https://shop.example/?a=1" },
    ...{ name: 'Größe, "L"\nzwei', na: "NA" },
  };

  it("is read by openpyxl, pandas and polars with its texts and types", async () => {
    const page = readPage("docs/how-to/read-elsewhere.md");
    const expressions = ["pandas", "polars"].map(
      (name) => new RegExp(`${name}\\.read_excel\\([^\`]*\\)`).exec(page)?.[0],
    );
    const [pandas = "", polars = ""] = expressions;
    const code = readers.replace("PANDAS", pandas).replace("POLARS", polars);
    // LibreOffice reads the CSV as it would open it.
    await writeFormat({ format: "csv" }, join(folder, "rows.ndjson"), join(folder, "rows.csv"), { folder });
    await convert("xlsx", "rows.csv", "guess");
    const { stdout } = await run("venv/bin/python", ["-c", code], { cwd: folder });
    const found = JSON.parse(stdout.replaceAll("NaN", "null"));
    const typed = { price: 12.5, day: "2026-11-21 00:00:00", seen: "2026-11-21 08:30:00", on: true };
    assert.deepEqual(found.openpyxl[0], { ...texts, ...typed });
    assert.deepEqual(found.pandas[0], { ...texts, ...typed, price: "12.5", on: "True" });
    assert.deepEqual(found.guess, [7, 6.39308323497897e17, "6.39308323497897e+17"]);
    assert.deepEqual(found.polars[0], { ...texts, ...typed, day: "2026-11-21" });
    assert.deepEqual([found.openpyxl.length, found.polars.length, found.pandas.length], [4, 4, 3]);
    for (const reader of ["openpyxl", "pandas", "polars"]) {
      const [, , { sku, na, price }] = found[reader];
      assert.deepEqual([sku, na, Number(price)], ["008", "null", 3], reader);
    }
    assert.deepEqual(found.looks, ["A2", "A1:J5", true, false]);
    assert.deepEqual(found.kinds, ["s", "s", "s", "s", "s", "s", "n", "d", "d", "b"]);
    assert.deepEqual([found.guessed[0].sku, found.guessed[0].na], [7, null], "what the page says of the defaults");
  });

  it("is opened by LibreOffice with its texts and types", async () => {
    await convert("csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false", "rows.xlsx", "shown");
    assert.equal(
      readFileSync(join(folder, "shown/rows.csv"), "utf8"),
      [
        "sku,lot,formula,url,name,na,price,day,seen,on",
        '007,639308323497897245,=1+1,https://shop.example/?a=1,"Größe, ""L""\nzwei",NA,12.5,2026-11-21,2026-11-21 08:30:00,TRUE',
        ",,,,,,,,,",
        "008,,,,,null,3,,,\n",
      ].join("\n"),
    );
  });

  it("has 1,048,575 rows in the memory of a few", async () => {
    const from = join(folder, "large.ndjson");
    const row = (n: number): string =>
      `{"n":${n},"name":"${"Größe ".repeat(10)}${n}","url":"https://shop.example/${n}"}\n`;
    const count = 1_048_575;
    for (let n = 0; n < count; n += 25_000) {
      const some = Array.from({ length: Math.min(25_000, count - n) }, (_, index) => row(n + index + 1));
      writeFileSync(from, some.join(""), { flag: "a" });
    }
    const options = { cwd: repository, encoding: "utf8" } as const;
    const args = ["--max-old-space-size=64", "--import", "tsx", "-e", large, from, join(folder, "large.xlsx")];
    execFileSync(process.execPath, args, options);
    const code =
      'import polars; t = polars.read_excel("large.xlsx"); print(t.height, t["n"].dtype, t["n"].sum(), t["url"].n_unique())';
    const { stdout } = await run("venv/bin/python", ["-c", code], { cwd: folder });
    assert.equal(stdout.trim(), `${count} Int64 ${(count * (count + 1)) / 2} ${count}`);
  });
});
