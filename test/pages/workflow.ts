import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";

export interface Step {
  name?: string;
  uses?: string;
  with?: { command?: string; "continue-on-error"?: boolean } & Record<string, unknown>;
  run?: string;
  if?: string;
  env?: Record<string, string>;
}

/** A workflow of `examples/ci`, read as the runner reads it. */
export interface Workflow {
  jobs: Record<string, { steps: Step[] }>;
}

/** The steps of all jobs, in their order, with those of our own action in its place. */
export function stepsOf({ jobs }: Workflow): Step[] {
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  return steps.flatMap((step) => (step.uses?.startsWith(`${ourAction}@`) ? actionSteps(step) : [step]));
}

export const ourAction = "pulumi-webextract/pulumi-webextract";

/** The steps of `action.yml` for the inputs of a step that uses it. They have the variables of that step, too. */
export function actionSteps({ with: given = {}, env }: Pick<Step, "with" | "env">): Step[] {
  const text = readFileSync(join(__dirname, "../../action.yml"), "utf8");
  const { inputs, runs } = parse(text) as {
    inputs: Record<string, { required?: boolean; default?: string }>;
    runs: { steps: Step[] };
  };
  const unknown = Object.keys(given).filter((name) => !(name in inputs));
  if (unknown.length > 0) throw new Error(`action.yml has no input ${unknown.join()}`);
  const filledIn = (value: string): string =>
    value.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_whole, name: string) => {
      const input = given[name] ?? inputs[name]?.default;
      if (input === undefined) throw new Error(`the action needs the input ${name}`);
      return String(input);
    });
  return runs.steps.map((step) => {
    const own = Object.entries(step.env ?? {}).map(([name, value]) => [name, filledIn(value)]);
    return { ...step, env: { ...env, ...Object.fromEntries(own) } };
  });
}

/** How a step ended. */
export interface Ending {
  outcome: "success" | "failure" | "skipped";
  error?: unknown;
}

/** Does steps in their order as GitHub does: after a failure only those whose condition allows it. @returns the endings by the titles of the steps */
export async function doSteps(
  steps: readonly Step[],
  does: (step: Step) => Promise<void>,
): Promise<Map<string, Ending>> {
  const endings = new Map<string, Ending>();
  for (const step of steps) {
    const hasFailed = [...endings.values()].some(({ outcome }) => outcome === "failure");
    const ending: Ending =
      step.if === "always()" || !hasFailed
        ? await does(step).then(
            () => ({ outcome: "success" }),
            (error: unknown) => ({ outcome: "failure", error }),
          )
        : { outcome: "skipped" };
    if (step.if !== undefined && step.if !== "always()") throw new Error(`nobody evaluates the condition ${step.if}`);
    endings.set(titleOf(step), ending);
  }
  return endings;
}

function titleOf({ name, run, uses }: Step): string {
  return name ?? run ?? uses?.replace(/@.*/, "") ?? "";
}

export function readWorkflow(name: string): Workflow {
  return parse(readFileSync(join(__dirname, "../../examples/ci", name), "utf8")) as Workflow;
}

/** A machine that starts empty, for one run of a workflow. */
export class Runner {
  private readonly root = mkdtempSync(join(tmpdir(), "webextract-runner-"));
  /** Where the repository is checked out, and files of the cache are put. */
  readonly workspace = join(this.root, "workspace");
  readonly temp = join(this.root, "temp");
  /** What steps have written to `$GITHUB_ENV`, for all later ones. */
  private jobEnvironment: Record<string, string> = {};

  /**
   * @param values what `${{ secrets.NAME }}`, `${{ vars.NAME }}` and `${{ github.NAME }}` stand for; `created_at` is when the run of the workflow was
   * made, which `gh run view` says. Without it, the workflow was started by hand.
   */
  constructor(
    private readonly workflow: Workflow,
    private readonly values: Readonly<Record<string, string>>,
  ) {
    mkdirSync(this.workspace);
    mkdirSync(this.temp);
    const command = `run view ${values.run_id} --json createdAt --jq .createdAt[:10]`;
    const gh = `#!/bin/sh\ntest "$*" = "${command}" && test -n "$GH_TOKEN" && echo "${values.created_at?.slice(0, 10)}"\n`;
    writeFileSync(join(this.temp, "gh"), gh, { mode: 0o755 });
  }

  /** The variables of a step, also by its name or by what it uses; without those of Pulumi's own service. */
  environmentOf(step: string | Step): Record<string, string> {
    const { env = {} } = typeof step === "string" ? this.find(step) : step;
    const given = Object.entries(env).filter(([name]) => !name.startsWith("PULUMI_"));
    return {
      ...this.jobEnvironment,
      ...Object.fromEntries(given.map(([name, value]) => [name, this.filledIn(value)])),
    };
  }

  /** Runs the commands of a step as GitHub's runner does. */
  run(step: string): void {
    const { run = "false" } = this.find(step);
    const forJob = join(this.temp, "env");
    rmSync(forJob, { force: true });
    execFileSync("bash", ["-e", "-c", run], {
      cwd: this.workspace,
      env: {
        PATH: `${this.temp}:${process.env.PATH}`,
        GITHUB_ENV: forJob,
        GITHUB_RUN_ID: this.values.run_id,
        GITHUB_EVENT_NAME: this.values.created_at === undefined ? "workflow_dispatch" : "schedule",
        ...this.environmentOf(step),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.jobEnvironment = { ...this.jobEnvironment, ...valuesIn(forJob) };
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  private find(step: string): Step {
    const found = stepsOf(this.workflow).find(({ name, uses }) => name === step || uses?.startsWith(`${step}@`));
    if (found === undefined) throw new Error(`the workflow has no step ${step}`);
    return found;
  }

  filledIn(text: string): string {
    return text.replace(
      /\$\{\{ (?:(runner\.temp)|(?:secrets|vars|github)\.([\w.]+)) \}\}/g,
      (_whole, temp, name: string) => {
        const value = temp === undefined ? { token: "token-of-github", ...this.values }[name] : this.temp;
        if (value === undefined) throw new Error(`nothing stands for ${name}`);
        return value;
      },
    );
  }
}

/** The lines `NAME=VALUE` that a step has written to a file. */
function valuesIn(file: string): Record<string, string> {
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  return Object.fromEntries(lines.map((line) => line.split("=", 2)));
}
