import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "../../fastCheck";
import type { Run } from "../harness";
import { World } from "../world";
import { copyIn } from "./steps";

/** `engine`: only the engine. `host`: only the process of the resources. `machine`: all processes at once. */
const kinds = ["engine", "host", "machine"] as const;

/** A kill in the middle of an up. */
export interface FleetKill {
  kind: (typeof kinds)[number];
  /** The number of requests before the one during which the kill comes. */
  skip: number;
  when: "before" | "after";
}

const rowsOfTask = 3;
const old = "https://old.test/item";
const requestsOfTask = 9;

/** Kills at random moments. Each up has fewer requests left than the one before. */
export function randomKills(tasks: number, count: number): FleetKill[] {
  const moments = fc.tuple(fc.constantFrom(...kinds), fc.double({ min: 0.05, max: 0.5, noNaN: true }), fc.boolean());
  const [kills = []] = fc.sample(fc.array(moments, { minLength: count, maxLength: count }), {
    numRuns: 1,
    seed: Number(process.env.FAST_CHECK_SEED),
  });
  return kills.map(([kind, share, isBefore], index) => ({
    kind,
    skip: Math.floor((share * tasks * requestsOfTask) / (index + 1)),
    when: isBefore ? "before" : "after",
  }));
}

/**
 * A fleet that the engine makes without checkpoints: each task with settings and an append, a run, and an export that marks its rows. Each
 * task is the copy of its own template, so that the test knows whose a copy is.
 */
export class KilledFleet {
  /** The solutions of the errors, by the names of the resources. */
  private readonly solutions = new Map<string, string>();

  private constructor(
    readonly world: World,
    private readonly tasks: number,
  ) {}

  static async create(tasks: number, config: Readonly<Record<string, string>> = {}): Promise<KilledFleet> {
    const names = Array.from({ length: tasks }, (_, index) => `task-${index}`);
    const world = await World.create({
      program: "",
      seed: {
        taskGroups: names.map((taskGroupId) => ({ taskGroupId })),
        tasks: names.map((taskId) => ({
          taskId,
          taskGroupId: taskId,
          syntheticRows: rowsOfTask,
          syntheticSubtasks: 1,
          actions: [
            { actionType: "NavigateAction", actionId: "open", properties: { Url: "https://old.test/" } },
            { actionType: "LoopAction", actionId: "each", loopType: "UrlList", loopItems: [old] },
          ],
        })),
      },
      config: { "webextract:journal": "journal", ...config },
      env: { PULUMI_SKIP_CHECKPOINTS: "true" },
    });
    return new KilledFleet(world, tasks);
  }

  /** Starts an up, and kills it at that moment. */
  async kill({ kind, skip, when }: FleetKill): Promise<void> {
    const { emulator, project } = this.world;
    this.declare();
    const hold = emulator.hold({ operation: "*", skip, when });
    const run = project.start(["up", "--yes", "--skip-preview"], { args: ["--parallel", "16"] });
    const isReached = await Promise.race([hold.reached.then(() => true), run.done.then(() => false)]);
    if (isReached) {
      await end(run, kind, () => hold.release());
      await project.run(["cancel", "--yes"], { expect: "either" });
    }
    emulator.clearFaults();
  }

  /** Runs the next ups, as a user does who follows the errors. @returns their output, and the number of ups. */
  async finish(): Promise<{ output: string; ups: number }> {
    let written = "";
    for (let ups = 1; ; ups++) {
      this.declare();
      const args = ["--continue-on-error", "--parallel", "16"];
      const { code, output } = await this.world.project.up({ args, expect: "either" });
      written += output;
      if (code === 0) {
        return { output: written, ups };
      }
      assert.ok(ups < 5, `the errors do not end:\n${output}`);
      this.followTheErrors();
    }
  }

