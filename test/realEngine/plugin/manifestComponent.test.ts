// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests and programs have variables

import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isLarge, slowIt } from "../../environment";
import { World } from "../world";
import { nativeWorld, pluginFolder, pluginSection, prelude, yamlProgram, yamlWorld } from "./nativeWorld";

const manifest = (options = "") => `
config:
  token: { type: string, secret: true }
resources:
  manifest:
    type: webextract:Manifest
    name: tasks
    properties:
      path: tasks
      variables: { shop: "https://shop.test", token: "\${token}" }
${options}
outputs:
  tasks: \${manifest.tasks}
  runs: \${manifest.runs}
  exports: \${manifest.exports}
`;

const novels = `
from: { sourceTaskId: template-1, taskGroupId: group-1 }
actions:
  open: { actionType: NavigateAction, properties: { Url: "\${shop}/novels/", Wait: 2, Cookie: "token=\${token}" } }
startUrls: { urls: ["\${shop}/a", "\${shop}/b"] }
run: { timeoutSeconds: 60, waitFor: finished }
exports:
  rows: { path: "rows/{lotNo}.ndjson" }
`;

const kids = "from: { adoptTaskId: template-2 }\nrun: { triggers: 012 }\n";

const properties = { Url: "https://old.test/", Wait: "1", Cookie: "" };
const seed = {
  taskGroups: [{ taskGroupId: "group-1" }],
  tasks: ["template-1", "template-2"].map((taskId) => ({
    taskId,
    taskGroupId: "group-1",
    syntheticRows: 3,
    actions: [{ actionType: "NavigateAction", actionId: "open", properties }],
  })),
};

const options = {
  seed,
  secrets: { "test:token": "very-secret-token" },
  files: { "tasks/novels.yaml": novels, "tasks/kids.yaml": kids },
};

const written = (world: World): string[] => world.operations().filter((name) => !name.startsWith("get"));

describe("a Manifest of a YAML program", () => {
  let world: World;
  before(async () => {
    world = await yamlWorld(manifest(), options);
  });
  after(() => world.remove());

  it("declares the resources of the manifests, gives their ids, and shows no change later", async () => {
    const { output } = await world.project.run(["up", "--yes"]);
    for (const each of ["ExtractionTask novels", "CloudRun kids", "DataExport novels-rows"]) {
      assert.match(output, new RegExp(`webextract:index:${each} create \n[^]*webextract:index:${each} created`));
    }
    const { resources } = world.project.state();
    const [novels, run, rows] = ["ExtractionTask::novels", "CloudRun::novels", "DataExport::novels-rows"].map((end) =>
      resources.find(({ urn }) => urn.endsWith(end)),
    );
    const outputs = await world.project.outputs();
    assert.deepEqual(outputs.tasks, { kids: "template-2", novels: novels?.id });
    assert.equal((outputs.runs as Record<string, string>).novels, run?.id);
    assert.deepEqual(outputs.exports, { "novels-rows": { file: rows?.outputs?.file, rowCount: 3 } });
    await world.project.up({ args: ["--refresh", "--expect-no-changes"] });
  });

  it("keeps a secret variable secret in all that is made of it", () => {
    assert.deepEqual(world.project.findWritten(["very-secret-token"]), []);
    assert.match(JSON.stringify(world.emulator.requests), /token=very-secret-token/);
  });

  it("starts a run again when its task changes, and takes a rename for one", async () => {
    world.operations();
    world.project.write(
      "tasks/novels.yaml",
      `was: [novels]\nname: books\n${novels.replace("Wait: 2", "Wait: 3, Waits: 4")}`,
    );
    world.project.write("tasks/kids.yaml", `${kids}onDelete: retain #always\n`);
    const { output } = await world.project.up();
    assert.match(output, /warning: Manifest "tasks" has a warning:\n *tasks\/kids\.yaml:3:18: ends before " #"/);
    assert.match(output, /ExtractionTask books updated/);
    assert.match(output, /does not show property "Waits" of action "open" \(did you mean "Wait"\?\)/);
    assert.match(output, /CloudRun books created replacement/);
    assert.deepEqual(written(world), ["updateTaskParameters", "startTask"]);
  });

  slowIt("shows what a preview leaves out as unknown", async () => {
    world.project.write("tasks/more.yaml", novels);
    world.project.write("tasks/soon.yaml", novels.replace(", waitFor: finished", ""));
    const { output } = await world.project.run(["preview", "--refresh", "--exclude", "**more**"]);
    assert.doesNotMatch(output, /struct type|error/);
    assert.match(output, /warning: DataExport "soon-rows" takes lotNo from CloudRun "soon", which does not wait/);
    rmSync(join(world.project.folder, "tasks/soon.yaml"));
    assert.match(output, /unchanged/);
  });

  it("refuses all problems of all files at preview, each with its place", async () => {
    world.project.write(
      "tasks/kids.yaml",
      'from: { adoptTaskId: template-2 }\nactoins: {}\nrun: { triggers: "${nothing}" }\n',
    );
    world.project.write("tasks/more.yaml", "from: { sourceTaskId: 1 }\n");
    const { output } = await world.project.preview({ expect: "failure" });
    assert.match(output, /Manifest "tasks" has \d+ problems:/);
    assert.match(output, /tasks\/kids\.yaml:2:1 actoins: /);
    assert.match(output, /tasks\/kids\.yaml:3:18 run\.triggers: .*\$\{nothing\}/);
    assert.match(output, /tasks\/more\.yaml:1:7 from\.taskGroupId: /);
    assert.doesNotMatch(output, /\n +at /);
  });
});

