import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { CliWorld, program, shop } from "../../cli/test/webextract";
import { allTests } from "../eachTest";
import { slowIt } from "../environment";

const examples = join(__dirname, "../../examples/compare");

/** What the commands of compare.sh write, as the pages show it. */
const shown = ["report.md", "compared.json", "failed.txt"];

describe("the page about comparing rows", () => {
  const world = allTests(() => CliWorld.create());

  slowIt("shows commands that work, and what they write", async () => {
    const bin = world.path("bin");
    mkdirSync(bin);
    // The package is not installed here.
    writeFileSync(`${bin}/npx`, `#!/bin/sh\nshift\nexec "${process.execPath}" "${program}" "$@"\n`);
    chmodSync(`${bin}/npx`, 0o755);
    for (const file of ["prod.csv", "trial.csv"]) {
      cpSync(join(examples, file), world.path(file));
    }
    const lotNo = await world.finishedRun();
    writeFileSync(world.path("rows.ndjson"), (await world.run(`export ${shop.taskId} --lot-no ${lotNo}`)).stdout);
    const env = {
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      HOME: world.folder,
      ...world.environment,
      TASK: shop.taskId,
      LOT_NO: lotNo,
    };
    const running = promisify(execFile)("sh", [join(examples, "compare.sh")], { cwd: world.folder, env });
    const ended = await running.then(
      ({ stdout }) => ({ code: 0, stdout, stderr: "" }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
    // The last command finds that conditions do not hold.
    assert.equal(ended.code, 1, ended.stderr);
    assert.match(ended.stdout, /^5 fields, 1 gone, 1 added$/m);
    assert.match(ended.stdout, /^Head: shop-1:\d+, 25 rows$/m);
    assert.doesNotMatch(readFileSync(world.path("private.md"), "utf8"), /B-\d|12\.50/);
    for (const file of shown) {
      const written = readFileSync(world.path(file), "utf8");
      if (process.env.WRITE_REPORTS === "true") {
        writeFileSync(join(examples, file), written);
      }
      assert.equal(written, readFileSync(join(examples, file), "utf8"), file);
    }
  });
});
