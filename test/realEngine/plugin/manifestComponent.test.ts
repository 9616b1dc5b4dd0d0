// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests and programs have variables

import assert from "node:assert/strict";
import type { World } from "../world";
import { yamlProgram, yamlWorld } from "./nativeWorld";

const program = `
config:
  token: { type: string, secret: true }
resources:
  template:
    type: webextract:ExtractionTask
    properties: { from: { adoptTaskId: template-1 } }
  manifest:
    type: webextract:Manifest
    name: tasks
    properties:
      path: tasks
      variables: { shop: "https://shop.test", token: "\${token}", source: "\${template.id}" }
outputs:
  tasks: \${manifest.tasks}
  runs: \${manifest.runs}
  exports: \${manifest.exports}
`;

const novels = `
from: { sourceTaskId: "\${source}", taskGroupId: group-1 }
actions:
  open: { actionType: NavigateAction, properties: { Url: "\${shop}/novels/", Wait: 2, Cookie: "token=\${token}" } }
startUrls: { urls: ["\${shop}/a"] }
run: { timeoutSeconds: 60 }
exports:
  rows: { path: "rows/{lotNo}.ndjson" }
`;

const kids = "from: { adoptTaskId: template-2 }\nrun: { triggers: 012 }\n";

const seed = {
  taskGroups: [{ taskGroupId: "group-1" }],
  tasks: ["template-1", "template-2"].map((taskId) => ({
    taskId,
    taskGroupId: "group-1",
    syntheticRows: 3,
    actions: [
      {
        actionType: "NavigateAction",
        actionId: "open",
        properties: { Url: "https://old.test/", Wait: "1", Cookie: "" },
      },
    ],
  })),
};

const options = {
  seed,
  secrets: { "test:token": "very-secret-token" },
  files: { "tasks/novels.yaml": novels, "tasks/kids.yaml": kids },
};

describe("a Manifest of a YAML program", () => {
  let world: World;
  before(async () => {
    world = await yamlWorld(program, options);
  });
  after(() => world.remove());

  it("declares the resources of the manifests and gives their ids", async () => {
    const { output } = await world.project.preview();
    console.log(output);
    const up = await world.project.up();
    console.log(up.output, JSON.stringify(world.project.outputs(), null, 1));
    console.log(world.project.state().resources.map((each) => each.urn));
    await world.project.up({ args: ["--expect-no-changes"] });
  });
});
void yamlProgram;
