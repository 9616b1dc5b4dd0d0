import assert from "node:assert/strict";
import type { Run } from "../harness";
import { World } from "../world";
import type { KilledStep } from "./steps";
import { copyIn, seedFor, subtaskPlaceholder } from "./steps";

/**
 * `host`: the process that runs the handlers. `machine`: all processes at once. `engine`: only the engine; its host still gets its responses.
 * `answer`: no process is killed, but the responses are lost.
 */
export type Kill = "host" | "machine" | "engine" | "answer";

/** The commands after the kill. */
export const nexts = ["an up", "a refresh and an up", "an up --refresh"] as const;
/** The same if the command that is killed has a run label. */
export const labelledNexts = ["an up", "an up without the label and an up with it"] as const;
export type Next = (typeof nexts)[number] | (typeof labelledNexts)[number];

const parallel = ["--parallel", "50"];
const goOn = ["--continue-on-error", ...parallel];

/**
 * An up that a kill interrupts while many resources are each in one of their steps, and the actions of a user after it: the next commands, the
 * solutions that the errors name, and an up that must change nothing.
 */
export class KilledUp {
  /** The run label of the commands. */
  label = "";
  /** Whether the last command of `goOn` failed. */
  private hasFailed = false;
  private readonly ways = new Map<string, Record<string, unknown>>();

  private constructor(
    readonly world: World,
    private readonly steps: readonly KilledStep[],
  ) {}

  /** @param plugin the folder of the native plugin, if the classes run on it */
  static async create(steps: readonly KilledStep[], plugin?: string): Promise<KilledUp> {
    const world = await World.create({
      program: "",
      seed: seedFor(steps),
      emulator: { behaviour: { readsUntilFinished: 1000, startWhileRunning: "newRun" } },
      config: {
        "webextract:concurrency": "50",
        // Requests are held until the last step has sent its own, which takes long on a loaded machine.
        "webextract:timeoutSeconds": "300",
        ...(plugin !== undefined && { "webextract:native": "true" }),
      },
      ...(plugin !== undefined && { path: [plugin] }),
    });
    for (const { prepare } of steps) {
      prepare?.(world.emulator);
    }
    return new KilledUp(world, steps);
  }

  /** Creates the state before the steps. */
  async prepare(): Promise<void> {
    const first = this.steps.filter(({ before }) => before !== undefined);
    if (first.length > 0) {
      this.declare(({ before }) => before);
      await this.world.project.up({ args: parallel });
    }
  }

  /** Starts the step of each resource, and kills when each of their requests is held. */
  async kill(kill: Kill, when: "before" | "after"): Promise<void> {
    const { emulator, project } = this.world;
    this.declare(({ after }) => after);
    const env = this.env();
    if (kill === "answer") {
      for (const step of this.steps) {
        void this.plan(step, (at) => emulator.fault({ ...at, kind: "reset", when, times: 1 }));
      }
      await project.up({ args: goOn, env, expect: "either" });
      return;
    }
    const planned = this.steps.map((step) => this.plan(step, (at) => emulator.hold({ ...at, when })));
    const run = project.start(["up", "--yes", "--skip-preview"], { args: parallel, env });
    await reached(
      run,
      planned.map(async (hold) => (await hold).reached),
    );
    if (kill === "host") {
      run.killHosts();
      await run.done;
    } else if (kill === "machine") {
      run.killAll();
      await run.done;
      await project.run(["cancel", "--yes"]);
    } else {
      const hostsEnded = run.killEngine();
      for (const hold of planned) {
        (await hold).release();
      }
      await Promise.all([run.done, hostsEnded]);
      await project.run(["cancel", "--yes"]);
    }
    emulator.clearFaults();
  }

  /**
   * Plans the fault of a step's request before the request can be sent. A fault without a task would apply to the first
   * request of any step. So it waits for the copy, if the step makes the task.
   */
  private async plan<T>({ at, name }: KilledStep, add: (at: KilledStep["at"]) => T): Promise<T> {
    const { emulator } = this.world;
    const isMade = at.taskId !== undefined || copyIn(emulator, name) !== undefined;
    const copied = isMade ? undefined : emulator.hold({ operation: "copyTask", taskId: name, when: "after" });
    await copied?.reached;
    const planned = add({ ...at, taskId: at.taskId ?? copyIn(emulator, name) });
    copied?.release();
    return planned;
  }

