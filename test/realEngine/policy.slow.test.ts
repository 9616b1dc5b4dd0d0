import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addPolicyStarter } from "../../scripts/engine/policyStarter";
import { packagesIn, repositoryRoot } from "./harness";
import { pluginFolder } from "./plugin/nativeWorld";
import { World } from "./world";

const example = join(repositoryRoot, "examples", "policy");

const good = `
const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1" });
new TaskLoopItems("loop", { taskId: copy.id, actionId: "each", loopType: "UrlList", items: ["https://shop.example.com/1"] });
const urls = new TaskStartUrls("urls", { taskId: copy.id, file: "good.txt" });
const run = new CloudRun("run", { taskId: copy.id, rerunOn: [urls], waitFor: "finished", pollSeconds: 0 });
new DataExport("rows", { taskId: copy.id, scope: "notExported", path: "rows-{n}.ndjson", markExported: true });
new ExtractionTask("whole", {
  from: { sourceTaskId: "template-1", taskGroupId: "group-1" },
  actions: {
    open: { actionType: "NavigateAction", properties: { Url: "https://anywhere.test/" } },
    each: { actionType: "LoopAction", loop: { loopType: "TextList", items: ["any text", "and more"] } },
  },
  startUrls: { urls: ["https://SHOP.example.com/a", "https://eu.shop.example.com/b"] },
});
`;

const bad = `
const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1", forceDestroy: true });
new TaskLoopItems("loop", { taskId: copy.id, actionId: "each", loopType: "UrlList", itemsFile: "good.txt" });
new TaskStartUrls("urls", { taskId: copy.id, file: "mixed.txt" });
new DataExport("rows", { taskId: copy.id, scope: "notExported", path: "rows-{n}.ndjson", markExported: true, onDelete: "removeFile" });
new ExtractionTask("whole", {
  from: { sourceTaskId: "template-1", taskGroupId: "group-1" },
  actions: { each: { actionType: "LoopAction", loop: { loopType: "UrlList", items: [
    "https://shop.example.com/1", new pulumi.Config().requireSecret("item"), "https://shop.example.com/3"] } } },
  startUrls: { urls: ["https://shop.example.com/a", "https://shop.example.com.evil.test/b"] },
  forceDestroy: true,
});
`;

const files = {
  "good.txt": "https://shop.example.com/1\nhttps://nl.shop.example.com/2\n",
  "mixed.txt": "https://shop.example.com/1\nhttps://elsewhere.test/2\n",
};
const strict = {
  "force-destroy": { productionStacks: ["production", "*-prod"] },
  "start-url-hosts": { hosts: ["shop.example.com", "*.shop.example.com"] },
  "loop-items": { maximum: 2 },
};
const secretItem = "https://hidden-host-5517.test/";

