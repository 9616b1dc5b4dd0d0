import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";

export interface Step {
  id?: string;
  name?: string;
  uses?: string;
  with?: {
    command?: string;
    "continue-on-error"?: boolean;
    key?: string;
    "restore-keys"?: string;
    "fail-on-cache-miss"?: boolean;
  };
  run?: string;
  if?: string;
  env?: Record<string, string>;
}

/** A workflow of `examples/ci`, read as the runner reads it. */
export interface Workflow {
  defaults?: { run: { shell: string } };
  jobs: Record<string, { steps: Step[] }>;
}

/** The steps of all jobs, in their order. */
export function stepsOf({ jobs }: Workflow): Step[] {
  return Object.values(jobs).flatMap(({ steps }) => steps);
}

/** What a step writes to `$GITHUB_OUTPUT`. */
export type Outputs = Readonly<Record<string, string>>;

/** How a step ended. */
export interface Ending {
  outcome: "success" | "failure" | "skipped";
  outputs: Outputs;
  error?: unknown;
}

/** Does steps in their order as GitHub does: after a failure only those whose condition allows it. @returns the endings by the titles of the steps */
export async function doSteps(
  steps: readonly Step[],
  does: (step: Step) => Promise<Outputs | undefined>,
): Promise<Map<string, Ending>> {
  const endings = new Map<string, Ending>();
  const byId = new Map<string | undefined, Ending>();
  for (const step of steps) {
    const hasFailed = [...endings.values()].some(({ outcome }) => outcome === "failure");
    const ending: Ending = isDue(step, hasFailed, byId)
      ? await does(step).then(
          (outputs = {}) => ({ outcome: "success", outputs }),
          (error: unknown) => ({ outcome: "failure", outputs: {}, error }),
        )
      : { outcome: "skipped", outputs: {} };
    endings.set(titleOf(step), ending);
    byId.set(step.id, ending);
  }
  return endings;
}

function isDue({ if: condition }: Step, hasFailed: boolean, byId: ReadonlyMap<string | undefined, Ending>): boolean {
  return (condition ?? "success()").split(" && ").every((part) => {
    const [, id, output = ""] = /^steps\.(\w+)\.outputs\.(\w+)$/.exec(part) ?? [];
    if (id !== undefined) return Boolean(byId.get(id)?.outputs[output]);
    if (part !== "always()" && part !== "success()") throw new Error(`nobody evaluates the condition ${part}`);
    return part === "always()" || !hasFailed;
  });
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
  private readonly temp = join(this.root, "temp");
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

  /** The variables of a step, by its name or by what it uses; without those of Pulumi's own service. */
  environmentOf(step: string): Record<string, string> {
    const given = Object.entries(this.find(step).env ?? {}).filter(([name]) => !name.startsWith("PULUMI_"));
    return {
      ...this.jobEnvironment,
      ...Object.fromEntries(given.map(([name, value]) => [name, this.filledIn(value)])),
    };
  }

  /** Runs the commands of a step as GitHub's runner does with `shell: bash`. */
  run(step: string): Outputs {
    const { run } = this.find(step);
    if (run === undefined || this.workflow.defaults?.run.shell !== "bash")
      throw new Error(`${step} runs nothing in bash`);
    const written = join(this.temp, "output");
    const forJob = join(this.temp, "env");
    for (const file of [written, forJob]) rmSync(file, { force: true });
    execFileSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", run], {
      cwd: this.workspace,
      env: {
        PATH: `${this.temp}:${process.env.PATH}`,
        GITHUB_OUTPUT: written,
        GITHUB_ENV: forJob,
        GITHUB_RUN_ID: this.values.run_id,
        GITHUB_EVENT_NAME: this.values.created_at === undefined ? "workflow_dispatch" : "schedule",
        ...this.environmentOf(step),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.jobEnvironment = { ...this.jobEnvironment, ...valuesIn(forJob) };
    return valuesIn(written);
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
      /\$\{\{ (?:(runner\.temp)|(?:secrets|vars|github)\.(\w+)) \}\}/g,
      (_whole, temp, name: string) => {
        const value = temp === undefined ? { token: "token-of-github", ...this.values }[name] : this.temp;
        if (value === undefined) throw new Error(`nothing stands for ${name}`);
        return value;
      },
    );
  }
}

/** The lines `NAME=VALUE` that a step has written to a file. */
function valuesIn(file: string): Outputs {
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  return Object.fromEntries(lines.map((line) => line.split("=", 2)));
}