  /** Runs the next commands of a user or a CI job. @returns their output. */
  async goOn(next: Next): Promise<string> {
    const { project } = this.world;
    const earlier =
      next === "a refresh and an up"
        ? await project.refresh({ args: parallel })
        : next === "an up without the label and an up with it"
          ? await project.up({ args: goOn, expect: "either" })
          : undefined;
    const args = next === "an up --refresh" ? ["--refresh", ...goOn] : goOn;
    const up = await project.up({ args, env: this.env(), expect: "either" });
    this.hasFailed = up.code !== 0;
    return `${earlier?.output ?? ""}\n${up.output}`;
  }

  /** Applies the solution of the error for each resource with an unknown outcome. @returns their names. */
  async followTheErrors(output: string): Promise<string[]> {
    const lost = this.steps.filter(({ name }) => isUnknown(output, name));
    for (const step of lost) {
      const isMade = step.once !== undefined && this.times(step.once) === step.once.times;
      const made = isMade ? step.made?.(this.world.emulator) : undefined;
      this.ways.set(step.name, made === undefined ? { retry: "looked, it is not there" } : adopting(step, made));
    }
    if (this.hasFailed) {
      this.declare(({ after }) => after);
      await this.world.project.up({ args: parallel, env: this.env() });
    }
    return lost.map(({ name }) => name);
  }

  /** An up under another label, without what the solutions of the errors have added. */
  async goOnUnder(label: string): Promise<void> {
    this.label = label;
    this.ways.clear();
    this.declare(({ after }) => after);
    await this.world.project.up({ args: parallel, env: this.env() });
  }

  /** Asserts that no effect has happened too often so far. */
  assertNothingTooMuch(): void {
    for (const { name, once } of this.steps) {
      if (once !== undefined) {
        assert.ok(this.times(once) <= once.times, `${name}: ${once.operation} took effect ${this.times(once)} times`);
      }
    }
  }

  async assertSettled(): Promise<void> {
    const { project } = this.world;
    this.assertNothingTooMuch();
    for (const { name, once, settled } of this.steps) {
      if (once !== undefined) {
        assert.equal(this.times(once), once.times, `${name}: ${once.operation}`);
      }
      settled?.(this.world);
    }
    await project.preview({ args: ["--expect-no-changes"], env: this.env() });
    assert.deepEqual(
      project.state().resources.filter(({ id }) => id?.startsWith("unknown-")),
      [],
    );
  }

  /** How often a request had an effect. */
  times({ operation, taskId }: { operation: string; taskId: string }): number {
    return this.world.emulator.requests.filter((request) => {
      const about = request.query.taskId ?? (request.body as { taskId?: string } | undefined)?.taskId;
      return request.operation === operation && request.tookEffect && about === taskId;
    }).length;
  }

  private env(): Record<string, string> {
    return this.label === "" ? {} : { WEBEXTRACT_RUN_LABEL: this.label };
  }

  private declare(argsOf: (step: KilledStep) => object | undefined): void {
    const lines = this.steps.flatMap((step) => {
      const args = argsOf(step);
      const text = JSON.stringify({ ...args, ...this.ways.get(step.name) });
      const line = `new ${step.type}("${step.name}", ${this.withSubtask(text, step.name)});`;
      return args === undefined ? [] : [{ line, copies: !("taskId" in args) }];
    });
    // A resource of a task whose id is a text waits for the copies that are declared before it: it could be one of them.
    this.world.program(
      lines
        .sort((one, other) => Number(one.copies) - Number(other.copies))
        .map(({ line }) => line)
        .join("\n"),
    );
  }

  private withSubtask(text: string, taskId: string): string {
    const subTaskId = this.world.emulator.inspect.runs(taskId)[0]?.subtasks[0]?.subTaskId;
    return text.replaceAll(subtaskPlaceholder, String(subTaskId));
  }
}

function adopting({ adopt = "adoptTaskId", after }: KilledStep, id: string): Record<string, unknown> {
  const from = after?.from as object | undefined;
  return from === undefined ? { [adopt]: id } : { from: { ...from, [adopt]: id } };
}

/** Whether the output contains an error that says that the outcome of this resource's request is unknown. */
function isUnknown(output: string, name: string): boolean {
  const about = `(?:copy of task "${name}" in group "${name}" may exist|paid run of task "${name}" may have started)`;
  return new RegExp(`^\\s*(?:(?:\\*|error:) .*|A )${about}`, "m").test(output);
}

async function reached(run: Run, holds: readonly Promise<void>[]): Promise<void> {
  const ended = run.done.then(({ output }) =>
    assert.fail(`it ended before all steps were where they are to be killed:\n${output}`),
  );
  await Promise.race([Promise.all(holds), ended]);
}