describe("a Manifest of a YAML program, with options", () => {
  const protectedBy = "    options: { protect: true, ignoreChanges: [path] }\n";

  it("refuses an option that would do nothing, and gives protect to its resources", async () => {
    const world = await yamlWorld(manifest(protectedBy), options);
    try {
      const { output } = await world.project.preview({ expect: "failure" });
      assert.match(
        output,
        /Manifest "tasks": the option has no effect on a Manifest: ignoreChanges\. Nothing was declared/,
      );
      world.project.write("Pulumi.yaml", yamlProgram(manifest("    options: { protect: true }\n")));
      await world.project.up();
      const own = world.project.state().resources.filter(({ type }) => type.startsWith("webextract:"));
      assert.deepEqual(
        own.map(({ protect }) => protect),
        own.map(() => true),
      );
      assert.equal(own.length, 6);
    } finally {
      await world.remove();
    }
  });

  slowIt("gives its resources the provider that the program declares, and waits for what it depends on", async () => {
    const other = `
  account:
    type: pulumi:providers:webextract
    properties: { baseUrl: "\${baseUrl}", accessToken: "\${accessToken}", apiKey: "\${apiKey}" }
  first:
    type: webextract:ExtractionTask
    properties: { from: { sourceTaskId: template-1, taskGroupId: group-1 } }
    options: { provider: "\${account}" }
`;
    const text = manifest('    options: { provider: "${account}", dependsOn: ["${first}"] }\n');
    const config =
      "  baseUrl: { type: string }\n  accessToken: { type: string, secret: true }\n  apiKey: { type: string, secret: true }\nresources:";
    const world = await yamlWorld(text, options);
    try {
      const { accessToken, apiKey } = world.emulator.credentials;
      await world.project.configure(
        { "test:baseUrl": world.emulator.url },
        { "test:accessToken": accessToken, "test:apiKey": apiKey },
      );
      world.project.write(
        "Pulumi.yaml",
        yamlProgram(text.replace("resources:", config).replace("resources:\n", `resources:${other}`)),
      );
      await world.project.up();
      const { resources } = world.project.state();
      const children = resources.filter(({ urn }) => urn.includes("Manifest$"));
      assert.equal(children.length, 5);
      for (const { provider, dependencies } of children) {
        assert.match(String(provider), /::account::/);
        assert.ok(dependencies?.some((each) => each.endsWith("::first")));
      }
    } finally {
      await world.remove();
    }
  });

  slowIt("says only what failed without --continue-on-error too, and the next up does the rest", async () => {
    const world = await yamlWorld(manifest(), options);
    try {
      world.emulator.fault({ operation: "copyTask", kind: "error", code: "InvalidParameter" });
      const { output } = await world.project.up({ expect: "failure" });
      assert.match(output, /ExtractionTask \(novels\):\s+error: copyTask/);
      assert.doesNotMatch(output, /grpc|resource 'tasks' has a problem/);
      await world.project.up();
      await world.project.up({ args: ["--expect-no-changes"] });
    } finally {
      await world.remove();
    }
  });

  it("says only what failed, goes on with the other tasks with --continue-on-error, and the next up does the rest", async () => {
    const world = await yamlWorld(manifest(), options);
    try {
      world.emulator.fault({ operation: "copyTask", kind: "error", code: "InvalidParameter" });
      const { output } = await world.project.up({ expect: "failure", args: ["--continue-on-error"] });
      assert.match(output, /ExtractionTask \(novels\):\s+error: copyTask/);
      assert.doesNotMatch(output, /grpc|resource 'tasks' has a problem/);
      assert.deepEqual(written(world).sort(), ["copyTask", "startTask"]);
      world.operations();
      await world.project.up();
      const later = written(world);
      assert.equal(later[0], "copyTask");
      assert.equal(later.filter((name) => name === "startTask").length, 1);
    } finally {
      await world.remove();
    }
  });
});

