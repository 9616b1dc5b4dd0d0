import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isLarge } from "../environment";
import { yamlWorld } from "./plugin/nativeWorld";
import { World } from "./world";

const program = `
const run = new CloudRun("run", { taskId: "template-1", waitFor: "finished", pollSeconds: 0 });
const rows = { taskId: "template-1", scope: "batch", lotNo: run.id };
new DataExport("sheet", { ...rows, path: "rows.xlsx", format: "xlsx" });
new DataExport("csv", { ...rows, path: "rows.csv", format: "csv", csv: { for: "spreadsheets", delimiter: ";" } });
`;

const yaml = `
resources:
  run:
    type: webextract:CloudRun
    properties: { taskId: template-1, waitFor: finished, pollSeconds: 0 }
  sheet:
    type: webextract:DataExport
    properties: { taskId: template-1, scope: batch, lotNo: "\${run.lotNo}", path: rows.xlsx, format: xlsx }
  csv:
    type: webextract:DataExport
    properties:
      { taskId: template-1, scope: batch, lotNo: "\${run.lotNo}", path: rows.csv, format: csv, csv: { for: spreadsheets, delimiter: ";" } }
`;

const engines = { "dynamic classes": () => World.create({ program }), "the native plugin": () => yamlWorld(yaml) };

/** The writers of the formats are the same. All engines run in the slow tests. */
const tested = Object.entries(engines).slice(isLarge ? 0 : 1);

for (const [engine, make] of tested) {
  describe(`exports for spreadsheets, with ${engine}`, () => {
    it("write a workbook and a CSV that Excel opens, and show no change later", async () => {
      const world = await make();
      try {
        await world.project.up();
        const bytesOf = (name: string) => readFileSync(join(world.project.folder, name));
        assert.equal(bytesOf("rows.xlsx").toString("latin1", 0, 2), "PK");
        assert.match(bytesOf("rows.csv").toString(), /^\ufeff[^\n]*;[^\n]*\r\n/);
        for (const name of ["sheet", "csv"]) {
          assert.equal(world.project.resource(name).outputs?.rowCount, 25);
        }
        await world.project.up({ args: ["--expect-no-changes"] });
      } finally {
        await world.remove();
      }
    });
  });
}
