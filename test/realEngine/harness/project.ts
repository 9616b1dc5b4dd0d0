import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { parse, stringify } from "yaml";
import type { Engine } from "../../../scripts/engine/engine";
import { ensureEngine } from "../../../scripts/engine/ensureEngine";
import type { Finding } from "./findInFolder";
import { findInFolder, findInText } from "./findInFolder";
import { repositoryRoot } from "./package";
import type { RunResult } from "./run";
import { Run } from "./run";
import type { State, StateResource } from "./state";
import { readState } from "./state";

export interface ProjectOptions {
  /** The program, as the text of index.js. JavaScript needs no type check by the engine, which saves seconds a run. */
  program?: string;
  /** More files, or all of them: path in the program's folder -> content. */
  files?: Readonly<Record<string, string>>;
  /** An existing program folder with a Pulumi.yaml, run where it is. Nothing but `Pulumi.STACK.yaml` is written there. */
  folder?: string;
  /** How the package gets in. `symlink` (default): a link to this repository. `none`: the files bring it. */
  install?: "symlink" | "none";
  /** More packages of this repository to link beside it: `typescript`, `tsx`. */
  link?: readonly string[];
  /** Name of the project (default `test`), and of the stack (default `dev`). */
  name?: string;
  stack?: string;
  /** Configuration, with namespaces: `webextract:baseUrl`. */
  config?: Readonly<Record<string, string>>;
  /** The same for secrets: encrypted in the stack's file. */
  secrets?: Readonly<Record<string, string>>;
  /** Environment on top of a clean one, which has no PULUMI_ or WEBEXTRACT_ variable of the caller's. */
  env?: Readonly<Record<string, string>>;
  /** Folders to put first on PATH: programs there are taken before all others. */
  path?: readonly string[];
}

export interface RunOptions {
  /** More arguments. */
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** What is not expected makes the call reject, with all output in the message. Default: `success`. */
  expect?: "success" | "failure" | "either";
}

const always = ["--non-interactive", "--color", "never"];

let sharedEngine: Promise<Engine> | undefined;

/**
 * A Pulumi project in a temporary folder, driven with the real engine: its own backend, home and folder for temporary files, so that
 * everything that a run writes is under `root` and can be searched.
 */
export class Project {
  private readonly everything: string[] = [];
  private readonly runs = new Set<Run>();