describe("a Manifest whose command is killed", () => {
  for (const kill of ["engine", "machine"] as const) {
    const test = kill === "engine" ? it : slowIt;
    test(`is continued by the next up, without a second copy (kill of the ${kill})`, async () => {
      // Alone: the run of another task could be at its start.
      const world = await yamlWorld(manifest(), { ...options, files: { "tasks/novels.yaml": novels } });
      try {
        const hold = world.emulator.hold({ operation: "copyTask", when: "after" });
        const run = world.project.start(["up", "--yes", "--skip-preview"]);
        await Promise.race([hold.reached, run.done.then(({ output }) => assert.fail(output))]);
        if (kill === "machine") {
          run.killAll();
          hold.release();
        } else {
          const ended = run.killEngine();
          hold.release();
          await ended;
        }
        await run.done;
        await world.project.run(["cancel", "--yes"]);
        const { output } = await world.project.up({ expect: "either" });
        if (kill === "machine") {
          // The response was lost with the machine, so only the user can say whether there is a copy.
          assert.match(output, /A copy of task "template-1" in group "group-1" may exist/);
          const copied = world.copies().find((id) => id !== "template-2");
          const manifestOf = novels.replace("from: {", `from: { adoptTaskId: ${copied},`);
          world.project.write("tasks/novels.yaml", manifestOf);
          await world.project.up();
        } else {
          assert.match(output, /a copy of task "novels"|It was taken over/);
        }
        assert.equal(world.emulator.findRequests({ operation: "copyTask" }).length, 1);
        await world.project.up({ args: ["--expect-no-changes"] });
      } finally {
        await world.remove();
      }
    });
  }
});

describe("a Manifest with a variable that a preview does not know", () => {
  it("makes unknown what has the variable, and no more", async () => {
    const source =
      "  first:\n    type: webextract:TaskCopy\n    properties: { sourceTaskId: template-1, taskGroupId: group-1 }\n";
    const text = manifest()
      .replace("resources:\n", `resources:\n${source}`)
      .replace('"https://shop.test"', '"https://shop.test/${first.taskId}"');
    const world = await yamlWorld(text, options);
    try {
      const { steps } = await world.project.previewJson();
      const inputsOf = (end: string) => steps.find(({ urn }) => urn.endsWith(end))?.newState?.inputs;
      const { actions, startUrls } = inputsOf("ExtractionTask::novels") as {
        actions: Record<string, { properties: object }>;
        startUrls: object;
      };
      const unknownText = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
      assert.equal((startUrls as { urls: unknown }).urls, unknownText);
      assert.deepEqual(actions.open?.properties, { Url: unknownText, Wait: "2", Cookie: "[secret]" });
      assert.deepEqual(inputsOf("ExtractionTask::kids")?.from, { adoptTaskId: "template-2" });
      await world.project.up();
      assert.match(JSON.stringify(world.emulator.requests), /https:\/\/shop\.test\/[0-9a-f-]{36}\/novels/);
    } finally {
      await world.remove();
    }
  });
});

