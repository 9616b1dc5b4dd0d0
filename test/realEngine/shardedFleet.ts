import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator, Seed } from "webextract-emulator";
import { Project, repositoryRoot } from "./harness";
import { readState } from "./harness/state";

const firstShard = "shard-1";

/** Rate limit of the account that the shards share. */
export const requestsPerSecond = 200;

export const shardedSeed: Seed = {
  taskGroups: [{ taskGroupId: "group" }],
  tasks: [
    {
      taskId: "template",
      taskGroupId: "group",
      actions: [{ actionType: "NavigateAction", actionId: "open", properties: { Url: "https://template.test/" } }],
    },
  ],
};

/** Stacks with the program and the settings of the guide, which work side by side. */
export class ShardedFleet {
  private constructor(
    readonly project: Project,
    private readonly tasksOfShard: number,
    private readonly shards: readonly string[],
  ) {}

  /** @param settings of the stacks. The variables of a job count only without them. */
  static async create(
    emulator: Emulator,
    tasksOfShard: number,
    count = 4,
    settings: Readonly<Record<string, string>> = {
      "webextract:tokenStore": "tokens",
      "webextract:requestsPerSecond": String(requestsPerSecond / count),
    },
  ): Promise<ShardedFleet> {
    const shards = Array.from({ length: count }, (_, index) => `shard-${index + 1}`);
    const program = readFileSync(join(repositoryRoot, "examples/fleet/shards/index.ts"), "utf8");
    const project = await Project.create({
      name: "fleet",
      stack: firstShard,
      files: {
        "Pulumi.yaml": "name: fleet\nruntime: nodejs\n",
        "package.json": '{ "private": true }',
        "index.ts": program,
        ...Object.fromEntries(shards.map((shard) => [`tasks/${shard}/tasks.yaml`, manifestOf(shard, tasksOfShard)])),
      },
      link: ["typescript", "@types"],
      config: { "webextract:baseUrl": emulator.url, ...settings },
      secrets: { "webextract:refreshToken": emulator.credentials.refreshToken },
      env: { PULUMI_SKIP_CHECKPOINTS: "true", PULUMI_NODEJS_TRANSPILE_ONLY: "true" },
    });
    for (const shard of shards.slice(1)) {
      await project.run(["stack", "init", shard, "--copy-config-from", firstShard]);
    }
    return new ShardedFleet(project, tasksOfShard, shards);
  }

  /** Runs a command in all stacks at the same time. */
  each(command: string): Promise<unknown> {
    return Promise.all(
      this.shards.map((shard) => this.project.run([command, "--yes", "--skip-preview"], { args: ["--stack", shard] })),
    );
  }

  /** The URLs that the manifests declare. */
  declaredUrls(): string[] {
    return this.shards.flatMap((shard) => Array.from({ length: this.tasksOfShard }, (_, index) => urlOf(shard, index)));
  }

  /** The ids of the tasks in the states. */
  taskIds(): string[] {
    return this.shards.flatMap((shard) => {
      const file = this.project.stateFile.replace(`${firstShard}.json`, `${shard}.json`);
      const tasks = readState(file).resources.filter(({ urn }) => urn.includes(":ExtractionTask::"));
      return tasks.map(({ id }) => String(id));
    });
  }

  remove(): Promise<void> {
    return this.project.remove();
  }
}

function urlOf(shard: string, index: number): string {
  return `https://shop.test/${shard}/${index}`;
}

function manifestOf(shard: string, count: number): string {
  const tasks = Array.from(
    { length: count },
    (_, index) =>
      `  ${shard}-${index}: { actions: { open: { actionType: NavigateAction, properties: { Url: "${urlOf(shard, index)}" } } } }`,
  );
  return `defaults:\n  from: { sourceTaskId: template, taskGroupId: group }\ntasks:\n${tasks.join("\n")}\n`;
}
