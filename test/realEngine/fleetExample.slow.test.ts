import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SeedTask } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { Project, repositoryRoot } from "./harness";

const read = (file: string): string => readFileSync(join(repositoryRoot, "examples/fleet", file), "utf8");

const actions: SeedTask["actions"] = [
  { actionType: "NavigateAction", actionId: "open", properties: { Url: "https://template.test/" } },
];

describe("the example examples/fleet", function () {
  this.timeout(600_000);

  it("makes 200 tasks from the list, and sends only what an edit of the list changes", async () => {
    const emulator = await startEmulator({
      seed: { taskGroups: [{ taskGroupId: "group" }], tasks: [{ taskId: "template", taskGroupId: "group", actions }] },
    });
    const { accessToken } = emulator.credentials;
    const bin = mkdtempSync(join(tmpdir(), "webextract-bin-"));
    writeFileSync(join(bin, "npx"), `#!/bin/sh\nshift; exec node ${join(repositoryRoot, "dist/cli/main.js")} "$@"\n`);
    chmodSync(join(bin, "npx"), 0o755);
    const project = await Project.create({
      name: "fleet",
      path: [bin],
      files: {
        "Pulumi.yaml": read("Pulumi.yaml"),
        "package.json": '{ "private": true }',
        "index.ts": read("index.ts"),
        "shops.csv": read("shops.csv"),
      },
      link: ["typescript", "@types"],
      config: { "webextract:baseUrl": emulator.url, "fleet:templateId": "template", "fleet:groupId": "group" },
      secrets: { "webextract:accessToken": accessToken },
    });
    const sent = (): string[] => {
      const operations = emulator.requests.map(({ operation }) => operation);
      emulator.clearRequests();
      return operations.sort();
    };
    try {
      const { output } = await project.shell(`export PULUMI_STACK=dev\n${read("up.sh")}`);
      assert.match(output, /journal/);
      const writes = sent().filter((operation) => /^(?:copy|update)/.test(operation));
      assert.deepEqual([writes.length, (await project.outputs()).count], [400, 200]);
      const edited = read("shops.csv").replace("https://tea.turin.example/new/", "https://tea.turin.example/sale/");
      project.write("shops.csv", `${edited}turin-wine,https://wine.turin.example/new/\n`);
      const { changeSummary } = await project.previewJson();
      assert.deepEqual(changeSummary, { create: 1, update: 1, same: 200 });
      await project.up();
      // One look at the path before the first copy, and one at the property before its first write.
      const looks = ["getActions", "getData"];
      assert.deepEqual(sent(), ["copyTask", ...looks, "updateTaskParameters", "updateTaskParameters"]);
      assert.equal(emulator.inspect.tasks().length, 202);

      const [header = "", one = "", other = "", ...others] = read("shops.csv").trimEnd().split("\n");
      const [name = ""] = other.split(",");
      emulator.change.insertRows(String(project.resource(name).id), ['{"id":1}']);
      project.write("shops.csv", [header, other, ...others, ""].join("\n"));
      const removed = await project.previewJson();
      // The edits of before are gone too: a changed line and a new one.
      assert.deepEqual(removed.changeSummary, { delete: 2, update: 1, same: 199 });
      await project.up();
      assert.equal((await project.outputs()).count, 199);
      assert.ok(one !== "" && emulator.inspect.tasks().length === 202);
      project.write("shops.csv", [header, ...others, ""].join("\n"));
      assert.match((await project.up({ expect: "failure" })).output, /WEBEXTRACT_FORCE_DESTROY=/);
      await project.up({ env: { WEBEXTRACT_FORCE_DESTROY: "true" } });
      assert.equal((await project.outputs()).count, 198);
    } finally {
      await project.remove();
      await emulator.close();
      rmSync(bin, { recursive: true });
    }
  });
});
