import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";

export interface Step {
  name?: string;
  uses?: string;
  with?: { command?: string; "continue-on-error"?: boolean };
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

export function readWorkflow(name: string): Workflow {
  return parse(readFileSync(join(__dirname, "../../examples/ci", name), "utf8")) as Workflow;
}

/** A machine that starts empty, for one run of a workflow. */
export class Runner {
  private readonly root = mkdtempSync(join(tmpdir(), "webextract-runner-"));
  /** Where the repository is checked out, and files of the cache are put. */
  readonly workspace = join(this.root, "workspace");
  private readonly temp = join(this.root, "temp");

  /** @param values what `${{ secrets.NAME }}`, `${{ vars.NAME }}` and `${{ github.NAME }}` stand for. */
  constructor(
    private readonly workflow: Workflow,
    private readonly values: Readonly<Record<string, string>>,
  ) {
    mkdirSync(this.workspace);
    mkdirSync(this.temp);
  }

  /** The variables of a step, by its name or by what it uses; without those of Pulumi's own service. */
  environmentOf(step: string): Record<string, string> {
    const given = Object.entries(this.find(step).env ?? {}).filter(([name]) => !name.startsWith("PULUMI_"));
    return Object.fromEntries(given.map(([name, value]) => [name, this.filledIn(value)]));
  }

  /** Runs the commands of a step as GitHub's runner does with `shell: bash`. */
  run(step: string): void {
    const { run } = this.find(step);
    if (run === undefined || this.workflow.defaults?.run.shell !== "bash")
      throw new Error(`${step} runs nothing in bash`);
    execFileSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", run], {
      cwd: this.workspace,
      env: { PATH: process.env.PATH, ...this.environmentOf(step) },
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  private find(step: string): Step {
    const found = stepsOf(this.workflow).find(({ name, uses }) => name === step || uses?.startsWith(`${step}@`));
    if (found === undefined) throw new Error(`the workflow has no step ${step}`);
    return found;
  }

  private filledIn(text: string): string {
    return text.replace(
      /\$\{\{ (?:(runner\.temp)|(?:secrets|vars|github)\.(\w+)) \}\}/g,
      (_whole, temp, name: string) => {
        const value = temp === undefined ? this.values[name] : this.temp;
        if (value === undefined) throw new Error(`nothing stands for ${name}`);
        return value;
      },
    );
  }
}
