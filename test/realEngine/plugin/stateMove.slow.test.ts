// biome-ignore-all lint/suspicious/noTemplateCurlyInString: programs and paths have variables

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { World } from "../world";
import { World as ClassWorld } from "../world";
import { yamlWorld } from "./nativeWorld";

const from = "from: { sourceTaskId: template-1, taskGroupId: group-1 }\n";
const manifest = `${from}run: { waitFor: finished }\nexports:\n  rows: { path: "rows/{lotNo}.ndjson" }\n`;

/** The same, for resources that have lost the component as their parent. */
const moved = (was: (type: string, name: string) => string): string => `${from}was: ["${was("ExtractionTask", "shop")}"]
run: { waitFor: finished, was: ["${was("CloudRun", "shop")}"] }
exports:
  rows: { path: "rows/{lotNo}.ndjson", was: ["${was("DataExport", "shop-rows")}"] }
`;

const programs = {
  "the component": (files: Record<string, string>) =>
    yamlWorld(
      'resources:\n  tasks:\n    type: webextract:Manifest\n    properties: { path: "tasks/${pulumi.stack}" }\n',
      { files },
    ),
  "the class": (files: Record<string, string>) =>
    ClassWorld.create({
      program:
        'const { Manifest } = require("pulumi-webextract");\nnew Manifest("tasks", { path: `tasks/${pulumi.getStack()}` });\n',
      files,
    }),
};

const shard = (command: string): string => `pulumi --stack shard-2 --non-interactive ${command}`;
const sameUp = "up --yes --skip-preview --expect-no-changes";

/** A second stack of the same project and program, with its own folder of manifests. */
async function withShard({ project }: World): Promise<void> {
  await project.shell("pulumi stack init shard-2 --secrets-provider hashivault://test --no-select");
  const settings = readFileSync(join(project.folder, "Pulumi.dev.yaml"), "utf8");
  project.write("Pulumi.shard-2.yaml", settings);
}

const move = (urns: readonly string[]): string =>
  `pulumi state move --yes --source organization/test/dev --dest organization/test/shard-2 ${urns.map((each) => `'${each}'`).join(" ")}`;

for (const [title, create] of Object.entries(programs)) {
  describe(`state move of what ${title} Manifest declares`, function () {
    this.timeout(300_000);

    it("hands over a task with its run and export, whose new URNs are in was: nothing is copied or started", async () => {
      const world = await create({
        "tasks/dev/shop.yaml": manifest,
        "tasks/dev/books.yaml": from,
        "tasks/shard-2/kids.yaml": from,
      });
      const { project } = world;
      try {
        await project.up();
        await withShard(world);
        await project.shell(shard("up --yes --skip-preview"));
        world.operations();
        const urns = ["ExtractionTask::shop", "CloudRun::shop", "DataExport::shop-rows"].map(
          (end) => project.state().resources.find(({ urn }) => urn.endsWith(end))?.urn ?? assert.fail(end),
        );
        await project.shell(move(urns));
        const was = (type: string, name: string): string =>
          `urn:pulumi:shard-2::test::${urns.find((each) => each.endsWith(`${type}::${name}`))?.split("$")[1]}`;
        project.write("tasks/shard-2/shop.yaml", moved(was));
        await project.shell("rm tasks/dev/shop.yaml");
        await project.shell(`pulumi --stack dev --non-interactive ${sameUp}`);
        await project.shell(shard(sameUp));
        // The earlier URNs are needed once.
        project.write("tasks/shard-2/shop.yaml", manifest);
        await project.shell(shard(sameUp));
        assert.deepEqual(world.operations(), []);
      } finally {
        await world.remove();
      }
    });

    it("moves the component with all that it has", async () => {
      const world = await create({ "tasks/dev/shop.yaml": manifest, "tasks/shard-2/shop.yaml": manifest });
      const { project } = world;
      try {
        await project.up();
        await withShard(world);
        world.operations();
        const component = project.state().resources.find(({ type }) => /Manifest$/.test(type));
        await project.shell(move([String(component?.urn)]));
        await project.shell(shard(sameUp));
        assert.deepEqual(world.operations(), []);
      } finally {
        await world.remove();
      }
    });
  });
}
