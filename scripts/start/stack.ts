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

/** A resource as the stack remembers it. */
export interface StackResource {
  urn: string;
  type: string;
  id?: string;
}

/** The stack of the quickstart: a local one, with its state, its settings and its passphrase below .webextract. */
export class Stack {
  private readonly env: NodeJS.ProcessEnv;

  /** @param environment credentials for the service, as CI would set them. */
  constructor(
    private readonly engine: Engine,
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
      // The user's own settings of Pulumi, such as the selected stack, are not touched.
      PULUMI_HOME: join(workFolder, "pulumi-home"),
      PULUMI_STACK: undefined,
      // Pulumi would check the program's types in each preview and each up; `npm run check` does it once.
      PULUMI_NODEJS_TRANSPILE_ONLY: "true",
    };
  }

  /** What the stack holds; `undefined` where there is no stack yet. */
  async resources(): Promise<StackResource[] | undefined> {
    const { code, stdout, stderr } = await this.run(["stack", "export"], { visible: false });
    if (code === 0) return JSON.parse(stdout).deployment?.resources ?? [];
    if (/no stack named/.test(stderr)) return undefined;
    throw new Problem(`The stack cannot be read.\n${stderr}`);
  }

  async create(): Promise<void> {
    await this.succeed(["stack", "init", "--no-select"]);
  }

  /** Writes the settings that differ from what the stack's file holds. */
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

  /** Runs a command before the user's eyes. Answers whether it succeeded. */
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
      // In a process group of its own: see interrupt.ts.
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

/** What is set for a real service has no business here, credentials least of all; only the debug log may be asked for. */
function withoutOwnSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = ([name]: [string, unknown]): boolean => !name.startsWith("WEBEXTRACT_") || name === "WEBEXTRACT_LOG";
  return Object.fromEntries(Object.entries(environment).filter(kept));
}

/** Secrets in the state and in the stack's settings are encrypted with it. Made once. */
function passphraseFile(): string {
  const file = join(workFolder, "passphrase");
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString("base64url"), { mode: 0o600 });
  return file;
}
