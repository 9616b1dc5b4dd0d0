import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { CliWorld, program, shop } from "../cli/webextract";

const script = join(__dirname, "../../examples/commandLine/daily.sh");

describe("the page about the command line", () => {
  let world: CliWorld;
  before(async () => {
    world = await CliWorld.create();
  });
  after(() => world.remove());

  it("shows commands that work in their order", async () => {
    const bin = world.path("bin");
    mkdirSync(bin);
    // The package is not installed here.
    writeFileSync(`${bin}/npx`, `#!/bin/sh\nshift\nexec "${process.execPath}" "${program}" "$@"\n`);
    chmodSync(`${bin}/npx`, 0o755);
    const env = {
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      HOME: world.folder,
      ...world.environment,
      WEBEXTRACT_REFRESH_TOKEN: world.emulator.credentials.refreshToken,
      TASK: shop.taskId,
    };
    const { stdout } = await promisify(execFile)("sh", [script], { cwd: world.folder, env });
    assert.match(stdout, /No problem was found\./);
    assert.match(stdout, /5 of 25 rows\./);
    assert.match(stdout, /The new tokens are in /);
    assert.equal(readdirSync(world.path("rows")).length, 1);
  });
});
