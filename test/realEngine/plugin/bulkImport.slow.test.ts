import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { repositoryRoot } from "../harness";
import { template } from "../world";
import { YamlWorld } from "./yamlWorld";

describe("a bulk import of every type that can be imported", function () {
  this.timeout(120_000);

  it("writes a YAML program whose next up shows no change and makes no request", async () => {
    const [first] = template.tasks ?? [];
    assert.ok(first);
    const task = (taskId: string) => ({ ...first, taskId });
    const world = await YamlWorld.create({
      resources: {},
      seed: { ...template, tasks: ["whole", "copy", "parameters", "config", "loop", "run"].map(task) },
      config: { "webextract:actionTypes": "LoopAction,NavigateAction" },
    });
    const { emulator, project } = world;
    try {
      const lotNo = emulator.change.startRun("run");
      await emulator.settled();
      const ids = {
        ExtractionTask: "whole",
        TaskCopy: "copy",
        TaskParameters: "parameters",
        TaskActionConfig: "config",
        TaskLoopItems: "loop/each",
        CloudRun: `run/${lotNo}`,
        CloudSubtasks: "run",
      };
      const resources = Object.entries(ids).map(([type, id]) => {
        return { type: `webextract:index:${type}`, name: type.toLowerCase(), id };
      });
      project.write("import.json", JSON.stringify({ resources }));
      await project.run(["import", "--file", "import.json", "--out", "written.yaml", "--yes", "--protect=false"]);
      const written = parse(readFileSync(join(project.folder, "written.yaml"), "utf8")).resources;
      assert.deepEqual(Object.keys(written).sort(), resources.map(({ name }) => name).sort());
      assert.deepEqual(written.extractiontask.properties.from, { adoptTaskId: "whole" });
      assert.deepEqual(written.taskloopitems.properties.items, ["https://old.test/item"]);
      assert.deepEqual(
        emulator.requests
          .filter(({ tookEffect }) => tookEffect)
          .map(({ operation }) => operation)
          .filter((each) => !each.startsWith("get")),
        [],
      );

      world.declare(written);
      emulator.clearRequests();
      const { output } = await project.up({ args: ["--expect-no-changes"] });
      assert.match(output, /8 unchanged/);
      assert.deepEqual(emulator.requests, []);
    } finally {
      await world.remove();
    }
  });

  it("of the file that adopt writes gives a program with the names, without values that may be secrets", async () => {
    const [first] = template.tasks ?? [];
    assert.ok(first);
    const secret = "hidden-in-the-task-2291";
    const open = {
      actionType: "NavigateAction",
      actionId: "open",
      properties: { Url: "https://a.test/", Password: secret },
    };
    const tasks = ["a", "b/1", "c"].map((taskId) => {
      return { ...first, taskId, actions: [open, ...(first.actions ?? []).slice(1)] };
    });
    const actions = {
      open: { actionType: "NavigateAction", properties: { Url: "https://a.test/" } },
      each: { actionType: "LoopAction", loop: { loopType: "UrlList", items: ["https://old.test/item"] } },
    };
    const world = await YamlWorld.create({ resources: {}, seed: { ...template, tasks } });
    const { emulator, project } = world;
    try {
      project.write("tasks.csv", "b/1,Käse 2024.v1\nc,loop\n");
      const cli = `${process.execPath} ${join(repositoryRoot, "dist/cli/main.js")}`;
      const types = "NavigateAction,LoopAction";
      const args = `'a=Books & more' --ids-file tasks.csv --import-file tasks.json --types ${types} --stack dev`;
      const { output } = await project.shell(`${cli} adopt ${args}`);
      assert.match(output, /"Password" may be a secret\. It is not imported\. To declare it, take it from a secret/);
      const next = output
        .slice(output.indexOf("Next:"))
        .split("\n")
        .map((line) => line.trim());
      assert.deepEqual(next.slice(1, 3), [
        `pulumi config set webextract:actionTypes '${types}'`,
        "pulumi import --file 'tasks.json'",
      ]);
      await project.shell(`${next[1]} --stack dev`);
      const imported = await project.shell(`${next[2]} --stack dev --out written.yaml --yes --protect=false`);
      assert.match(imported.output, /3 imported/);
      const written = parse(readFileSync(join(project.folder, "written.yaml"), "utf8")).resources;
      assert.deepEqual(
        Object.entries<{ name?: string; properties: object }>(written).map(([key, { name = key, properties }]) => [
          name,
          properties,
        ]),
        [
          ["Books-more", "a"],
          ["Käse-2024.v1", "b/1"],
          ["loop", "c"],
        ].map(([name, taskId]) => [name, { from: { adoptTaskId: taskId }, actions }]),
      );

      world.declare(written);
      emulator.clearRequests();
      const preview = await project.preview({ args: ["--expect-no-changes", "--diff"] });
      assert.match(preview.output, /4 unchanged/);
      assert.deepEqual(emulator.requests, []);
      assert.deepEqual(project.findWritten([secret]), []);
    } finally {
      await world.remove();
    }
  });
});
