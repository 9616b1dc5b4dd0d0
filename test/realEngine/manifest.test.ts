// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests have variables

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { slowIt } from "../environment";
import type { StateResource } from "./harness";
import { World } from "./world";

const manifestProgram = `
const { Manifest } = require("pulumi-webextract");
const config = new pulumi.Config();
const template = new ExtractionTask("template", { from: { adoptTaskId: "template-1" } });
const variables = { shop: "https://shop.test", token: config.requireSecret("token"), source: template.id };
const manifest = new Manifest("tasks", { path: "tasks", variables });
exports.lotNo = manifest.runs["novels"].lotNo;
exports.file = manifest.exports["novels-rows"].file;
exports.tasks = Object.values(manifest.tasks).map((task) => task.id);
`;

const novels = `
from: { sourceTaskId: "\${source}", taskGroupId: group-1 }
actions:
  open: { actionType: NavigateAction, properties: { Url: "\${shop}/novels/", Wait: 2, Cookie: "token=\${token}" } }
  each: { actionType: LoopAction, loop: { loopType: UrlList, items: ["\${shop}/1", "\${shop}/2"] } }
startUrls: { urls: ["\${shop}/a"] }
onDelete: retain
run: { timeoutSeconds: 60 }
exports:
  rows: { path: "rows/{lotNo}.ndjson" }
  all:
    path: all.csv
    scope: all
    format: csv
    checks: { maxDrop: 0.5, fields: { price: { filled: 1 }, number: { unique: true } }, schema: row.schema.json }
`;

const schemaFile = "row.schema.json";
const rowSchema = JSON.stringify({
  properties: { number: { type: "string", pattern: "^\\d+$" } },
  required: ["number"],
});

const kids = `
from: { adoptTaskId: template-2 }
run: { triggers: 012 }
`;

const twin = `
const config = new pulumi.Config();
const template = new ExtractionTask("template", { from: { adoptTaskId: "template-1" } });
const shop = "https://shop.test";
const kids = new ExtractionTask("kids", { from: { adoptTaskId: "template-2" } });
const novels = new ExtractionTask("novels", {
  from: { sourceTaskId: template.id, taskGroupId: "group-1" },
  actions: {
    open: {
      actionType: "NavigateAction",
      properties: { Url: shop + "/novels/", Wait: "2", Cookie: pulumi.interpolate\`token=\${config.requireSecret("token")}\` },
    },
    each: { actionType: "LoopAction", loop: { loopType: "UrlList", items: [shop + "/1", shop + "/2"] } },
  },
  startUrls: { urls: [shop + "/a"] },
  onDelete: "retain",
});
new CloudRun("kids", { taskId: kids.id, triggers: "012" });
const run = new CloudRun("novels", { taskId: novels.id, rerunOn: [novels], timeoutSeconds: 60 });
new DataExport("novels-rows", { taskId: novels.id, scope: "batch", lotNo: run.id, path: "rows/{lotNo}.ndjson" });
const checks = { maxDrop: 0.5, fields: { price: { filled: 1 }, number: { unique: true } }, schema: "row.schema.json" };
new DataExport("novels-all", { taskId: novels.id, scope: "all", path: "all.csv", format: "csv", checks });
`;

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
      { actionType: "LoopAction", actionId: "each", loopType: "UrlList", loopItems: ["https://old.test/item"] },
    ],
  })),
};

const options = { seed, secrets: { "test:token": "very-secret-token" } };

