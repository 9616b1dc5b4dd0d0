import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { consumerProgram } from "../../package/consumerProgram";
import { assertWorks, emptyFolder } from "../consumer";
import { installPackages, installTarball, newest, newestVersion } from "../harness";
import { World } from "../world";
import { withHookHost } from "./hookEngine";

const notCompiled = "runtime: {name: nodejs, options: {typescript: false}}";

describe("a program whose project has TypeScript 7, with the newest SDK", function () {
  this.timeout(600_000);
  let folder: string;
  let pulumi: { engine: Awaited<ReturnType<typeof newest>>["engine"]; path: string[] };
  let all: string[];
  const install = (...packages: string[]): Promise<void> => installPackages(folder, packages);

  before(async () => {
    folder = emptyFolder();
    all = [`@pulumi/pulumi@${await newestVersion("@pulumi/pulumi", "^3")}`, "typescript@7", "@types/node@24"];
    await installTarball(folder, [...all, "--legacy-peer-deps"]);
    const { engine, path } = await newest();
    pulumi = { engine: withHookHost(engine), path };
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("is refused by npm, because the SDK's range of TypeScript ends before 7", async () => {
    const other = emptyFolder();
    try {
      await assert.rejects(
        installTarball(other, all),
        /ERESOLVE[\s\S]*peerOptional typescript@"[^"]*< 7" from @pulumi/,
      );
    } finally {
      rmSync(other, { recursive: true, force: true });
    }
  });

  it("stops in the SDK before its first line, with the message of the page", async () => {
    writeFileSync(join(folder, "Pulumi.yaml"), "name: test\nruntime: nodejs\n");
    writeFileSync(join(folder, "index.ts"), consumerProgram);
    const world = await World.create({ program: "", folder, ...pulumi });
    try {
      const { output } = await world.project.preview({ expect: "failure" });
      assert.match(output, /Cannot read properties of undefined \(reading 'readFile'\)/);
      assert.deepEqual(world.operations(), []);
    } finally {
      await world.remove();
      rmSync(join(folder, "Pulumi.dev.yaml"));
    }
  });

  it("works if it is compiled before, with tsc 7", async () => {
    writeFileSync(join(folder, "index.ts"), consumerProgram);
    const flags = "--module nodenext --target es2022 --strict --types node --outDir bin index.ts".split(" ");
    await promisify(execFile)(process.execPath, ["node_modules/typescript/bin/tsc", ...flags], { cwd: folder });
    await assertWorks({ folder, settings: `${notCompiled}\nmain: bin/index.js`, files: {}, pulumi, runsIn: "bin" });
  });

  it("works with a loader in nodeargs", async () => {
    await install("tsx@4", "--legacy-peer-deps");
    const settings = 'runtime: {name: nodejs, options: {typescript: false, nodeargs: "--import tsx"}}\nmain: index.ts';
    await assertWorks({ folder, settings, pulumi });
  });

  it("works without a loader, because Node.js 24 removes the types itself", () =>
    assertWorks({ folder, settings: `${notCompiled}\nmain: index.ts`, pulumi }));

  for (const version of ["6", "5.9"]) {
    it(`works with TypeScript ${version} as typescript, and TypeScript 7 under another name`, async () => {
      await install(`typescript@${version}`, "typescript-7@npm:typescript@7");
      await assertWorks({ folder, pulumi });
    });
  }
});