describe("a Manifest whose variables a preview does not know at all", () => {
  slowIt("makes unknown what has a variable, and refuses one as a name", async () => {
    const program = `
const first = native("TaskCopy", "first", { sourceTaskId: "template-1", taskGroupId: "group-1" });
const variables = first.taskId.apply((id) => ({ shop: "https://shop.test/" + id, token: "a" }));
exports.tasks = new pulumi.ComponentResource("webextract:index:Manifest", "tasks", { path: "tasks", variables, tasks: undefined }, {}, true).tasks;`;
    const named = { ...options.files, "tasks/kids.yaml": `name: \${shop}\n${kids}` };
    const world = await nativeWorld({ ...options, files: named, program });
    try {
      const { output } = await world.project.preview({ expect: "failure" });
      assert.match(output, /tasks\/kids\.yaml:1:7 name: must be known when the program runs/);
      world.project.write("tasks/kids.yaml", kids);
      const { steps } = await world.project.previewJson();
      const { startUrls } = steps.find(({ urn }) => urn.endsWith("ExtractionTask::novels"))?.newState?.inputs ?? {};
      assert.equal((startUrls as { urls: unknown }).urls, "04da6b54-80e4-46f7-96ec-b56ff0331ba9");
    } finally {
      await world.remove();
    }
  });
});

describe("a Manifest of a program with transforms", () => {
  const program = (transform: string): string => `
const args = { path: "tasks", variables: { shop: "https://shop.test", token: "a" }, tasks: undefined };
const transforms = [${transform}];
exports.tasks = new pulumi.ComponentResource("webextract:index:Manifest", "tasks", args, { transforms }, true).tasks;
`;

  slowIt("gives its resources to them, and goes on after one that throws", async () => {
    const throws = '({ type }) => { if (type.endsWith("DataExport")) throw new Error("not today"); }';
    const world = await nativeWorld({ ...options, program: program(throws) });
    try {
      const { output } = await world.project.up({ expect: "failure" });
      assert.match(output, /DataExport "novels-rows" was not declared: .*not today/);
      assert.doesNotMatch(output, /exited prematurely|\n +at .*pluginProcess/);
      assert.deepEqual(written(world).sort(), [
        "copyTask",
        "startTask",
        "startTask",
        "updateTaskParameters",
        "updateTaskUrls",
      ]);
      const changes =
        '({ type, props, opts }) => type.endsWith("DataExport") ? { props: { ...props, format: "csv" }, opts: { ...opts, protect: true } } : undefined';
      world.program(prelude + program(changes));
      await world.project.up();
      const rows = world.project.state().resources.find(({ urn }) => urn.endsWith("DataExport::novels-rows"));
      assert.deepEqual([rows?.inputs?.format, rows?.protect], ["csv", true]);
    } finally {
      await world.remove();
    }
  });
});

describe("a stack of the class Manifest", () => {
  const classes = `
const { Manifest } = require("pulumi-webextract");
const token = new pulumi.Config().requireSecret("token");
new Manifest("tasks", { path: "tasks", variables: { shop: "https://shop.test", token } });
`;

  for (const native of ["false", "true"]) {
    const test = native === "true" ? it : slowIt;
    test(`becomes one of the component${isLarge ? " and back" : ""} with no change and no request, with webextract:native ${native}`, async () => {
      const config = { "webextract:native": native };
      const world = await World.create({ ...options, program: classes, config, path: [pluginFolder()] });
      try {
        await world.project.up();
        world.operations();
        const before = readFileSync(join(world.project.folder, "Pulumi.yaml"), "utf8");
        world.project.write("Pulumi.yaml", `name: test\nruntime: yaml\n${pluginSection()}${manifest()}`);
        await world.project.up({ args: ["--expect-no-changes"] });
        assert.deepEqual(world.operations(), []);
        if (!isLarge) {
          return;
        }
        await world.project.configure({ "webextract:native": "true" });
        world.project.write("Pulumi.yaml", before);
        await world.project.up({ args: ["--expect-no-changes"] });
        assert.deepEqual(world.operations(), []);
      } finally {
        await world.remove();
      }
    });
  }
});
