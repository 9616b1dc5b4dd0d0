import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import ts from "typescript";
import { consumerProgram } from "../package/consumerProgram";
import type { ProjectOptions } from "./harness";
import { leanStart, sdkVersion } from "./harness";
import { World } from "./world";

/** Our SDK, for npm or pnpm. */
export const sdk = `@pulumi/pulumi@${sdkVersion()}`;

/** A folder for a user's project. */
export function emptyFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "webextract-consumer-")));
}

/** For `settings`, if the program is JavaScript. */
export const withoutCompiler = "runtime: {name: nodejs, options: {typescript: false}}";

/** The compiled program. */
export function javascript(module: ts.ModuleKind): string {
  return ts.transpileModule(consumerProgram, { compilerOptions: { module, target: ts.ScriptTarget.ES2022 } })
    .outputText;
}

/** Says in package.json which kind of module the program is. */
export function setType(folder: string, type: "commonjs" | "module"): void {
  const file = join(folder, "package.json");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), type }));
}

/** A folder with a program in it, and what its Pulumi.yaml says beside the name. */
export interface Variant {
  folder: string;
  /** Default `runtime: nodejs`: the SDK compiles the program. */
  settings?: string;
  /** Files of the program. Default: index.ts. */
  files?: Record<string, string>;
  /** The folder in which the program runs, below `folder`. */
  runsIn?: string;
  /** Default true: a preview comes first. */
  preview?: boolean;
  /** What runs it. Default: as in all tests. */
  pulumi?: Pick<ProjectOptions, "engine" | "path">;
}

/** Previews and applies the program on an emulator and a stack of its own, and looks at everything that a user would look at. */
export async function assertWorks({
  folder,
  settings,
  files,
  runsIn = "",
  preview = true,
  pulumi = {},
}: Variant): Promise<void> {
  const all = {
    "Pulumi.yaml": `name: test\n${settings ?? "runtime: nodejs"}\n`,
    ...(files ?? { "index.ts": consumerProgram }),
  };
  for (const [path, content] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  rmSync(join(folder, "Pulumi.dev.yaml"), { force: true });
  const world = await World.create({ program: "", folder, ...pulumi });
  try {
    if (preview) {
      const { output } = await world.project.preview();
      assert.match(output, /7 to create/);
      assert.deepEqual(world.operations(), []);
    }

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

    // The SDK has started as users start it, in the first up.
    const second = await world.project.up({ env: leanStart(settings !== withoutCompiler) });
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
