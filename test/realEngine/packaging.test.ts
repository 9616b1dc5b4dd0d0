import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { consumerProgram } from "../package/consumerProgram";
import { installTarball, repositoryRoot } from "./harness";
import { World } from "./world";

const { devDependencies } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));
const sdk = `@pulumi/pulumi@${devDependencies["@pulumi/pulumi"]}`;
const typescript = `typescript@${devDependencies.typescript}`;
const nodeTypes = `@types/node@${devDependencies["@types/node"]}`;

const withoutCompiler = "runtime: {name: nodejs, options: {typescript: false}}";

/** A folder with a program in it, and what its Pulumi.yaml says beside the name. */
interface Variant {
  folder: string;
  /** Default `runtime: nodejs`: the SDK compiles the program. */
  settings?: string;
  /** Files of the program. Default: index.ts. */
  files?: Record<string, string>;
  /** The folder in which the program runs, below `folder`. */
  runsIn?: string;
}

/** Previews and applies the program on an emulator and a stack of its own, and looks at everything that a user would look at. */
async function assertWorks({ folder, settings, files, runsIn = "" }: Variant): Promise<void> {
  const all = {
    "Pulumi.yaml": `name: test\n${settings ?? "runtime: nodejs"}\n`,
    ...(files ?? { "index.ts": consumerProgram }),
  };
  for (const [path, content] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  rmSync(join(folder, "Pulumi.dev.yaml"), { force: true });
  const world = await World.create({ program: "", folder });
  try {
    const { output } = await world.project.preview();
    assert.match(output, /7 to create/);
    assert.deepEqual(world.operations(), []);

    await world.project.up();
    const operations = world.operations();
    assert.deepEqual(operations.slice(0, operations.indexOf("startTask")).filter(isWrite).sort(), [
      "copyTask",
      "updateActionProperties",
      "updateLoopItems",
      "updateTaskUrls",
    ]);
    assert.deepEqual(operations.filter(isWrite).slice(4), ["startTask"]);
    const [taskId = ""] = world.copies();
    // From the state: that saves starting the engine.
    const { outputs } = world.project.resource("test-dev");
    const run = world.emulator.inspect.runs(taskId)[0];
    assert.deepEqual(outputs, { taskId, lotNo: run?.lotNo, file: "out/rows.ndjson", rowCount: 25 });
    const written = readFileSync(join(folder, runsIn, "out/rows.ndjson"), "utf8")
      .trimEnd()
      .split("\n");
    assert.deepEqual(
      written.map((line) => JSON.parse(line)),
      world.emulator.inspect.rows(taskId),
    );
    assert.deepEqual(world.emulator.inspect.startUrls(taskId), ["https://shop.test/a"]);

    const second = await world.project.up();
    assert.match(second.output, /7 unchanged/);
    assert.deepEqual(world.operations(), []);
  } finally {
    await world.remove();
    rmSync(join(folder, runsIn, "out"), { recursive: true, force: true });
    for (const path of Object.keys(all)) {
      rmSync(join(folder, path), { force: true });
    }
  }
}

function isWrite(operation: string): boolean {
  return /^(copy|update|start)/.test(operation);
}

/** The program as a compiler leaves it. */
function javascript(module: ts.ModuleKind): string {
  return ts.transpileModule(consumerProgram, { compilerOptions: { module, target: ts.ScriptTarget.ES2022 } })
    .outputText;
}

async function install(folder: string, ...packages: string[]): Promise<void> {
  await promisify(execFile)(
    "npm",
    ["install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error", ...packages],
    { cwd: folder },
  );
}

function setType(folder: string, type: "commonjs" | "module"): void {
  const file = join(folder, "package.json");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), type }));
}

function emptyFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "webextract-consumer-")));
}

describe("the packed package, installed into an empty folder", () => {
  let folder: string;
  before(async () => {
    folder = emptyFolder();
    await installTarball(folder, [sdk]);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("works in a TypeScript program without a compiler of its own", () => assertWorks({ folder }));

  it("works in JavaScript, where main names a file in a subfolder", () =>
    assertWorks({
      folder,
      settings: `${withoutCompiler}\nmain: deep/inside/start.js`,
      files: { "deep/inside/start.js": javascript(ts.ModuleKind.CommonJS) },
      runsIn: "deep/inside",
    }));

  describe("beside a TypeScript of the program's own", () => {
    before(() => install(folder, typescript, nodeTypes));

    it("works in a CommonJS program", () => assertWorks({ folder }));

    it("works in an ECMAScript module that the SDK compiles", async () => {
      await install(folder, "ts-node@10");
      setType(folder, "module");
      await assertWorks({ folder });
    });

    it("works in an ECMAScript module that is JavaScript", async () => {
      setType(folder, "module");
      await assertWorks({
        folder,
        settings: withoutCompiler,
        files: { "index.js": javascript(ts.ModuleKind.ESNext) },
      });
    });
  });
});

describe("the package as a link, which a file: dependency is", () => {
  it("works beside another copy of the SDK", async () => {
    const folder = emptyFolder();
    try {
      writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true }));
      // Without scripts: `prepare` would rebuild dist under the feet of tests that use it.
      await install(folder, "--ignore-scripts", `file:${repositoryRoot}`, sdk);
      assert.equal(realpathSync(join(folder, "node_modules", "pulumi-webextract")), repositoryRoot);
      await assertWorks({ folder });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("a program inside the package's own repository", () => {
  it("works", async () => {
    mkdirSync(join(repositoryRoot, ".webextract"), { recursive: true });
    const folder = mkdtempSync(join(repositoryRoot, ".webextract", "program-"));
    try {
      writeFileSync(
        join(folder, "tsconfig.json"),
        JSON.stringify({ extends: "../../tsconfig.json", compilerOptions: { rootDir: "../..", types: ["node"] } }),
      );
      // Without `main` the SDK would run what the nearest package.json exports, which is the library.
      await assertWorks({ folder, settings: "runtime: nodejs\nmain: index.ts" });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
