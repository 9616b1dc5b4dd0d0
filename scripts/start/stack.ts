import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parse } from "yaml";
import type { Engine } from "../engine/engine";
import { projectFolder, workFolder } from "./folders";
import { onInterrupt } from "./interrupt";
import { Problem } from "./problem";

const stackName = "local";

/** A resource in the state of the stack. */
export interface StackResource {
  urn: string;
  type: string;
  id?: string;
}

/** The local stack of the quickstart. Its state, configuration and passphrase are below .webextract. */
export class Stack {
  private readonly env: NodeJS.ProcessEnv;

  /** @param environment credentials for the service, as CI would set them. */
  constructor(
    readonly engine: Engine,
    environment: NodeJS.ProcessEnv,
  ) {
    const backend = join(workFolder, "stacks");
    mkdirSync(backend, { recursive: true });
    this.env = {
      ...withoutOwnSettings(engine.env),
      ...environment,
      PULUMI_BACKEND_URL: pathToFileURL(backend).href,
      PULUMI_CONFIG_PASSPHRASE_FILE: passphraseFile(),
      PULUMI_CONFIG_PASSPHRASE: undefined,
      // Leaves the user's Pulumi settings alone, for example the selected stack.
      PULUMI_HOME: join(workFolder, "pulumi-home"),
      PULUMI_STACK: undefined,
      // Pulumi would check the types of the program in each preview and up; `npm run check` does it once.
      PULUMI_NODEJS_TRANSPILE_ONLY: "true",
    };
  }

  /** The resources of the stack; `undefined` if there is no stack. */
  async resources(): Promise<StackResource[] | undefined> {
    const { code, stdout, stderr } = await this.run(["stack", "export"], { visible: false });
    if (code === 0) return JSON.parse(stdout).deployment?.resources ?? [];
    if (/no stack named/.test(stderr)) return undefined;
    throw new Problem(`The stack cannot be read.\n${stderr}`);
  }

  async create(): Promise<void> {
    await this.succeed(["stack", "init", "--no-select"]);
  }

  /** Writes the configuration values that differ from the configuration file. */
  async configure(settings: Record<string, string>): Promise<void> {
    const file = join(workFolder, "config", `Pulumi.${stackName}.yaml`);
    const present = existsSync(file) ? (parse(readFileSync(file, "utf8"))?.config ?? {}) : {};
    const changed = Object.entries(settings).filter(([key, value]) => present[key] !== value);
    if (changed.length === 0) return;
    await this.succeed(["config", "set-all", ...changed.flatMap(([key, value]) => ["--plaintext", `${key}=${value}`])]);
  }

  async outputs(): Promise<Record<string, unknown>> {
    return JSON.parse(await this.succeed(["stack", "output", "--json"]));
  }

  /** Runs a command with its output shown. Returns whether it succeeded. */
  async show(args: string[], environment: NodeJS.ProcessEnv = {}): Promise<boolean> {
    const { code } = await this.run(args, { visible: true, environment });
    return code === 0;
  }

  private async succeed(args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, { visible: false });
    if (code !== 0) throw new Problem(`pulumi ${args[0]} ${args[1]} failed.\n${stderr}`);
    return stdout;
  }

  private run(args: string[], { visible, environment = {} }: RunOptions): Promise<Result> {
    const child = spawn(this.engine.pulumi, [...args, "--stack", stackName], {
      cwd: projectFolder,
      env: { ...this.env, ...environment },
      stdio: ["ignore", visible ? "inherit" : "pipe", visible ? "inherit" : "pipe"],
      // In its own process group: see interrupt.ts.
      detached: true,
    });
    return finish(child);
  }
}

interface RunOptions {
  visible: boolean;
  environment?: NodeJS.ProcessEnv;
}

interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

async function finish(child: ChildProcess): Promise<Result> {
  const stopWatching = onInterrupt(() => child.kill("SIGINT"));
  const written = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    written.stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    written.stderr += text;
  });
  try {
    const code = await new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (status) => resolve(status ?? 1));
    });
    return { code, ...written };
  } finally {
    stopWatching();
  }
}

/** Removes the settings and credentials of a real service. Keeps only the log level. */
function withoutOwnSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = ([name]: [string, unknown]): boolean => !name.startsWith("WEBEXTRACT_") || name === "WEBEXTRACT_LOG";
  return Object.fromEntries(Object.entries(environment).filter(kept));
}

/** The passphrase that encrypts the secrets of the stack. Created once. */
function passphraseFile(): string {
  const file = join(workFolder, "passphrase");
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString("base64url"), { mode: 0o600 });
  return file;
}
