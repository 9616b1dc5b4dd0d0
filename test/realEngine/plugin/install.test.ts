import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../harness/package";
import { World } from "../world";

const { version } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));

describe("the native plugin from a tarball", () => {
  it("is installed by the engine, and runs a YAML program that names no path, without a warning", async () => {
    const world = await World.create({
      program: "",
      files: {
        "Pulumi.yaml":
          "name: test\nruntime: yaml\nresources:\n  copy:\n    type: webextract:TaskCopy\n    properties: { adoptTaskId: template-1 }\n",
      },
    });
    try {
      const { root } = world.project;
      const content = join(root, "tmp", "plugin");
      cpSync(join(repositoryRoot, "dist", "plugin"), content, { recursive: true });
      cpSync(join(repositoryRoot, "schema.json"), join(content, "schema.json"));
      const tarball = join(root, "tmp", "plugin.tar.gz");
      execFileSync("tar", ["-czf", tarball, "-C", content, "."]);
      await world.project.shell(`pulumi plugin install resource webextract ${version} --file ${tarball}`);
      const { output } = await world.project.up();
      assert.match(output, /TaskCopy copy created/);
      assert.doesNotMatch(output, /warning/);
      await world.project.destroy();
    } finally {
      await world.remove();
    }
  });
});
