import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot, runTool } from "../../scripts/commands";
import { engineVersion } from "../../scripts/engine/engine";
import { generateSdks, packSdks, sdkLanguages } from "../../scripts/schema/generateSdks";
import { schemaExamples } from "./schemaExamples";

const run = promisify(execFile);

/** Declares the resources of programs without an engine: a wrong argument is an error of the SDK. */
const runWithMocks = `
import asyncio, os, sys, pulumi
class Mocks(pulumi.runtime.Mocks):
    def new_resource(self, args):
        return [args.name + "-id", {}]
    def call(self, args):
        return {}
async def declare():
    pulumi.runtime.set_mocks(Mocks())
    for file in sys.argv[1:]:
        exec(compile(open(file).read(), file, "exec"), {})
    os._exit(0)
asyncio.run(declare())
`;

describe("the SDKs that are generated from schema.json", function () {
  this.timeout(900_000);
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "webextract-sdks-"));
    await generateSdks(folder, "1.2.3", sdkLanguages);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("are released as a tarball for Python and one for Go", async () => {
    const files = await packSdks(join(folder, "release"), "1.2.3");
    assert.deepEqual(
      files.map((file) => basename(file)),
      ["go", "python"].map((language) => `pulumi-webextract-sdk-${language}-1.2.3.tgz`),
    );
    const { stdout } = await run("tar", ["-tzf", files[1] ?? ""]);
    assert.match(stdout, /^\.\/pyproject\.toml$/m);
  });

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

  it("compile the Go examples of schema.json", async () => {
    const root = join(folder, "go");
    for (const { type, code } of schemaExamples()) {
      mkdirSync(join(root, "examples", type), { recursive: true });
      writeFileSync(join(root, "examples", type, "main.go"), code.go ?? "");
    }
    cpSync(join(repositoryRoot, "examples/reference/languages/main.go"), join(root, "examples", "main.go"));
    assert.equal((await run("gofmt", ["-l", "examples"], { cwd: root })).stdout, "");
    await run("go", ["mod", "tidy"], { cwd: root });
    await run("go", ["vet", "./examples/..."], { cwd: root });
  });

  it("run the Python examples of schema.json", async () => {
    const root = join(folder, "python");
    await run("python3", ["-m", "venv", "venv"], { cwd: root });
    await run("venv/bin/pip", ["install", "-q", `pulumi==${engineVersion}`, "."], { cwd: root });
    writeFileSync(join(root, "run.py"), runWithMocks);
    const files = schemaExamples().map(({ type, code }) => {
      writeFileSync(join(root, `${type}.py`), code.python ?? "");
      return `${type}.py`;
    });
    await run("venv/bin/python", ["run.py", ...files], { cwd: root });
  });
});
