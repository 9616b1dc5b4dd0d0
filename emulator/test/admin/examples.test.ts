import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { slowIt } from "../../../test/environment";

const run = promisify(execFile);
const root = join(__dirname, "../../..");
const mocha = join(dirname(createRequire(__filename).resolve("mocha/package.json")), "bin", "mocha.js");

describe("the examples of tests with the emulator", () => {
  slowIt("pass with node:test", async () => {
    const { stdout } = await run(process.execPath, [
      "--test",
      "--test-reporter",
      "tap",
      join(root, "examples/emulator/nodeTest/rows.test.mjs"),
    ]);
    assert.match(stdout, /# pass 2\n# fail 0/);
  });

  it("pass with mocha", async () => {
    const args = [mocha, "--no-config", "--reporter", "json", join(root, "examples/emulator/mocha/rows.test.mjs")];
    const { stdout } = await run(process.execPath, args);
    assert.deepEqual([JSON.parse(stdout).stats.passes, JSON.parse(stdout).stats.failures], [2, 0]);
  });
});
