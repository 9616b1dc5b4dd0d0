import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runTool } from "../../scripts/commands";
import { summaryOf } from "../reporter";

describe("a test run", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "webextract-runner-"));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs one test file as `npm test -- FILE` does. */
  async function run(text: string): Promise<{ code: number; output: string; lastLine: string | undefined }> {
    const file = join(folder, "some.test.ts");
    writeFileSync(file, text);
    const { code, output } = await runTool("tsx", ["scripts/test.ts", file]);
    return { code, output, lastLine: output.trimEnd().split("\n").at(-1) };
  }

  it("ends with the counts and exit code 0 if all tests pass, and names the file of each describe", async () => {
    const { code, output, lastLine } = await run('describe("a", () => { it("b", () => {}); it("c", () => {}); });');
    assert.match(output, /^✔ a: 2 passed, 0 failed \(\d\.\d s\) .*some\.test\.ts$/m);
    assert.equal(lastLine, "2 passed, 0 failed");
    assert.equal(code, 0);
    const other = join(folder, "other.test.ts");
    writeFileSync(other, 'describe("d", () => { it("e", () => {}); });');
    const args = ["scripts/test.ts", join(folder, "some.test.ts"), other, "--", "--parallel", "--jobs", "2"];
    assert.match((await runTool("tsx", args)).output, /^✔ d: 1 passed, 0 failed \(\d\.\d s\) .*other\.test\.ts$/m);
  });

  it("shows each failure, also of a hook, with the file of its describe", async () => {
    const { code, output, lastLine } = await run(`
      describe("a", () => { it("b", () => { throw new Error("broken b"); }); it("c", () => {}); });
      describe("d", () => { before(() => { throw new Error("broken hook"); }); it("e", () => {}); });
    `);
    assert.match(output, /✖ a b: broken b/);
    assert.match(
      output,
      /\n== failed\n✖ a b: broken b .*some\.test\.ts\n✖ .*: broken hook .*some\.test\.ts\n\n1 passed, 2 failed\n$/,
    );
    assert.match(output, /^✖ d: 0 passed, 1 failed \(\d\.\d s\) .*some\.test\.ts$/m);
    assert.equal(lastLine, "1 passed, 2 failed");
    assert.equal(code, 1);
  });

  it("counts a process that stops early, a file that does not load and a run without tests as failed", async () => {
    const crash = await run('describe("a", () => { it("b", () => {}); it("c", () => process.exit(0)); });');
    assert.deepEqual([crash.lastLine, crash.code], ["1 passed, 1 failed", 1]);
    assert.match(crash.output, /\n== failed\n✖ the test run stopped early \(exit code 0\)\n/);
    const broken = await run("describe(");
    assert.deepEqual([broken.lastLine, broken.code], ["0 passed, 1 failed", 1]);
    const empty = await run("export {};");
    assert.deepEqual([empty.lastLine, empty.code], ["0 passed, 0 failed", 1]);
  });

  it("names skipped tests only if there are some", () => {
    assert.equal(summaryOf({ passed: 1, failed: 0, skipped: 0 }), "1 passed, 0 failed");
    assert.equal(summaryOf({ passed: 1, failed: 0, skipped: 2 }), "1 passed, 0 failed, 2 skipped");
  });
});
