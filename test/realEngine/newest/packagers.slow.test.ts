import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Engine } from "../../../scripts/engine/engine";
import { installPackages, newest, packagesIn, packTarball } from "../harness";
import { pluginFolder } from "../plugin/nativeWorld";
import { World } from "../world";
import { withHookHost } from "./hookEngine";

/** A way to install the package, and what its programs need. */
interface Packager {
  name: string;
  /** The command line, in the folder of the program. */
  install: string;
  files?: Record<string, string>;
  env?: Record<string, string>;
  /** Default true: there is a folder `node_modules`, with the plugin in `.bin`. Otherwise the plugin is on PATH. */
  hasFolder?: boolean;
}

const yarn4 = (nodeLinker: string) => ({ ".yarnrc.yml": `nodeLinker: ${nodeLinker}\nenableTelemetry: false\n` });
const packagers: readonly Packager[] = [
  {
    name: "pnpm",
    install: "pnpm install",
    // Without it, pnpm 11 and later end with 1, because a dependency of the SDK has a build script.
    files: { "pnpm-workspace.yaml": "allowBuilds:\n  protobufjs: false\n" },
  },
  { name: "yarn 1", install: "node $TOOLS/yarn/bin/yarn.js install --non-interactive" },
  {
    name: "yarn 4, node-modules",
    install: "node $TOOLS/@yarnpkg/cli-dist/bin/yarn.js install",
    files: yarn4("node-modules"),
  },
  {
    name: "yarn 4, PnP",
    install: "node $TOOLS/@yarnpkg/cli-dist/bin/yarn.js install",
    files: yarn4("pnp"),
    // Node.js, and each process that it starts, finds the packages with it.
    env: { NODE_OPTIONS: "--require ./.pnp.cjs --experimental-loader ./.pnp.loader.mjs" },
    hasFolder: false,
  },
  { name: "bun", install: "bun install" },
];

const program = (url: string) => `const pulumi = require("@pulumi/pulumi");
const { CloudRun, DataExport, ExtractionTask } = require("pulumi-webextract");
const task = new ExtractionTask("task", {
  from: { sourceTaskId: "template-1", taskGroupId: "group-1" },
  actions: { open: { actionType: "NavigateAction", properties: { Url: "${url}" } } },
});
const run = new CloudRun("run", { taskId: task.id, waitFor: "finished", pollSeconds: 0.1 });
new DataExport("rows", { taskId: task.id, scope: "batch", lotNo: run.id, path: "rows.ndjson" });
`;

describe("the packed package", function () {
  this.timeout(600_000);
  let tools: string;
  let engine: Engine;
  before(async () => {
    engine = withHookHost((await newest()).engine);
    tools = mkdtempSync(join(tmpdir(), "webextract-tools-"));
    await installPackages(tools, ["pnpm@12", "yarn@1", "@yarnpkg/cli-dist@4", "bun@1"]);
  });
  after(() => rmSync(tools, { recursive: true, force: true }));

  /** A project in which the tool has installed the package and the SDK. */
  async function install(
    { install, files = {}, env = {}, hasFolder = true }: Packager,
    runtime: string,
  ): Promise<World> {
    const { path, sdk } = await newest();
    const { version } = JSON.parse(readFileSync(join(packagesIn(sdk).sdk, "pulumi/package.json"), "utf8"));
    const dependencies = { "pulumi-webextract": `file:${await packTarball()}`, "@pulumi/pulumi": version };
    const plugin = hasFolder ? "plugins:\n  providers:\n    - name: webextract\n      path: ./node_modules/.bin\n" : "";
    const bin = [...(hasFolder ? [] : [pluginFolder()]), join(tools, "node_modules/.bin"), ...path];
    const world = await World.create({
      program: "",
      files: {
        "package.json": JSON.stringify({ name: "shop", private: true, main: "index.js", dependencies }),
        "Pulumi.yaml": `name: test\nruntime: ${runtime}\n${plugin}`,
        ...files,
      },
      install: "none",
      leanSdk: false,
      engine,
      path: bin,
      env,
    });
    // Not with the environment of the project, which has another home, and no certificates.
    const environment = {
      ...process.env,
      TOOLS: join(tools, "node_modules"),
      PATH: [...bin, process.env.PATH].join(":"),
    };
    await promisify(execFile)("bash", ["-ec", install], { cwd: world.project.folder, env: environment });
    return world;
  }

  async function works(world: World): Promise<void> {
    const { project } = world;
    project.write("index.js", program("https://new.test/"));
    await project.up();
    assert.deepEqual([world.copies().length, existsSync(join(project.folder, "rows.ndjson"))], [1, true]);
    world.operations();
    await project.up({ args: ["--expect-no-changes"] });
    await project.configure({ "webextract:native": "true" });
    await project.up({ args: ["--expect-no-changes"] });
    assert.deepEqual(world.operations(), []);
    assert.match(project.resource("task").type, /^webextract:/);
    project.write("index.js", program("https://other.test/"));
    await project.up();
    assert.deepEqual(world.operations(), ["updateTaskParameters"]);
  }

  for (const packager of packagers) {
    it(`works with the classes and on the plugin after an install by ${packager.name}`, async () => {
      const world = await install(packager, "\n  name: nodejs\n  options:\n    typescript: false");
      try {
        await works(world);
      } finally {
        await world.remove();
      }
    });
  }

  it("works with the classes and on the plugin in a program that bun runs", async () => {
    const world = await install({ name: "bun", install: "bun install" }, "bun");
    try {
      await works(world);
    } finally {
      await world.remove();
    }
  });
});
