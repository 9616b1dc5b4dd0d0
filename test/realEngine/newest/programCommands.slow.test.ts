import assert from "node:assert/strict";
import { readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { runTool } from "../../../scripts/commands";
import { ensureProgram } from "../../../scripts/engine/cachedProgram";
import { ensureHosts } from "../../../scripts/engine/hosts";
import { generatePrograms, packSdks } from "../../../scripts/schema/generateSdks";
import { newest, packTarball, repositoryRoot } from "../harness";
import { pluginFolder, pluginSection, yamlWorld } from "../plugin/nativeWorld";
import { World } from "../world";

const program = `resources:
  copy:
    type: webextract:ExtractionTask
    properties:
      from: { sourceTaskId: template-1, taskGroupId: group-1 }
      actions:
        open: { actionType: NavigateAction, properties: { Url: "https://new.test/", Wait: 2 } }
        each: { actionType: LoopAction, loop: { loopType: UrlList, items: ["https://new.test/item"] } }
      forceDestroy: true
  run:
    type: webextract:CloudRun
    properties: { taskId: "\${copy.id}", rerunOn: ["\${copy}"], waitFor: finished, pollSeconds: 0.1 }
  rows:
    type: webextract:DataExport
    properties: { taskId: "\${copy.id}", scope: batch, lotNo: "\${run.id}", path: "rows-{lotNo}.ndjson" }
outputs:
  file: \${rows.file}
`;

/** Pulumi's releases contain it. */
const converter = () =>
  ensureProgram({
    title: "the converter of programs in YAML",
    neededBy: "pulumi convert needs",
    file: "pulumi-converter-yaml",
    version: "1.38.3",
    folder: join(repositoryRoot, "scripts/engine/language-yaml"),
    package: "github.com/pulumi/pulumi-yaml/cmd/pulumi-converter-yaml",
    about: "about 3 minutes on 2 cores",
  });

describe("a YAML program that the newest engine converts", function () {
  this.timeout(900_000);
  let world: World;
  let made: Awaited<ReturnType<typeof newest>>;
  let converted: string;
  before(async () => {
    made = await newest();
    await ensureHosts(made.engine, ["python"]);
    const { engine, sdk, path } = made;
    const tools = [dirname(await converter()), pluginFolder(), ...path];
    world = await yamlWorld(program, { engine, sdk, path: tools, config: { "webextract:native": "true" } });
    await world.project.up();
    converted = join(world.project.root, "converted");
    await world.project.shell(`pulumi convert --from yaml --language pcl --out ${converted}`);
    await generatePrograms(converted, ["nodejs", "python"]);
    world.operations();
  });
  after(() => world.remove());

  const unchanged = async (): Promise<void> => {
    await world.project.up({ args: ["--expect-no-changes"] });
    assert.deepEqual(world.operations(), []);
  };

  it("is a TypeScript program of the classes, and changes nothing on the plugin", async () => {
    const typed = readFileSync(join(converted, "nodejs/index.ts"), "utf8");
    assert.match(typed, /from "pulumi-webextract";/);
    world.project.write("index.ts", typed);
    const check = [
      "--noEmit",
      "--skipLibCheck",
      "--types",
      "node",
      "--typeRoots",
      join(repositoryRoot, "node_modules/@types"),
    ];
    const { code, output } = await runTool("typescript/tsc", [...check, join(world.project.folder, "index.ts")]);
    assert.equal(code, 0, output);
    world.project.write(
      "index.js",
      ts.transpileModule(typed, { compilerOptions: { module: ts.ModuleKind.CommonJS } }).outputText,
    );
    renameSync(join(world.project.folder, "index.ts"), join(converted, "index.ts"));
    const runtime = "runtime:\n  name: nodejs\n  options:\n    typescript: false\n";
    world.project.write("Pulumi.yaml", `name: test\n${runtime}${pluginSection()}`);
    await unchanged();
  });

  it("is a Python program of the generated SDK, which changes nothing", async () => {
    const files = await packSdks(join(converted, "sdk"), "0.1.0");
    const sdk = files.find((file) => file.includes("python"));
    await world.project.shell(`python3 -m venv venv && venv/bin/pip install -q pulumi ${sdk}`);
    world.project.write("__main__.py", readFileSync(join(converted, "python/__main__.py"), "utf8"));
    world.project.write("Pulumi.yaml", `name: test\nruntime: python\n${pluginSection()}`);
    // The host of the Go module does not get the option `virtualenv` of the newest engine.
    await world.project.shell(". venv/bin/activate && pulumi up --yes --skip-preview --expect-no-changes --stack dev");
    assert.deepEqual(world.operations(), []);
  });
});

describe("pulumi install of the newest engine", function () {
  this.timeout(300_000);

  it("installs the package of a program, which then runs", async () => {
    const { engine, sdk, path } = await newest();
    const dependencies = { "pulumi-webextract": `file:${await packTarball()}`, "@pulumi/pulumi": "^3" };
    const world = await World.create({
      program: `new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1" });`,
      files: { "package.json": JSON.stringify({ name: "test", private: true, main: "index.js", dependencies }) },
      install: "none",
      ...{ engine, sdk, path },
    });
    try {
      await world.project.shell("pulumi install");
      await world.project.up();
      assert.deepEqual(world.operations(), ["getData", "copyTask"]);
    } finally {
      await world.remove();
    }
  });
});

describe("pulumi schema check of the newest engine", function () {
  this.timeout(300_000);

  it("finds nothing in schema.json", async () => {
    const { engine, path } = await newest();
    const world = await World.create({ program: "", engine, path });
    try {
      const { output } = await world.project.shell(
        `pulumi schema check ${join(repositoryRoot, "plugin/schema.json")} 2>&1`,
      );
      assert.equal(output.trim(), "");
    } finally {
      await world.remove();
    }
  });
});
