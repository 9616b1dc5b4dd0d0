import assert from "node:assert/strict";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import * as pulumi from "@pulumi/pulumi";
import { World } from "../resources/life";
import { blocks, readPage, repository } from "./readPage";

describe("docs/how-to/parquet.md", () => {
  let world: World;
  before(async () => {
    world = await World.create();
  });
  after(async () => {
    pulumi.runtime.setAllConfig({});
    await world.remove();
  });

  it("has a query that reads the files of several runs of its program", async () => {
    let declared: Record<string, unknown> = {};
    await pulumi.runtime.setMocks({
      newResource: ({ name, type, inputs }) => {
        declared = type.endsWith(":DataExport") ? inputs : declared;
        return { id: `${name}-id`, state: { ...inputs } };
      },
      call: () => ({}),
    });
    const program = join(repository, "examples/howTo/parquet.ts");
    // Another test runs it too, and a module runs once.
    delete require.cache[program];
    await pulumi.runtime.runInPulumiStack(async () => require(program));
    delete require.cache[program];
    await (pulumi.runtime as unknown as { waitForRPCs(): Promise<void> }).waitForRPCs();
    const { format, columns, compression, path } = declared;
    const runs = [
      ['{"author":"A","price":"10.00","seen":"2026-11-20T08:30:00Z"}', '{"author":"B","price":""}'],
      ['{"author":"A","price":"11.25","seen":"2026-11-21T08:30:00+01:00","title":"Grün"}'],
    ];
    for (const rows of runs) {
      world.emulator.change.holdRuns();
      const lotNo = world.emulator.change.startRun("task-1");
      world.emulator.change.insertRows("task-1", rows, lotNo);
      world.emulator.change.setSubtaskStatus(lotNo, "finished");
      const args = { taskId: "task-1", scope: "batch", lotNo, format, columns, compression, path };
      await world.declare("DataExport", `books-${lotNo}`).up(args);
    }
    const [query = ""] = blocks(readPage("docs/how-to/parquet.md"), "sql");
    const connection = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
    const sql = query.replace(";", "").replace("'rows/", `'${world.path("rows")}/`);
    const found = await connection.runAndReadAll(`SELECT * REPLACE (epoch(last)::INT AS last) FROM (${sql})`);
    const last = Date.UTC(2026, 10, 21, 7, 30) / 1000;
    assert.deepEqual(found.getRowObjectsJson(), [
      { author: "A", books: "2", price: 10.63, last },
      { author: "B", books: "1", price: null, last: null },
    ]);
    connection.closeSync();
  });
});
