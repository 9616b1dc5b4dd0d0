/**
 * `npm run record`: keeps a state that this version writes, for the upgrade tests of all later ones. `--again` writes that of this version anew,
 * which is right until it is released.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../../../package.json";
import { files, fixtures, UpgradeStack, withoutPaths } from "./upgradeStack";

const ownToTheStack = /^(node_modules|Pulumi\.|package\.json)/;

async function record(scratch: string, to: string): Promise<void> {
  const service = join(scratch, files.service);
  const stack = await UpgradeStack.create({ program: join(__dirname, "program"), service });
  const { project, emulator } = stack;
  try {
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
    const state = withoutPaths(JSON.stringify(await project.exportStack(), undefined, 2));
    await emulator.close();

    rmSync(to, { recursive: true, force: true });
    mkdirSync(to, { recursive: true });
    writeFileSync(join(to, files.stack), `${state}\n`);
    cpSync(service, join(to, files.service));
    cpSync(project.folder, join(to, files.program), {
      recursive: true,
      filter: (path) => !ownToTheStack.test(path.slice(project.folder.length + 1)),
    });
  } finally {
    await stack.remove();
  }
}

async function main(): Promise<void> {
  const to = join(fixtures, version);
  if (existsSync(to) && !process.argv.includes("--again")) {
    throw new Error(
      `A state of ${version} is kept already. If that version is not released yet, --again writes it anew; else raise the version in package.json.`,
    );
  }
  const scratch = mkdtempSync(join(tmpdir(), "webextract-record-"));
  try {
    await record(scratch, to);
    console.log(`The state that ${version} writes is kept in ${to}.`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
