/**
 * `npm run record`: records the states of this version for the upgrade tests of later versions. `--again` replaces the recorded states of this
 * version. Use it only before the release.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../../../package.json";
import type { Kind } from "./upgradeStack";
import { adoptedTask, files, fixtures, kinds, UpgradeStack, withoutPaths } from "./upgradeStack";

const ownToTheStack = /^(node_modules|Pulumi\.|package\.json)/;

/** Creates a stack in each kind of state. */
const make: Record<Kind, (stack: UpgradeStack) => Promise<void>> = {
  async whole(stack) {
    const { project, emulator } = stack;
    await project.up();
    const { taskId } = await project.outputs();
    const subtasks = emulator.inspect.runs(String(taskId)).flatMap((run) => run.subtasks);
    project.write("subtasks.json", `${JSON.stringify(subtasks.map(({ subTaskId }) => subTaskId))}\n`);
    await project.up();
    stack.operations();
    await project.up();
    const asked = stack.operations();
    if (asked.length > 0) {
      throw new Error(`an up without a change made requests: ${asked.join(", ")}`);
    }
  },

  async unfinished({ project, emulator }) {
    const lost = { kind: "reset", when: "after" } as const;
    for (const operation of ["updateActionProperties", "updateLoopItems", "updateTaskUrls", "markExported"] as const) {
      emulator.fault({ operation, ...lost });
    }
    // One append arrived and the other did not. The lost responses do not show which.
    emulator.fault({ operation: "updateLoopItems", kind: "reset", when: "before" });
    emulator.fault({ operation: "updateTaskParameters", ...lost, times: 2 });
    // A wait continues during an outage; a refusal ends it.
    const refused = { kind: "error", code: "PermissionDenied", skip: 1 } as const;
    emulator.fault({ operation: "getSubtasks", taskId: adoptedTask, ...refused });
    await project.configure({ "webextract:maxRetries": "0" });
    await project.up({ args: ["--continue-on-error"], expect: "failure" });
  },
};

async function record(kind: Kind, to: string): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), "webextract-record-"));
  const service = join(scratch, files.service);
  const stack = await UpgradeStack.create({ program: join(__dirname, kind), service });
  const { project, emulator } = stack;
  try {
    await make[kind](stack);
    const state = withoutPaths(JSON.stringify(await project.exportStack(), undefined, 2));
    const content = JSON.stringify(emulator.exportState());
    await emulator.close();

    rmSync(to, { recursive: true, force: true });
    mkdirSync(to, { recursive: true });
    writeFileSync(join(to, files.stack), `${state}\n`);
    writeFileSync(join(to, files.service), `${content}\n`);
    cpSync(project.folder, join(to, files.program), {
      recursive: true,
      filter: (path) => !ownToTheStack.test(path.slice(project.folder.length + 1)),
    });
  } finally {
    await stack.remove();
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function main(): Promise<void> {
  const to = join(fixtures, version);
  if (existsSync(to) && !process.argv.includes("--again")) {
    throw new Error(
      `States of ${version} are kept already. If that version is not released yet, --again writes them anew; else raise the version in package.json.`,
    );
  }
  for (const kind of kinds) {
    await record(kind, join(to, kind));
  }
  console.log(`The states that ${version} writes are kept in ${to}.`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
