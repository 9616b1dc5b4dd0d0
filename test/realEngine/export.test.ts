import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Seed } from "webextract-emulator";
import { slowIt } from "../environment";
import { template, World } from "./world";

/** Two templates whose runs return different rows. */
const seed: Seed = {
  ...template,
  tasks: [...template.tasks, { taskId: "template-2", taskGroupId: "group-1", actions: [], syntheticRows: 7 }],
};

const fixedPath = (source: string, path = "rows.ndjson"): string => `
const copy = new TaskCopy("copy", { sourceTaskId: "${source}", taskGroupId: "group-1", onDelete: "retain" });
const run = new CloudRun("run", { taskId: copy.id, waitFor: "finished", pollSeconds: 0 });
const rows = new DataExport("rows", { taskId: copy.id, scope: "batch", lotNo: run.id, path: "${path}" });
exports.lotNo = run.lotNo;
`;

/** The command succeeds when there is a file `received`, which also shows in which folder it runs. */
const command =
  'echo "$(env | grep -c access-of-the-world) credentials" >&2; test -e received || exit 3; cat > "piped-$1"';

const formats = `
const run = new CloudRun("run", { taskId: "template-1", waitFor: "finished", pollSeconds: 0 });
const of = { taskId: "template-1", scope: "batch", lotNo: run.id };
const gzip = new DataExport("gzip", { ...of, path: "rows.ndjson.gz", compression: "gzip" });
const parquet = new DataExport("parquet", {
  ...of, path: "rows.parquet", format: "parquet", compression: "snappy", columns: { title: "string" },
});
new DataExport("pipe", {
  taskId: "template-1", scope: "all", path: "piped-{n}.csv", format: "csv", markExported: true, triggers: [run.id],
  pipe: ["sh", "-c", ${JSON.stringify(command)}, "sh", "{file}"],
}, { dependsOn: [gzip, parquet] });
`;

describe("an export with a fixed path on the engine", () => {
  let world: World;
  before(async () => {
    world = await World.create({ seed, program: fixedPath("template-1") });
  });
  after(() => world.remove());

  it("writes the rows of the new task into the same file after the task was replaced", async () => {
    await world.project.up();
    const before = readFileSync(join(world.project.folder, "rows.ndjson"), "utf8");
    world.program(fixedPath("template-2"));
    const { output } = await world.project.up();
    assert.match(output, / ~ .*:DataExport rows updated/);
    const after = readFileSync(join(world.project.folder, "rows.ndjson"), "utf8");
    assert.deepEqual(
      [before, after].map((content) => content.split("\n").length - 1),
      [25, 7],
    );
    assert.equal(world.project.resource("rows").outputs?.rowCount, 7);
  });

  it("is refused before the copy and the run if a file of somebody else has its name", async () => {
    world.project.write("theirs.ndjson", "theirs");
    world.program(fixedPath("template-1", "theirs.ndjson"));
    world.operations();
    const { output } = await world.project.run(["up", "--yes"], { expect: "failure" });
    assert.match(output, /path names a file that exists/);
    assert.deepEqual(world.operations(), []);
    assert.equal(readFileSync(join(world.project.folder, "theirs.ndjson"), "utf8"), "theirs");
  });
});

describe("exports in other formats on the engine", () => {
  let world: World;
  before(async () => {
    world = await World.create({ program: formats });
  });
  after(() => world.remove());
  const read = (path: string): Buffer => readFileSync(join(world.project.folder, path));

  it("compress rows, write them as Parquet, and pass them to a command, which must succeed before rows are marked", async () => {
    const { output } = await world.project.up({ expect: "failure" });
    assert.match(output, /The command "sh" of pipe ended with exit code 3\. It wrote to stderr:\s+0 credentials/);
    assert.equal(world.emulator.inspect.exportedCount("template-1"), 0);
    const rows = gunzipSync(read("rows.ndjson.gz")).toString().trimEnd().split("\n");
    assert.equal(rows.length, 25);
    const { rowCount, file } = world.project.resource("parquet").outputs ?? {};
    assert.equal(rowCount, 25);
    assert.equal(read(String(file)).subarray(0, 4).toString(), "PAR1");

    world.project.write("received", "");
    await world.project.up();
    assert.deepEqual(read("piped-piped-1.csv"), read("piped-1.csv"));
    assert.equal(world.emulator.inspect.exportedCount("template-1"), 25);
  });
});

const valueOfRow = "value-of-a-row-7c41";

const checkedExport = (taskId: string, checks: string): string => `
const rows = new DataExport("rows", { taskId: "${taskId}", scope: "all", path: "rows.ndjson", checks: ${checks} });
exports.failed = rows.checked.apply((checked) => checked?.failed);
exports.note = rows.checked.apply((checked) => checked?.fields?.note);
`;

describe("an export with checks on the engine", () => {
  let world: World;
  before(async () => {
    world = await World.create({ program: "", seed });
  });
  after(() => world.remove());

  const insert = (taskId: string, count: number): void => {
    const rows = Array.from({ length: count }, () => JSON.stringify({ note: valueOfRow }));
    world.emulator.change.insertRows(taskId, rows);
  };
  const content = (): string => readFileSync(join(world.project.folder, "rows.ndjson"), "utf8");
  const strict = `{ maxDrop: 0.2, fields: { note: { filled: 1, unique: false } } }`;

  it("leaves the last good file and its state until the rows pass", async () => {
    insert("template-1", 10);
    world.program(checkedExport("template-1", strict));
    await world.project.up();
    const [before, outputs] = [content(), world.project.resource("rows").outputs];
    assert.deepEqual(await world.project.outputs(), { failed: [], note: { filled: 1, empty: 0 } });

    insert("template-2", 7);
    world.program(checkedExport("template-2", strict));
    const { output } = await world.project.up({ expect: "failure" });
    assert.match(output, /did not pass a check:\s+checks\.maxDrop: there are 7 rows, 30% fewer than the 10/);
    assert.match(output, /The 7 rows are in "rows\.rejected\.ndjson"/);
    assert.deepEqual([content(), world.project.resource("rows").outputs], [before, outputs]);

    insert("template-2", 1);
    await world.project.up({ args: ["--refresh"] });
    assert.equal(world.project.resource("rows").outputs?.rowCount, 8);
    assert.equal(content().split("\n").length, 9);
  });

  slowIt("exports with a warning if onFail is warn, and shows no value of a row anywhere else", async () => {
    insert("template-1", 20);
    world.program(checkedExport("template-1", `{ maxRows: 20, fields: { note: { type: "date" } }, onFail: "warn" }`));
    const { output } = await world.project.up();
    assert.match(output, /warning: The rows of task "template-1" did not pass 2 checks:/);
    assert.deepEqual((await world.project.outputs()).failed, ["maxRows", "fields.note.type"]);
    const places = world.project.findWritten([valueOfRow]).map(({ where }) => where);
    assert.deepEqual(
      places.filter((place) => !/rows(\.rejected)?\.ndjson$/.test(place)),
      [],
    );
  });
});