/** Inputs by type and name, without the ids of the service. */
function inputsOf(world: World): Record<string, unknown> {
  const resources = world.project.state().resources.filter(({ type }) => type.includes("webextract:"));
  const entries = resources
    .filter(({ type }) => type !== "webextract:index:Manifest")
    .map(({ type, urn, inputs }) => [`${type.split(":").at(-1)} ${urn.split("::").at(-1)}`, withoutIds(inputs)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
}

function withoutIds(value: unknown): unknown {
  const text = JSON.stringify(value ?? null, (key, each) => (key === "ciphertext" ? "secret" : each));
  return JSON.parse(text.replace(/"(?:task-\d+|[0-9a-f-]{36}|\d{18})"/g, '"id"').replace(/"[0-9a-f]{64}"/g, '"hash"'));
}

function requestsOf(world: World): string[] {
  return world.emulator.requests
    .map(({ operation, body, query }) => JSON.stringify(withoutIds([operation, body, query])))
    .sort();
}

describe("a manifest on the engine", () => {
  let world: World;
  before(async () => {
    world = await World.create({ ...options, program: manifestProgram });
    world.project.write("tasks/novels.yaml", novels);
    world.project.write("tasks/kids.yaml", kids);
    world.project.write(schemaFile, rowSchema);
  });
  after(() => world.remove());

  const files = (contents: Readonly<Record<string, string>>): void => {
    rmSync(join(world.project.folder, "tasks"), { recursive: true });
    for (const [name, text] of Object.entries(contents)) {
      world.project.write(`tasks/${name}`, text);
    }
  };
  const changes = async (): Promise<Record<string, number>> => (await world.project.previewJson()).changeSummary;

  describe("with a link to a file outside of the program's folder", () => {
    let outside: string;
    before(() => {
      outside = mkdtempSync(join(tmpdir(), "webextract-outside-"));
      writeFileSync(join(outside, "far.yaml"), kids.replace("template-2", "template-3"));
    });
    after(() => rmSync(outside, { recursive: true }));
    const link = (to: World) => symlinkSync(join(outside, "far.yaml"), join(to.project.folder, "tasks/far.yaml"));

    it("does not read that file, and shows all errors in a preview, with their positions and without a stack trace", async () => {
      files({
        "a.yaml": "from: { adoptTaskId: x }\nacions: {}\n",
        "b.yaml": "from: { adoptTaskId: y }\nstartUrls: { file: tasks/none.txt }\n",
        "novels.yaml": novels.replace("source}", "sauce}"),
      });
      link(world);
      const { output } = await world.project.preview({ expect: "failure" });
      assert.ok(output.includes('Manifest "tasks" has 4 problems:'), output);
      assert.ok(
        output.includes('tasks/b.yaml:2:20 startUrls.file: names "tasks/none.txt", which does not exist'),
        output,
      );
      assert.ok(output.includes('tasks/a.yaml:2:1 acions: is not a valid name; did you mean "actions"?'), output);
      assert.ok(output.includes("tasks/novels.yaml:2:23 from.sourceTaskId: has the variable ${sauce}"), output);
      assert.match(output, /tasks\/far\.yaml: is the file ".*far\.yaml", which is outside of the program's folder/);
      assert.doesNotMatch(output, /\n\s+at /);
      files({ "novels.yaml": novels, "kids.yaml": kids });
    });

    slowIt(
      "reads the file if its folder is allowed, shows every resource in a preview without a credential, and makes no request",
      async () => {
        const bare = await World.create({ ...options, withCredentials: false, program: manifestProgram });
        try {
          bare.project.write("tasks/novels.yaml", novels);
          bare.project.write("tasks/kids.yaml", kids);
          bare.project.write(schemaFile, rowSchema);
          link(bare);
          const { steps } = await bare.project.previewJson({ env: { WEBEXTRACT_ALLOWED_FOLDERS: outside } });
          const names = steps.map(({ urn }) =>
            urn
              .split("::")
              .slice(-2)
              .join(" ")
              .replace(/.*[:$]/, ""),
          );
          assert.deepEqual(names.filter((name) => !name.startsWith("Stack")).sort(), [
            "CloudRun far",
            "CloudRun kids",
            "CloudRun novels",
            "DataExport novels-all",
            "DataExport novels-rows",
            "ExtractionTask far",
            "ExtractionTask kids",
            "ExtractionTask novels",
            "ExtractionTask template",
            "Manifest tasks",
          ]);
          assert.deepEqual(bare.operations(), []);
        } finally {
          await bare.remove();
        }
      },
    );
  });

  it("creates the resources, inputs and requests of the same program in TypeScript", async () => {
    const other = await World.create({ ...options, program: twin });
    try {
      other.project.write(schemaFile, rowSchema);
      await Promise.all([world.project.up(), other.project.up()]);
      assert.deepEqual(inputsOf(world), inputsOf(other));
      const checked = world.project.resource("novels-all").outputs?.checked as Record<string, unknown>;
      assert.deepEqual([checked.failed, checked.invalid], [[], 0]);
      assert.ok(Object.keys(inputsOf(world)).length === 7);
      assert.deepEqual(requestsOf(world), requestsOf(other));
      const parents = (of: World): (StateResource["parent"] | undefined)[] =>
        of.project.state().resources.map(({ parent }) => parent);
      assert.ok(parents(world).some((parent) => parent?.endsWith("webextract:index:Manifest::tasks")));
    } finally {
      await other.remove();
    }
    assert.deepEqual(world.project.findWritten(["very-secret-token"]), []);
  });

  slowIt("shows no change when keys are reordered, files are reformatted and tasks move", async () => {
    files({
      "all/everything.yml": `# all of them
defaults: &unused { onDelete: retain }
tasks:
  novels:
    exports:
      all:
        checks: { schema: row.schema.json, fields: { number: { unique: true }, price: { filled: 1 } }, maxDrop: 0.5 }
        format: csv
        scope: all
        path: all.csv
      rows:
        path: 'rows/{lotNo}.ndjson'
    run:
      timeoutSeconds: 60
    startUrls:
      urls:
        - \${shop}/a
    actions:
      each:
        loop: { items: ["\${shop}/1", "\${shop}/2"], loopType: "UrlList" }
        actionType: "LoopAction"
      open:
        properties: { Wait: "2", Url: "\${shop}/novels/", Cookie: "token=\${token}" }
        actionType: NavigateAction
    from: { taskGroupId: "group-1", sourceTaskId: "\${source}" }
---
${kids}onDelete: ~
name: kids
`,
    });
    assert.deepEqual(await changes(), { same: 9 });
  });

  it("shows a rename as a rename, and makes no request and starts no run", async () => {
    const renamed = novels.replace("\nfrom", "\nname: stories\nwas: [novels]\nfrom");
    files({ "novels.yaml": renamed, "kids.yaml": kids });
    world.program(manifestProgram.replaceAll("novels", "stories"));
    world.operations();
    const { output } = await world.project.up({ args: ["--expect-no-changes"] });
    assert.match(output, /9 unchanged/);
    assert.deepEqual(world.operations(), []);
    const names = world.project.state().resources.map(({ urn }) => urn.split("::").at(-1));
    assert.deepEqual(names.filter((name) => /novels|stories/.test(name ?? "")).sort(), [
      "stories",
      "stories",
      "stories-all",
      "stories-rows",
    ]);
  });

  slowIt("passes the options of a resource to the engine", async () => {
    const protectedTask = novels.replace(
      "\nfrom",
      "\nname: stories\nopts: { protect: true, retainOnDelete: true, ignoreChanges: [startUrls] }\nfrom",
    );
    files({ "novels.yaml": protectedTask.replace("/a", "/b"), "kids.yaml": kids });
    world.operations();
    await world.project.up();
    assert.deepEqual(world.operations(), []);
    const stories = world.project.state().resources.filter(({ urn }) => urn.endsWith(":ExtractionTask::stories"));
    assert.deepEqual(
      stories.map(({ protect, retainOnDelete }) => ({ protect, retainOnDelete })),
      [{ protect: true, retainOnDelete: true }],
    );
    files({ "kids.yaml": `${kids}onDelete: retain #always\n` });
    world.program(manifestProgram.replace(/^exports.*$/gm, ""));
    const { output } = await world.project.preview({ expect: "failure" });
    assert.match(output, /warning: Manifest "tasks" has a warning:\n *tasks\/kids\.yaml:4:18: ends before " #"/);
    assert.match(output, /protect/);
  });
});
