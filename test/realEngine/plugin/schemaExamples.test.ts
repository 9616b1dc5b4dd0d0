import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { schemaExamples } from "../../scripts/schemaExamples";
import { repositoryRoot } from "../harness";
import { YamlWorld } from "./yamlWorld";

describe("the YAML examples in schema.json on the engine", function () {
  this.timeout(120_000);

  it("each declare what they refer to, and pass a preview together", async () => {
    const all: Record<string, { type: string }> = {};
    for (const { type, code } of schemaExamples()) {
      const { resources } = parse(code.yaml ?? "");
      const named = [...(code.yaml ?? "").matchAll(/\$\{([\w-]+)/g)].map(([, name = ""]) => name);
      assert.deepEqual(
        named.filter((name) => !Object.hasOwn(resources, name)),
        [],
        type,
      );
      Object.assign(all, resources);
    }
    const world = await YamlWorld.create({ resources: all });
    try {
      for (const file of ["shelves.txt", "tasks/novels.yaml"]) {
        world.project.write(file, readFileSync(join(repositoryRoot, "examples", "reference", file), "utf8"));
      }
      const { output } = await world.project.preview();
      assert.match(output, /\+ 13 to create/);
      assert.equal(Object.keys(all).length, 11);
      assert.deepEqual(world.emulator.requests, []);
    } finally {
      await world.remove();
    }
  });
});
