import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { template } from "../world";
import { YamlWorld } from "./yamlWorld";

describe("a bulk import of every type that can be imported", function () {
  this.timeout(120_000);

  it("writes a YAML program whose next preview shows no change and makes no request", async () => {
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
      const { output } = await project.preview({ args: ["--expect-no-changes", "--diff"] });
      assert.match(output, /8 unchanged/);
      assert.match((await project.up()).output, /8 unchanged/);
      assert.deepEqual(emulator.requests, []);
    } finally {
      await world.remove();
    }
  });
});
