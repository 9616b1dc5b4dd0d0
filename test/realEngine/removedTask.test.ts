import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { isLarge } from "../environment";
import { yamlWorld } from "./plugin/nativeWorld";
import { template, World } from "./world";

const task = `
from: { sourceTaskId: template-1, taskGroupId: group-1 }
run: { waitFor: finished, pollSeconds: 0 }
exports: { rows: { path: "{lotNo}.ndjson" } }
`;
const options = {
  seed: template,
  files: {
    "tasks/novels.yaml": task,
    "tasks/kids.yaml": task,
    "tasks/stays.yaml": "from: { adoptTaskId: template-1 }\n",
  },
};
const fronts: readonly (readonly [front: string, make: () => Promise<World>])[] = [
  [
    "of the class Manifest",
    () =>
      World.create({
        ...options,
        program: 'new (require("pulumi-webextract").Manifest)("tasks", { path: "tasks" });\n',
      }),
  ],
  [
    "of the component Manifest",
    () => yamlWorld("resources:\n  tasks:\n    type: webextract:Manifest\n    properties: { path: tasks }\n", options),
  ],
];

for (const [front, make] of isLarge ? fronts : fronts.slice(1)) {
  describe(`a task whose manifest is removed, ${front}`, () => {
    let world: World;
    before(async () => {
      world = await make();
      await world.project.up();
      world.operations();
    });
    after(() => world.remove());
    const idOf = (name: string): string =>
      String(world.project.state().resources.find(({ urn }) => urn.endsWith(`ExtractionTask::${name}`))?.id);

    it("is refused while it has rows, and the command of the error keeps them and ends that", async () => {
      const id = idOf("novels");
      rmSync(join(world.project.folder, "tasks/novels.yaml"));
      const { output } = await world.project.up({ expect: "failure" });
      assert.match(output, new RegExp(`WEBEXTRACT_FORCE_DESTROY=${id} `));
      assert.match(output, /docs\/how-to\/manifests\.md#remove-a-task/);
      assert.doesNotMatch(output, /paid run/);
      const again = await world.project.up({ expect: "failure" });
      const [, urn = ""] =
        /To keep the task and its rows: pulumi state delete '?(urn:[^'\s]+)/.exec(again.output) ?? [];
      await world.project.run(["state", "delete", urn, "--yes"]);
      await world.project.up({ args: ["--expect-no-changes"] });
      assert.equal(world.emulator.inspect.rows(id).length, 25);
      assert.ok(!world.operations().some((each) => each === "startTask" || each === "removeData"));
    });

    it("goes with its rows in one step, if the environment allows it", async () => {
      const id = idOf("kids");
      rmSync(join(world.project.folder, "tasks/kids.yaml"));
      await world.project.up({ env: { WEBEXTRACT_FORCE_DESTROY: id } });
      assert.equal(world.emulator.inspect.rows(id).length, 0);
      await world.project.up({ args: ["--expect-no-changes"] });
    });
  });
}
