import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { devDependencies } from "../../package.json";
import { installPackages, nodeFolder, packTarball } from "../realEngine/harness";
import { lowestNodes, newestNodes } from "./supportedNodes";

/** Loads every entry in both ways, requires every dependency, and makes a call of the client to the emulator. */
const program = `
  const { createRequire } = require("node:module");
  const manifest = require("pulumi-webextract/package.json");
  const ownRequire = createRequire(require.resolve("pulumi-webextract/package.json"));
  for (const name of Object.keys(manifest.dependencies)) ownRequire(name);
  const entries = ["pulumi-webextract", "pulumi-webextract/service", "pulumi-webextract/provider", "webextract-emulator"];
  const { ServiceClient } = require("pulumi-webextract/service");
  const { startEmulator } = require("webextract-emulator");
  (async () => {
    for (const entry of entries) if (Object.keys(require(entry)).length === 0) throw new Error(entry);
    for (const entry of entries) await import(entry);
    const emulator = await startEmulator();
    const client = new ServiceClient({ baseUrl: emulator.url, ...emulator.credentials });
    const [{ taskId, taskGroupId }] = emulator.inspect.tasks();
    const copy = await client.copyTask({ taskId, taskGroupId });
    const copies = emulator.inspect.tasks().map((task) => task.taskId);
    await emulator.close();
    console.log(JSON.stringify({ node: process.version, found: copies.includes(copy.data.taskId) }));
  })();`;

describe("the packed packages on each supported Node.js", function () {
  this.timeout(300_000);
  let folder: string;
  before(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "webextract-nodes-")));
    const sdk = `@pulumi/pulumi@${devDependencies["@pulumi/pulumi"]}`;
    await installPackages(folder, [await packTarball(), await packTarball("emulator"), sdk]);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const version of [...lowestNodes, ...newestNodes]) {
    it(`load and work on Node.js ${version}`, async () => {
      const node = join(await nodeFolder(version), "node");
      const { stdout, stderr } = await promisify(execFile)(node, ["--eval", program], { cwd: folder });
      const { node: ranOn, found } = JSON.parse(stdout);
      assert.ok(ranOn.startsWith(`v${version}.`) || ranOn === `v${version}`, ranOn);
      assert.equal(found, true, stderr);
    });
  }
});
