import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, lstatSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { programOf } from "../../scripts/commands";
import { assertWorks, emptyFolder, sdk } from "./consumer";
import { packTarball } from "./harness";

const run = promisify(execFile);

// Slow, because pnpm has a store of its own: the first install loads every package from the registry.
describe("the packed packages, installed by pnpm into an empty folder", function () {
  this.timeout(300_000);
  let folder: string;

  async function pnpm(...args: string[]): Promise<string> {
    return (await run(process.execPath, [programOf("pnpm"), ...args], { cwd: folder })).stdout;
  }

  before(async () => {
    folder = emptyFolder();
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true }));
    const packages = [await packTarball(), await packTarball("emulator"), sdk];
    await pnpm("add", "--prefer-offline", "--ignore-scripts", ...packages);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("are links, without undeclared packages beside them", () => {
    for (const name of ["pulumi-webextract", "webextract-emulator", "@pulumi/pulumi"]) {
      assert.ok(lstatSync(join(folder, "node_modules", name)).isSymbolicLink(), name);
    }
    for (const name of ["axios", "fastify"]) assert.equal(existsSync(join(folder, "node_modules", name)), false, name);
  });

  it("work in a TypeScript program on the engine", () => assertWorks({ folder }));

  it("give the program an emulator, as a command and as a module", async () => {
    assert.match(await pnpm("exec", "webextract-emulator", "--version"), /^\d+\.\d+\.\d+\n$/);
    const program = `
      const { ServiceClient } = require("pulumi-webextract/service");
      const { startEmulator } = require("webextract-emulator");
      (async () => {
        const emulator = await startEmulator();
        const client = new ServiceClient({ baseUrl: emulator.url, ...emulator.credentials });
        const [{ taskId, taskGroupId }] = emulator.inspect.tasks();
        const { data } = await client.copyTask({ taskId, taskGroupId });
        const isThere = emulator.inspect.tasks().some((task) => task.taskId === data.taskId);
        await emulator.close();
        console.log(JSON.stringify(isThere));
      })();`;
    const { stdout } = await run(process.execPath, ["--eval", program], { cwd: folder });
    assert.equal(JSON.parse(stdout), true);
  });
});
