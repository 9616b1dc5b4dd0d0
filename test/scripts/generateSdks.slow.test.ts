import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot, runTool } from "../../scripts/commands";
import { generateSdks, sdkLanguages } from "../../scripts/schema/generateSdks";

const run = promisify(execFile);

describe("the SDKs that are generated from schema.json", function () {
  this.timeout(900_000);
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "webextract-sdks-"));
    await generateSdks(folder, "1.2.3", sdkLanguages);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("compile in TypeScript", async () => {
    const sdk = join(folder, "nodejs");
    symlinkSync(join(repositoryRoot, "node_modules"), join(sdk, "node_modules"), "junction");
    const project = ["--noEmit", "--skipLibCheck", "-p", join(sdk, "tsconfig.json")];
    assert.deepEqual(await runTool("typescript/tsc", project), { code: 0, output: "" });
    assert.equal(JSON.parse(readFileSync(join(sdk, "package.json"), "utf8")).pulumi.version, "1.2.3");
  });

  it("compile in Python, with the action types for a user's keys", async () => {
    const sdk = join(folder, "python", "pulumi_webextract");
    await run("python3", ["-m", "compileall", "-q", sdk]);
    const task = readFileSync(join(sdk, "extraction_task.py"), "utf8");
    assert.match(task, /actions: pulumi\.Input\[Optional\[Mapping\[str, pulumi\.Input\[Union\['ActionArgs', /);
    assert.match(task, /from_: pulumi\.Input\['TaskSourceArgs'\]/);
  });

  it("are formatted Go, with a type for each resource", async () => {
    const sdk = join(folder, "go", "webextract");
    const { stdout } = await run("gofmt", ["-l", sdk]);
    assert.equal(stdout, "");
    assert.match(readFileSync(join(sdk, "cloudRun.go"), "utf8"), /^func NewCloudRun\(/m);
    assert.match(readFileSync(join(sdk, "pulumiTypes.go"), "utf8"), /^type ActionLoopArgs struct /m);
  });
});
