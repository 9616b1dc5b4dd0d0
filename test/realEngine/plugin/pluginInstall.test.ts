import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { packPlugin } from "../../../scripts/plugin/packPlugin";
import { slowIt } from "../../environment";
import { repositoryRoot } from "../harness";
import { YamlWorld } from "./yamlWorld";

const run = promisify(execFile);
const { version } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));

describe("the tarball of the plugin", function () {
  this.timeout(120_000);
  let folder: string;
  let files: string[];
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "webextract-release-"));
    files = await packPlugin(folder);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const tarball = (): string => {
    const found = files.find((file) => file.endsWith("linux-amd64.tar.gz"));
    assert.ok(found);
    return found;
  };

  it("is written under the name of each system, with checksums, and has at most 3 MB", () => {
    const written = files.slice(0, -1);
    assert.equal(written.length, 6);
    const digest = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");
    assert.equal(
      readFileSync(files.at(-1) ?? "", "utf8"),
      written.map((file) => `${digest(file)}  ${basename(file)}\n`).join(""),
    );
    assert.deepEqual(readdirSync(folder).sort(), files.map((file) => basename(file)).sort());
    assert.ok(statSync(tarball()).size < 3e6);
  });

  slowIt("is what `pulumi plugin install` takes, and a YAML program runs on it without a warning", async () => {
    const world = await YamlWorld.create({
      plugin: "installed",
      resources: {
        task: {
          type: "webextract:TaskCopy",
          properties: { sourceTaskId: "template-1", taskGroupId: "group-1" },
        },
      },
    });
    try {
      const { project } = world;
      await project.shell(`pulumi plugin install resource webextract ${version} --file ${tarball()}`);
      const { output } = await project.up();
      assert.doesNotMatch(output, /warning/i);
      assert.equal(project.resource("task").type, "webextract:index:TaskCopy");
      const { stdout } = await project.shell("pulumi package get-schema webextract");
      assert.ok(stdout.includes('"webextract:index:TaskCopy"'));
      const added = await project.shell("pulumi package add webextract");
      assert.match(added.output, /Added package Web Extract/);
      assert.match((await project.preview({ args: ["--expect-no-changes"] })).output, /2 unchanged/);
    } finally {
      await world.remove();
    }
  });

  it("says in one line which Node.js it needs if there is none", async () => {
    const unpacked = join(folder, "unpacked");
    mkdirSync(unpacked);
    await run("tar", ["-xzf", tarball(), "-C", unpacked]);
    await assert.rejects(
      run(join(unpacked, "pulumi-resource-webextract"), [], { env: { PATH: join(folder, "none") } }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => {
        assert.deepEqual([code, stdout], [1, ""]);
        assert.match(stderr, /^[^\n]*needs Node\.js 20\.19 .*22\.12 or later, and there is no node on PATH\.\n$/);
        return true;
      },
    );
  });
});
