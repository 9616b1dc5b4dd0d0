import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { aptInstall } from "../../aptInstall";
import { writeFormat } from "../../internals/resources";

const run = promisify(execFile);

const begins = ["a", "", "1,5", '"', "-2", "'", "x "];
const between = [",", ";", "\t", "|", "\n", "\r", "\r\n", '"', '";"', '",'];
const formulas = ["=1+1", " =1+1", '"=1+1"', "+1+1", "-1-1", "@SUM(A1)", "'=1+1", '""=1+1', "{=1+1}", "＝1+1"];

/** By the codes with which LibreOffice names separators. */
const separators = { comma: "44", semicolon: "59", tab: "9", bar: "124", "the three together": "44/59/9" };

describe("a CSV for spreadsheets in LibreOffice", function () {
  this.timeout(1_800_000);
  const folder = mkdtempSync(join(tmpdir(), "webextract-csv-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  async function sheetOf(file: string, separator: string): Promise<string> {
    const profile = `-env:UserInstallation=file://${join(folder, "profile")}`;
    // UTF-8, from the first line, and formulas are evaluated.
    const filter = `--infilter=Text - txt - csv (StarCalc):${separator},34,76,1,,0,false,true,false,false,false,-1,true`;
    await run("soffice", [profile, "--headless", filter, "--convert-to", "fods", file], { cwd: folder });
    return readFileSync(join(folder, file.replace(/csv$/, "fods")), "utf8");
  }

  it("has no formula with any separator that is offered, whatever its own is", async () => {
    assert.equal(await aptInstall("soffice", "libreoffice-calc"), undefined);
    const cells = begins.flatMap((begin) => between.flatMap((each) => formulas.map((end) => begin + each + end)));
    const lines = cells.map((cell) => `${JSON.stringify({ first: "x", cell, last: cell })}\n`).join("");
    const from = join(folder, "rows.ndjson");
    writeFileSync(from, lines);
    for (const delimiter of [",", ";", "\t"] as const) {
      await writeFormat({ format: "csv", csv: { for: "spreadsheets", delimiter } }, from, join(folder, "rows.csv"), {
        folder,
      });
      for (const [name, code] of Object.entries(separators)) {
        const sheet = await sheetOf("rows.csv", code);
        assert.match(sheet, /<table:table-row/);
        assert.doesNotMatch(sheet, /table:formula/, `${JSON.stringify(delimiter)} read with ${name}`);
      }
    }
    writeFileSync(join(folder, "plain.csv"), "a;=1+1\n");
    assert.match(await sheetOf("plain.csv", "59"), /table:formula/, "formulas count at all");
  });
});
