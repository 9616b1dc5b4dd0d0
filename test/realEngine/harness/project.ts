import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { parse, stringify } from "yaml";
import type { Engine } from "../../../scripts/engine/engine";
import { ensureEngine } from "../../../scripts/engine/ensureEngine";
import type { Finding } from "./findInFolder";
import { findInFolder, findInText } from "./findInFolder";
import { keyService } from "./keyService";
import { keepStack, keptStack } from "./newStack";
import { packagesIn, repositoryRoot } from "./package";
import type { RunResult } from "./run";
import { Run } from "./run";
import type { State, StateResource } from "./state";
import { readState } from "./state";

export interface ProjectOptions {
  /** The program, as the text of index.js. JavaScript needs no type check by the engine, which saves seconds a run. */
  program?: string;
  /** Further files of the program, or all of its files: path in the program's folder -> content. */
  files?: Readonly<Record<string, string>>;
  /** An existing program folder with a Pulumi.yaml, run where it is. Nothing but `Pulumi.STACK.yaml` is written there. */
  folder?: string;
  /** How the program gets the package. `symlink` (default): by a link to `dist` of this repository. `none`: `files` contains it. */
  install?: "symlink" | "none";
  /** Further packages of this repository to link: `typescript`, `tsx`. */
  link?: readonly string[];
  /** Name of the project (default `test`), and of the stack (default `dev`). */
  name?: string;
  stack?: string;
  /** Configuration, with namespaces: `webextract:baseUrl`. */
  config?: Readonly<Record<string, string>>;
  /** Secret configuration, encrypted in the stack's file. */
  secrets?: Readonly<Record<string, string>>;
  /** Environment variables, added to the environment of the test run without its PULUMI_ and WEBEXTRACT_ variables, and without further certificates. */
  env?: Readonly<Record<string, string>>;
  /** Folders at the beginning of PATH. */
  path?: readonly string[];
  /** Default: the first engine that `ensureEngine` finds. */
  engine?: Engine;
  /**
   * A folder into which npm has installed an SDK and the packed package. Default: `TEST_SDK` in the environment, as in `npm run test:newest`, or this
   * repository.
   */
  sdk?: string;
  /**
   * Whether the SDK starts with less work, see `leanSdk.js`, and the stack has no passphrase, see `keyService.ts`. Default: only for `program`. Not for
   * measurements. `transpiled` keeps TypeScript, but does not check types: for a program that another test runs as users do.
   */
  leanSdk?: boolean | "transpiled";
}

export interface RunOptions {
  /** Further arguments. */
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Any other result makes the call reject, with the output in the message. Default: `success`. */
  expect?: "success" | "failure" | "either";
}

export interface NodeOptions {
  env?: Readonly<Record<string, string>>;
  within?: string;
}

const always = ["--non-interactive", "--color", "never"];

/** The environment of a command that starts the SDK with less work, see {@link ProjectOptions.leanSdk}. */
export function leanStart(isTypeScript: boolean): Record<string, string> {
  return { ...leanSdk, ...(isTypeScript ? transpiled : {}) };
}

const leanSdk = {
  NODE_OPTIONS: `--require ${JSON.stringify(join(__dirname, "leanSdk.js"))}`,
  // The engine collects its garbage less often, which saves a twentieth of a short command, and takes more memory than that of a user.
  GOGC: "400",
};
const transpiled = { PROGRAM_IS_TYPESCRIPT: "true", PULUMI_NODEJS_TRANSPILE_ONLY: "true" };

let sharedEngine: Promise<Engine> | undefined;

