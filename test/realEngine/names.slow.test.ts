import assert from "node:assert/strict";
import { join } from "node:path";
import { repositoryRoot } from "../../scripts/commands";
import { World } from "./world";

const books = `
from: { sourceTaskId: template-1, taskGroupId: group-1 }
actions:
  open: { actionType: NavigateAction, properties: { Url: "https://a.test/" } }
run: { waitFor: finished }
exports:
  rows: { path: "rows/{lotNo}.ndjson" }
`;

const command = `node ${join(repositoryRoot, "dist/cli/main.js")}`;

describe("names of tasks, with the state of a real stack", () => {
  let world: World;
  before(async () => {
    world = await World.create({
      program: 'const { Manifest } = require("pulumi-webextract"); new Manifest("tasks", { path: "tasks" });',
    });
    world.project.write("tasks/books.yaml", books);
    world.project.write("tasks/later.yaml", "from: { adoptTaskId: template-1 }\nrun: { rerunOn: [books] }\n");
    await world.project.up();
  });
  after(() => world.remove());

  const json = async (line: string): Promise<Record<string, unknown>> => {
    const { stdout } = await world.project.shell(`${command} ${line} --json`);
    return JSON.parse(stdout);
  };

  it("are listed with id, run, rows and file", async () => {
    const { tasks } = (await json("list --stack dev")) as { tasks: { name: string; taskId: string }[] };
    const [taskId] = world.copies();
    const { lotNo } = world.project.resource("books-rows").outputs as { lotNo: string };
    const exports = [{ name: "books-rows", file: `rows/${lotNo}.ndjson`, rows: 25, lotNo }];
    assert.deepEqual(
      tasks.find(({ name }) => name === "books"),
      {
        name: "books",
        taskId,
        origin: world.emulator.url,
        run: { lotNo, status: "finished" },
        exports,
      },
    );
    assert.equal(tasks.length, 2);
  });

  it("stand for an id, also without --stack, in the stack that pulumi stack select has chosen", async () => {
    const [taskId] = world.copies();
    assert.equal((await json("status books --stack dev")).taskId, taskId);
    await world.project.shell("pulumi stack select dev");
    assert.deepEqual((await json("rows books --limit 1")).taskId, taskId);
  });

  it("change with webextract rename, and the engine sees no new task and no reason for a run", async () => {
    await json("rename books library");
    world.operations();
    await world.project.up({ args: ["--expect-no-changes"] });
    assert.ok(!world.operations().includes("startTask"));
    const { tasks } = (await json("list")) as { tasks: { name: string }[] };
    assert.deepEqual(tasks.map(({ name }) => name).sort(), ["later", "library"]);
  });
});