  /** Each task, run and mark exists once, and no setting and no row is missing. */
  async assertWhole(): Promise<void> {
    const { emulator, project } = this.world;
    for (let index = 0; index < this.tasks; index++) {
      const name = `task-${index}`;
      assert.equal(this.times("copyTask", name), 1, `copies of ${name}`);
      const taskId = String(copyIn(emulator, name));
      assert.equal(this.times("startTask", taskId), 1, `runs of ${name}`);
      const [open, each] = emulator.inspect.task(taskId)?.actions ?? [];
      assert.equal(open?.properties.Url, `https://new.test/${index}`);
      assert.deepEqual(each?.loopItems, [old, "a", "b"]);
      assert.equal(this.times("markExported", taskId), 1, `marks of ${name}`);
      assert.equal(emulator.inspect.exportedCount(taskId), rowsOfTask);
      this.assertRowsAreInFiles(name, taskId);
    }
    assert.equal(emulator.inspect.tasks().length, 2 * this.tasks);
    await project.preview({ args: ["--expect-no-changes"] });
    // A killed process leaves its temporary files.
    const entries = readdirSync(join(project.folder, "journal")).filter((file) => file.endsWith(".json"));
    assert.deepEqual(entries, [], "entries of the journal");
  }

  private assertRowsAreInFiles(name: string, taskId: string): void {
    const folder = join(this.world.project.folder, "rows", name);
    const files = readdirSync(folder).filter((file) => file.endsWith(".ndjson"));
    const lines = files.flatMap((file) => readFileSync(join(folder, file), "utf8").trim().split("\n"));
    const expected = this.world.emulator.inspect.rows(taskId).map((row) => JSON.stringify(row));
    assert.deepEqual([...new Set(lines.filter((line) => line !== ""))].sort(), expected.sort(), `rows of ${name}`);
  }

  /** How often a request had an effect. */
  private times(operation: string, taskId: string): number {
    return this.world.emulator.requests.filter((request) => {
      const about = request.query.taskId ?? (request.body as { taskId?: string } | undefined)?.taskId;
      return request.operation === operation && request.tookEffect && about === taskId;
    }).length;
  }

  /** Adopts what the service has, and sends again what it does not have. */
  private followTheErrors(): void {
    const { emulator, project } = this.world;
    for (const { urn, id, inputs } of project.state().resources) {
      if (id?.startsWith("unknown-")) {
        const name = urn.split("::").at(-1) ?? "";
        const isRun = urn.includes(":CloudRun::");
        const made = isRun ? emulator.inspect.runs(String(inputs?.taskId)).at(-1)?.lotNo : copyIn(emulator, name);
        const adopt = isRun ? "adoptLotNo" : "adoptTaskId";
        this.solutions.set(isRun ? `run-${name}` : name, made === undefined ? 'retry: "again"' : `${adopt}: "${made}"`);
      }
    }
  }

  private declare(): void {
    const lines = Array.from({ length: this.tasks }, (_, index) => {
      const name = `task-${index}`;
      const solution = this.solutions.get(name) ?? "";
      const [adopt, retry] = solution.startsWith("adopt") ? [solution, ""] : ["", solution];
      return `
const t${index} = new ExtractionTask("${name}", {
  from: { sourceTaskId: "${name}", taskGroupId: "${name}", ${adopt} },
  actions: {
    open: { actionType: "NavigateAction", properties: { Url: "https://new.test/${index}" } },
    each: { actionType: "LoopAction", loop: { loopType: "UrlList", mode: "append", items: ["a", "b"] } },
  },
  ${retry}
});
const r${index} = new CloudRun("${name}", { taskId: t${index}.id, waitFor: "finished", pollSeconds: 0, ${this.solutions.get(`run-${name}`) ?? ""} });
new DataExport("${name}", { taskId: r${index}.taskId, scope: "notExported", path: "rows/${name}/{n}.ndjson", markExported: true, triggers: [r${index}.id] });
`;
    });
    this.world.program(lines.join(""));
  }
}

async function end(run: Run, kind: FleetKill["kind"], release: () => void): Promise<void> {
  if (kind === "host") {
    run.killHosts();
    await run.done;
  } else if (kind === "machine") {
    run.killAll();
    await run.done;
  } else {
    const hostsEnded = run.killEngine();
    release();
    await Promise.all([run.done, hostsEnded]);
  }
}
