import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SeedTask } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { Project, repositoryRoot } from "./harness";

const read = (file: string): string => readFileSync(join(repositoryRoot, "examples/fleet", file), "utf8");

const actions: SeedTask["actions"] = [
  { actionType: "NavigateAction", actionId: "open", properties: { Url: "https://template.test/" } },
  { actionType: "PaginationAction", actionId: "pages", properties: { MaxPages: "1" } },
];

describe("the example examples/fleet", function () {
  this.timeout(600_000);

  it("makes 200 tasks from the list, and sends only what an edit of the list changes", async () => {
    const emulator = await startEmulator({
      seed: { taskGroups: [{ taskGroupId: "group" }], tasks: [{ taskId: "template", taskGroupId: "group", actions }] },
    });
    const { accessToken } = emulator.credentials;
    const project = await Project.create({
      name: "fleet",
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
      const [, up = ""] = read("up.sh").split("# #region up");
      await project.shell(`export PULUMI_STACK=dev\n${up}`);
      assert.deepEqual([sent().length, (await project.outputs()).count], [400, 200]);
      const edited = read("shops.csv").replace("https://tea.turin.example/new/", "https://tea.turin.example/sale/");
      project.write("shops.csv", `${edited}turin-wine,https://wine.turin.example/new/,1\n`);
      const { changeSummary } = await project.previewJson();
      assert.deepEqual(changeSummary, { create: 1, update: 1, same: 200 });
      await project.up();
      assert.deepEqual(sent(), ["copyTask", "updateTaskParameters", "updateTaskParameters"]);
      assert.equal(emulator.inspect.tasks().length, 202);
    } finally {
      await project.remove();
      await emulator.close();
    }
  });
});