  private constructor(
    /** The temporary folder: `program`, `state`, `home`, `tmp`. */
    readonly root: string,
    /** Where Pulumi.yaml is. */
    readonly folder: string,
    readonly name: string,
    readonly stack: string,
    private readonly engine: Engine,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  /** Makes the folder and the stack. End it with {@link remove}. */
  static async create(options: ProjectOptions): Promise<Project> {
    sharedEngine ??= ensureEngine();
    const engine = await sharedEngine;
    const root = mkdtempSync(join(tmpdir(), "webextract-"));
    for (const folder of ["program", "state", "home", "tmp"]) {
      mkdirSync(join(root, folder));
    }
    const name = options.name ?? "test";
    const folder = options.folder ?? join(root, "program");
    const PATH = [...(options.path ?? []), engine.env.PATH].join(delimiter);
    const env = { ...cleanEnvironment({ ...engine.env, PATH }, root), ...options.env };
    const project = new Project(root, folder, name, options.stack ?? "dev", engine, env);
    if (options.folder === undefined) {
      project.layOut(options);
    }
    await project.run(["stack", "init", project.stack]);
    await project.configure(options.config ?? {}, options.secrets ?? {});
    return project;
  }

  /** Writes a file of the program, anew or over the old one. */
  write(path: string, content: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), content);
  }

  /** Adds to the configuration. Plain values go straight into the stack's file, which saves starting the engine for them. */
  async configure(
    plain: Readonly<Record<string, string>>,
    secrets: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    if (Object.keys(plain).length > 0) {
      const file = join(this.folder, `Pulumi.${this.stack}.yaml`);
      const settings = (existsSync(file) ? parse(readFileSync(file, "utf8")) : {}) ?? {};
      writeFileSync(file, stringify({ ...settings, config: { ...settings.config, ...plain } }));
    }
    if (Object.keys(secrets).length > 0) {
      const pairs = Object.entries(secrets).flatMap(([key, value]) => ["--secret", `${key}=${value}`]);
      await this.run(["config", "set-all", ...pairs]);
    }
  }

  async preview(options?: RunOptions): Promise<RunResult> {
    return await this.run(["preview"], options);
  }

  /** `pulumi up` without its preview, which a test that wants one calls for itself. */
  async up(options?: RunOptions): Promise<RunResult> {
    return await this.run(["up", "--yes", "--skip-preview"], options);
  }

  async refresh(options?: RunOptions): Promise<RunResult> {
    return await this.run(["refresh", "--yes", "--skip-preview"], options);
  }

  async destroy(options?: RunOptions): Promise<RunResult> {
    return await this.run(["destroy", "--yes", "--skip-preview"], options);
  }

  /** Any other command of the engine, to its end. */
  async run(command: readonly string[], options: RunOptions = {}): Promise<RunResult> {
    const result = await this.start(command, options).done;
    const expected = options.expect ?? "success";
    if (expected !== "either" && (result.code === 0) !== (expected === "success")) {
      throw new Error(`pulumi ${command[0]} ended with ${result.code}, expected ${expected}:\n${result.output}`);
    }
    return result;
  }

  /** Runs a script of the program's folder with Node.js, to its end: for programs that drive the engine themselves (Automation API). */
  async script(path: string): Promise<RunResult> {
    const run = new Run(process.execPath, [path], { cwd: this.folder, env: this.env });
    const result = await this.watch(run).done;
    if (result.code !== 0) {
      throw new Error(`${path} ended with ${result.code}:\n${result.output}`);
    }
    return result;
  }

  /** Starts a command and returns at once: for a test that interrupts it, kills something, or looks while it runs. */
  start(command: readonly string[], options: Omit<RunOptions, "expect"> = {}): Run {
    // Arguments of the test come last: they count where both give an option.
    const args = [...command, "--stack", this.stack, ...always, ...(options.args ?? [])];
    const takesStack = (command[0] !== "stack" || command[1] !== "init") && !command.includes("--help");
    const run = new Run(this.engine.pulumi, takesStack ? args : [...command, ...always], {
      cwd: this.folder,
      env: { ...this.env, ...options.env },
    });
    return this.watch(run);
  }

  private watch(run: Run): Run {
    this.runs.add(run);
    run.done.then(
      ({ output }) => {
        this.runs.delete(run);
        this.everything.push(output);
      },
      () => this.runs.delete(run),
    );
    return run;
  }

  /** What a preview would do, as `pulumi preview --json` says it. */
  async previewJson(options: Omit<RunOptions, "expect"> = {}): Promise<PreviewPlan> {
    const result = await this.run(["preview", "--json"], options);
    return JSON.parse(result.stdout) as PreviewPlan;
  }

  /** The stack's outputs, secrets in the clear. */
  async outputs(): Promise<Record<string, unknown>> {
    const result = await this.run(["stack", "output", "--json", "--show-secrets"]);
    // Not kept for the search: secrets were asked for here.
    this.everything.splice(this.everything.indexOf(result.output), 1);
    return JSON.parse(result.stdout) as Record<string, unknown>;
  }

  /** `pulumi stack export`: the state, secrets encrypted. */
  async exportStack(): Promise<unknown> {
    return JSON.parse((await this.run(["stack", "export"])).stdout);
  }

  /** The state as it lies in the backend, without starting the engine. Secrets are encrypted. */
  state(): State {
    return readState(this.stateFile);
  }

  /** One resource of the state, by its name in the program. */
  resource(name: string): StateResource {
    const found = this.state().resources.find(({ urn }) => urn.endsWith(`::${name}`));
    if (found === undefined) {
      throw new Error(`no resource ${name} in the state`);
    }
    return found;
  }

  /** The backend's file of this stack. */
  get stateFile(): string {
    return join(this.root, "state", ".pulumi", "stacks", this.name, `${this.stack}.json`);
  }

  /** Searches all that was written so far: every file under `root`, and the output of every run. */
  findWritten(needles: readonly string[]): Finding[] {
    const outputs = this.everything.flatMap((output, index) =>
      findInText(`output of run ${index + 1}`, output, needles),
    );
    return [...findInFolder(this.root, needles), ...outputs];
  }

  /** Ends what still runs and removes the folder. */
  async remove(): Promise<void> {
    const left = [...this.runs];
    for (const run of left) {
      run.killAll();
    }
    await Promise.all(left.map((run) => run.done));
    rmSync(this.root, { recursive: true, force: true });
  }

  private layOut(options: ProjectOptions): void {
    const files = {
      "Pulumi.yaml": `name: ${this.name}\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n`,
      "package.json": JSON.stringify({ name: this.name, private: true, main: "index.js" }),
      ...(options.program === undefined ? {} : { "index.js": options.program }),
      ...options.files,
    };
    for (const [path, content] of Object.entries(files)) {
      this.write(path, content);
    }
    const modules = join(this.folder, "node_modules");
    mkdirSync(modules, { recursive: true });
    if (options.install !== "none") {
      symlinkSync(repositoryRoot, join(modules, "pulumi-webextract"), "junction");
      symlinkSync(join(repositoryRoot, "node_modules", "@pulumi"), join(modules, "@pulumi"), "junction");
    }
    for (const name of options.link ?? []) {
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(join(repositoryRoot, "node_modules", name), join(modules, name), "junction");
    }
  }
}

/** The part of `pulumi preview --json` that tests read. */
export interface PreviewPlan {
  steps: {
    op: string;
    urn: string;
    diffReasons?: string[];
    replaceReasons?: string[];
    detailedDiff?: Record<string, { kind: string; inputDiff: boolean }>;
    oldState?: StateResource;
    newState?: StateResource;
  }[];
  diagnostics?: { urn?: string; message: string; severity: string }[];
  changeSummary: Record<string, number>;
}

/** Nothing of the person who runs the tests gets in, and nothing of the test gets out of `root`. */
function cleanEnvironment(environment: NodeJS.ProcessEnv, root: string): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(([name]) => !/^(PULUMI_|WEBEXTRACT_)/.test(name));
  return {
    ...Object.fromEntries(kept),
    HOME: join(root, "home"),
    TMPDIR: join(root, "tmp"),
    PULUMI_HOME: join(root, "home", ".pulumi"),
    PULUMI_BACKEND_URL: `file://${join(root, "state")}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
  };
}
