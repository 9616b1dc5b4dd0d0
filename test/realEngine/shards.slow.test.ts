import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startEmulator } from "webextract-emulator";
import { Project, repositoryRoot } from "./harness";
import { readState } from "./harness/state";

const shards = ["shard-1", "shard-2", "shard-3", "shard-4"];
const tasksOfShard = 500;
const requestsPerSecond = 200;

const manifestOf = (shard: string): string => {
  const tasks = Array.from(
    { length: tasksOfShard },
    (_, index) =>
      `  ${shard}-${index}: { actions: { open: { actionType: NavigateAction, properties: { Url: "https://shop.test/${shard}/${index}" } } } }`,
  );
  return `defaults:\n  from: { sourceTaskId: template, taskGroupId: group }\ntasks:\n${tasks.join("\n")}\n`;
};

describe("2,000 tasks in four stacks side by side", function () {
  this.timeout(1_800_000);

  it("lose nothing and make nothing twice with a rate limit and one refresh token that rotates", async () => {
    const actions = [{ actionType: "NavigateAction", actionId: "open", properties: { Url: "https://template.test/" } }];
    const emulator = await startEmulator({
      behaviour: { requestsPerSecond, refreshRotation: "oldDies" },
      seed: { taskGroups: [{ taskGroupId: "group" }], tasks: [{ taskId: "template", taskGroupId: "group", actions }] },
    });
    const program = readFileSync(join(repositoryRoot, "examples/fleet/shards/index.ts"), "utf8");
    const project = await Project.create({
      name: "fleet",
      stack: shards[0],
      files: {
        "Pulumi.yaml": "name: fleet\nruntime: nodejs\n",
        "package.json": '{ "private": true }',
        "index.ts": program,
        ...Object.fromEntries(shards.map((shard) => [`tasks/${shard}/tasks.yaml`, manifestOf(shard)])),
      },
      link: ["typescript", "@types"],
      config: {
        "webextract:baseUrl": emulator.url,
        "webextract:tokenStore": "tokens",
        "webextract:requestsPerSecond": String(requestsPerSecond / shards.length),
      },
      secrets: { "webextract:refreshToken": emulator.credentials.refreshToken },
      env: { PULUMI_SKIP_CHECKPOINTS: "true", PULUMI_NODEJS_TRANSPILE_ONLY: "true" },
    });
    const each = (command: string): Promise<unknown> =>
      Promise.all(
        shards.map((shard) => project.run([command, "--yes", "--skip-preview"], { args: ["--stack", shard] })),
      );
    try {
      for (const shard of shards.slice(1)) {
        await project.run(["stack", "init", shard, "--copy-config-from", String(shards[0])]);
      }
      const ended = each("up");
      // The tokens of all stacks expire while they work.
      const hold = emulator.hold({ operation: "copyTask", skip: 1000 });
      await Promise.race([hold.reached, ended]);
      emulator.change.expireAccessTokens();
      hold.release();
      await ended;

      const copies = emulator.inspect.tasks().filter(({ taskId }) => taskId !== "template");
      const urls = copies.map(({ actions: [open] }) => open?.properties.Url).sort();
      const expected = shards.flatMap((shard) =>
        Array.from({ length: tasksOfShard }, (_, index) => `https://shop.test/${shard}/${index}`),
      );
      assert.deepEqual(urls, expected.sort());
      const ids = shards.flatMap((shard) => {
        const file = project.stateFile.replace(`${shards[0]}.json`, `${shard}.json`);
        const tasks = readState(file).resources.filter(({ urn }) => urn.includes(":ExtractionTask::"));
        return tasks.map(({ id }) => String(id));
      });
      assert.deepEqual(ids.sort(), copies.map(({ taskId }) => taskId).sort());

      emulator.clearRequests();
      await each("up");
      assert.deepEqual(emulator.requests, []);
    } finally {
      await project.remove();
      await emulator.close();
    }
  });
});