async function firstEngine(): Promise<Engine> {
  sharedEngine ??= ensureEngine();
  return await sharedEngine;
}

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
    const engine = options.engine ?? (await firstEngine());
    const root = mkdtempSync(join(tmpdir(), "webextract-"));
    for (const folder of ["program", "state", "home", "tmp"]) {
      mkdirSync(join(root, folder));
    }
    const name = options.name ?? "test";
    const folder = options.folder ?? join(root, "program");
    const PATH = [...(options.path ?? []), engine.env.PATH].join(delimiter);
    const isLean = options.leanSdk ?? (options.program !== undefined && options.folder === undefined);
    const start = isLean ? leanStart(isLean === "transpiled") : {};
    const hasPassphrase = !isLean || options.env?.PULUMI_CONFIG_PASSPHRASE !== undefined;
    const keys = hasPassphrase ? {} : { VAULT_ADDR: await keyService() };
    const env = { ...cleanEnvironment({ ...engine.env, PATH }, root), ...start, ...keys, ...options.env };
    const project = new Project(root, folder, name, options.stack ?? "dev", engine, env);
    if (options.folder === undefined) {
      project.layOut(options);
    }
    await project.addStack(options.secrets ?? {});
    await project.configure(options.config ?? {});
    return project;
  }

  /** Writes or replaces a file of the program. */
  write(path: string, content: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), content);
  }

  /** Adds to the configuration. Writes plain values directly into the stack's file, which saves a start of the engine. */
  async configure(
    plain: Readonly<Record<string, string>>,
    secrets: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    if (Object.keys(plain).length > 0) {
      this.changeSettings({ config: plain });
    }
    if (Object.keys(secrets).length > 0) {
      const pairs = Object.entries(secrets).flatMap(([key, value]) => ["--secret", `${key}=${value}`]);
      await this.run(["config", "set-all", ...pairs]);
    }
  }

  async preview(options?: RunOptions): Promise<RunResult> {
    return await this.run(["preview"], options);
  }

  /** `pulumi up` without its preview. Use {@link preview} for a preview. */
  async up(options?: RunOptions): Promise<RunResult> {
    return await this.run(["up", "--yes", "--skip-preview"], options);
  }

  async refresh(options?: RunOptions): Promise<RunResult> {
    return await this.run(["refresh", "--yes", "--skip-preview"], options);
  }

  async destroy(options?: RunOptions): Promise<RunResult> {
    return await this.run(["destroy", "--yes", "--skip-preview"], options);
  }

  /** Runs any other command of the engine to its end. */
  async run(command: readonly string[], options: RunOptions = {}): Promise<RunResult> {
    const result = await this.start(command, options).done;
    const expected = options.expect ?? "success";
    if (expected !== "either" && (result.code === 0) !== (expected === "success")) {
      throw new Error(`pulumi ${command[0]} ended with ${result.code}, expected ${expected}:\n${result.output}`);
    }
    return result;
  }

  /** Runs a script of the program's folder with Node.js to its end, for programs that use the Automation API. */
  async script(path: string): Promise<RunResult> {
    const result = await this.node([path]);
    if (result.code !== 0) {
      throw new Error(`${path} ended with ${result.code}:\n${result.output}`);
    }
    return result;
  }

  /**
   * Runs Node.js to its end, with the environment of the engine.
   * @param within a folder of the program
   */
  async node(args: readonly string[], { env = {}, within = "." }: NodeOptions = {}): Promise<RunResult> {
    const cwd = join(this.folder, within);
    return await this.watch(new Run(process.execPath, args, { cwd, env: { ...this.env, ...env } })).done;
  }

  /** Runs a command line in the program's folder, as a shell of a CI runner or of cron does. `pulumi` is on PATH. */
  async shell(command: string, { env }: Pick<RunOptions, "env"> = {}): Promise<RunResult> {
    const run = new Run("bash", ["-eo", "pipefail", "-c", command], { cwd: this.folder, env: { ...this.env, ...env } });
    const result = await this.watch(run).done;
    if (result.code !== 0) {
      throw new Error(`${command} ended with ${result.code}:\n${result.output}`);
    }
    return result;
  }

  /** Starts a command and returns at once, for a test that interrupts it, kills a process, or inspects the run. */
  start(command: readonly string[], options: Omit<RunOptions, "expect"> = {}): Run {
    // The arguments of the test come last, so that they override the defaults.
    const args = [...command, "--stack", this.stack, ...always, ...(options.args ?? [])];
    const [verb, noun] = command;
    const takesStack = verb !== "do" && (verb !== "stack" || noun !== "init") && !command.includes("--help");
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

  /** The steps of a preview, from `pulumi preview --json`. */
  async previewJson(options: Omit<RunOptions, "expect"> = {}): Promise<PreviewPlan> {
    const result = await this.run(["preview", "--json"], options);
    return JSON.parse(result.stdout) as PreviewPlan;
  }

  /** The outputs of the stack, with secrets in clear text. Read without a start of the engine if there is no secret. */
  async outputs(): Promise<Record<string, unknown>> {
    const outputs = this.state().resources.find(({ type }) => type === "pulumi:pulumi:Stack")?.outputs ?? {};
    if (!JSON.stringify(outputs).includes('"ciphertext"')) {
      return outputs;
    }
    const result = await this.run(["stack", "output", "--json", "--show-secrets"]);
    // Left out of the search for secrets, because this output contains them on purpose.
    this.everything.splice(this.everything.indexOf(result.output), 1);
    return JSON.parse(result.stdout) as Record<string, unknown>;
  }

  /** `pulumi stack export`: the state, with encrypted secrets. */
  async exportStack(): Promise<unknown> {
    return JSON.parse((await this.run(["stack", "export"])).stdout);
  }

  /** The state in the backend, read without a start of the engine. Secrets are encrypted. */
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

  /** Searches every file under `root` and the output of every run. */
  findWritten(needles: readonly string[]): Finding[] {
    const outputs = this.everything.flatMap((output, index) =>
      findInText(`output of run ${index + 1}`, output, needles),
    );
    return [...findInFolder(this.root, needles), ...outputs];
  }

  /** Ends all running commands and removes the folder. */
  async remove(): Promise<void> {
    const left = [...this.runs];
    for (const run of left) {
      run.killAll();
    }
    await Promise.all(left.map((run) => run.done));
    rmSync(this.root, { recursive: true, force: true });
  }

  private async addStack(secrets: Readonly<Record<string, string>>): Promise<void> {
    const { PULUMI_CONFIG_PASSPHRASE: passphrase, VAULT_ADDR: keys } = this.env;
    const key = JSON.stringify([this.name, this.stack, passphrase, keys, secrets]);
    const made = keptStack(key);
    if (made !== undefined) {
      cpSync(made.state, join(this.root, "state"), { recursive: true });
      this.changeSettings(parse(made.settings));
      return;
    }
    const hadSettings = existsSync(this.settingsFile);
    const provider = keys === undefined ? [] : ["--secrets-provider", "hashivault://test"];
    await this.run(["stack", "init", this.stack, ...provider]);
    await this.configure({}, secrets);
    if (!hadSettings) {
      keepStack(key, this.settingsFile, join(this.root, "state"));
    }
  }

  private changeSettings(added: StackSettings): void {
    const settings: StackSettings = existsSync(this.settingsFile) ? parse(readFileSync(this.settingsFile, "utf8")) : {};
    const config = { ...settings?.config, ...added.config };
    writeFileSync(this.settingsFile, stringify({ ...settings, ...added, config }));
  }

  private get settingsFile(): string {
    return join(this.folder, `Pulumi.${this.stack}.yaml`);
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
      const { own: source, sdk } = packagesIn(options.sdk);
      // A link to the repository itself would make the engine search all its folders for plugins, which takes longer than the start of the program.
      const own = join(modules, "pulumi-webextract");
      mkdirSync(own);
      cpSync(join(source, "package.json"), join(own, "package.json"));
      symlinkSync(join(source, "dist"), join(own, "dist"), "junction");
      symlinkSync(sdk, join(modules, "@pulumi"), "junction");
    }
    for (const name of options.link ?? []) {
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(join(repositoryRoot, "node_modules", name), join(modules, name), "junction");
    }
  }
}

/** The part of `Pulumi.STACK.yaml` that is changed here. */
interface StackSettings {
  config?: Record<string, unknown>;
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

/**
 * Keeps settings of the user out of the test, and files of the test inside `root`. With `NODE_EXTRA_CA_CERTS`, each start of Node.js reads all
 * certificates, which doubles its time.
 */
function cleanEnvironment(environment: NodeJS.ProcessEnv, root: string): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(
    ([name]) => !/^(PULUMI_|WEBEXTRACT_|VAULT_|NODE_EXTRA_CA_CERTS$)/.test(name),
  );
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