for (const native of ["false", "true"]) {
  describe(`the example of a policy pack on the engine, webextract:native ${native}`, () => {
    let world: World;
    let starter: string;
    let pack: string;

    before(async () => {
      starter = mkdtempSync(join(tmpdir(), "webextract-policy-"));
      const secrets = { "test:item": secretItem };
      world = await World.create({
        program: good,
        files,
        stack: "eu-prod",
        secrets,
        path: [starter, pluginFolder()],
        config: { "webextract:native": native },
      });
      world.project.write("strict.json", JSON.stringify(strict));
      pack = await packForEngine(world, starter);
    });
    after(async () => {
      await world.remove();
      rmSync(starter, { recursive: true, force: true });
    });

    it("accepts a program that follows the rules, with its example configuration", async () => {
      const configuration = join(example, "policy-config.json");
      const { output } = await world.project.preview({
        args: ["--policy-pack", pack, "--policy-pack-config", configuration],
      });
      assert.match(output, /✅ webextract@v1\.0\.0/);
      assert.deepEqual(violationsOf(output), []);
      assert.deepEqual(world.operations(), []);
    });

    it("refuses a program that breaks the rules in a preview, with the property and without a secret", async () => {
      world.program(bad);
      const args = ["--policy-pack", pack, "--policy-pack-config", "strict.json"];
      const { output } = await world.project.preview({ args, expect: "failure" });
      const allowed = "allowed: shop.example.com, *.shop.example.com.";
      assert.deepEqual(violationsOf(output), [
        "copy: forceDestroy is true. Remove it, and set WEBEXTRACT_FORCE_DESTROY for a single destroy instead.",
        `loop: itemsFile has URLs that a policy cannot see: use items instead; ${allowed}`,
        'rows: onDelete is "removeFile" and markExported is true: a destroy would remove the only copy of the rows.',
        `urls: file has hosts that are not allowed (elsewhere.test); ${allowed}`,
        "whole: actions.each.loop.items has 3 items; at most 2 are allowed.",
        `whole: actions.each.loop.items[1] is at a host that is not allowed; ${allowed}`,
        "whole: forceDestroy is true. Remove it, and set WEBEXTRACT_FORCE_DESTROY for a single destroy instead.",
        `whole: startUrls.urls[1] is at a host that is not allowed; ${allowed}`,
      ]);
      assert.deepEqual(world.operations(), []);
      assert.deepEqual(world.project.findWritten([secretItem, "hidden-host-5517"]), []);
    });

    it("has defaults: stacks called prod or production, every host, 10000 items", async () => {
      const { output } = await world.project.preview({ args: ["--policy-pack", pack], expect: "failure" });
      assert.deepEqual(violationsOf(output), [
        'rows: onDelete is "removeFile" and markExported is true: a destroy would remove the only copy of the rows.',
      ]);
    });

    it("stops an up before any request, and checks forceDestroy in the stack's configuration", async () => {
      world.program('new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1" });');
      await world.project.configure({ "webextract:forceDestroy": "true" });
      const args = ["--policy-pack", pack, "--policy-pack-config", "strict.json"];
      const { output } = await world.project.up({ args, expect: "failure" });
      assert.deepEqual(violationsOf(output), [
        `${native === "true" ? "default_0_1_0" : "default"}: webextract:forceDestroy is in the stack's configuration: remove it (pulumi config rm).`,
      ]);
      assert.deepEqual(world.operations(), []);
    });

    it("refuses a type that its rules do not know", async () => {
      const types = ["webextract:tasks:Copy", "pulumi-nodejs:dynamic/webextract:Later", "other:index:Webextract"];
      world.program(types.map((type, at) => `new pulumi.ComponentResource("${type}", "new-${at}");`).join("\n"));
      const { output } = await world.project.preview({ args: ["--policy-pack", pack], expect: "failure" });
      assert.deepEqual(
        violationsOf(output),
        types
          .slice(0, 2)
          .map((type, at) => `new-${at}: No rule of this policy pack knows the type ${type}. Update the pack.`),
      );
    });
  });
}

/**
 * The example as it is; where the engine's host of Node.js programs is too old to start a policy pack (one that `npm run engine` builds is), a
 * copy with the runtime that takes the starter instead.
 */
async function packForEngine({ project }: World, starter: string): Promise<string> {
  const { output } = await project.preview({ args: ["--policy-pack", example], expect: "either" });
  if (!/could not read plugin .*not supported/.test(output)) {
    return example;
  }
  addPolicyStarter(starter, assert.fail);
  const copy = join(project.root, "policy");
  cpSync(example, copy, { recursive: true, filter: (path) => !path.endsWith("node_modules") });
  writeFileSync(join(copy, "PulumiPolicy.yaml"), "runtime: node\n");
  mkdirSync(join(copy, "node_modules"));
  symlinkSync(packagesIn().sdk, join(copy, "node_modules", "@pulumi"), "junction");
  return copy;
}

/** The violations of mandatory policies, as `RESOURCE: MESSAGE`, in order. */
function violationsOf(output: string): string[] {
  const found = output.matchAll(/^ +- \[mandatory\] .* \(\S+: (.+)\)\n.*\n +(.*)$/gm);
  return [...new Set([...found].map(([, name, message]) => `${name}: ${message}`))].sort();
}
