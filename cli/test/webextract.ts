import assert from "node:assert/strict";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Emulator, EmulatorOptions, Hold, SeedTask } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { eachTest } from "../../test/eachTest";
import type { PseudoTerminalOptions } from "./pseudoTerminal";
import { PseudoTerminal } from "./pseudoTerminal";
import type { Ended } from "./runInFolder";
import { runInFolder } from "./runInFolder";

export type { Ended };

/** The built command, which users run. */
export const program = join(__dirname, "../../dist/cli/main.js");

/** A task with rows that a run makes without opening a page. */
export const shop: SeedTask = {
  taskId: "shop-1",
  taskGroupId: "shops",
  syntheticRows: 25,
  syntheticSubtasks: 3,
  actions: [],
};

export interface Running {
  process: ChildProcessWithoutNullStreams;
  /** Resolves when standard error contains this. */
  says(pattern: RegExp): Promise<void>;
  ended: Promise<Ended>;
}

/** Gives each test of a `describe` a world. */
export function useCliWorld(...options: Parameters<typeof CliWorld.create>): CliWorld {
  return eachTest(() => CliWorld.create(...options));
}

/** The emulator, and a folder in which commands run. */
export class CliWorld {
  readonly folder = mkdtempSync(join(tmpdir(), "webextract-cli-"));

  private constructor(readonly emulator: Emulator) {}

  static async create(options: EmulatorOptions = {}): Promise<CliWorld> {
    const seed = { taskGroups: [{ taskGroupId: "shops" }], tasks: [shop] };
    return new CliWorld(await startEmulator({ seed, ...options }));
  }

  /** What a command finds in its environment. */
  get environment(): Record<string, string> {
    const { accessToken, apiKey } = this.emulator.credentials;
    return {
      WEBEXTRACT_BASE_URL: this.emulator.url,
      WEBEXTRACT_ACCESS_TOKEN: accessToken,
      WEBEXTRACT_API_KEY: apiKey,
      WEBEXTRACT_TOKEN_STORE: this.path("tokens"),
      WEBEXTRACT_MAX_RETRIES: "0",
    };
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /**
   * Starts a command. An undefined variable is not in its environment.
   * @param shell runs it, as "$@"
   */
  start(args: readonly string[], environment: Record<string, string | undefined> = {}, shell = 'exec "$@"'): Running {
    const env = { PATH: process.env.PATH, HOME: this.folder, ...this.environment, ...environment };
    const line = ["-c", shell, "sh", process.execPath, program, ...args];
    const child = spawn("/bin/sh", line, { cwd: this.folder, env });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const ended = once(child, "close").then(([code]) => ({
      code: code as number | null,
      stdout,
      stderr,
      json: () => JSON.parse(stdout),
    }));
    const says = async (pattern: RegExp): Promise<void> => {
      while (!pattern.test(stderr)) {
        const isOver = await Promise.race([once(child.stderr, "data").then(() => false), ended.then(() => true)]);
        assert.ok(!isOver || pattern.test(stderr), `ended without saying ${pattern}: ${stderr}`);
      }
    };
    return { process: child, says, ended };
  }

  /** Starts a command on a terminal of its own. */
  startOnTerminal(args: readonly string[], options: PseudoTerminalOptions = {}): PseudoTerminal {
    const env = { ...this.environment, HOME: this.folder, ...options.env };
    return new PseudoTerminal([program, ...args], { ...options, cwd: this.folder, env });
  }

  /** Runs a command to its end, in this process: the start of the built program takes longer than most commands. */
  run(
    args: string | readonly string[],
    environment: Record<string, string | undefined> = {},
    input: string | Buffer = "",
  ): Promise<Ended> {
    return runInFolder(typeof args === "string" ? args.split(" ") : args, {
      folder: this.folder,
      environment: { PATH: process.env.PATH, HOME: this.folder, ...this.environment, ...environment },
      input,
    });
  }

  /** Runs the built program to its end, for what only a process can show. */
  runProgram(args: string, environment: Record<string, string | undefined> = {}, input = ""): Promise<Ended> {
    const running = this.start(args.split(" "), environment);
    running.process.stdin.end(input);
    return running.ended;
  }

  private readonly holds: Hold[] = [];

  /** Resolves when a request of this operation waits for its answer. */
  holdAnswer(request: Parameters<Emulator["hold"]>[0]): Promise<void> {
    const hold = this.emulator.hold(request);
    this.holds.push(hold);
    return hold.reached;
  }

  releaseAnswers(): void {
    for (const hold of this.holds.splice(0)) {
      hold.release();
    }
  }

  /** A run that has ended. Answers its lotNo. */
  async finishedRun(): Promise<string> {
    const lotNo = this.emulator.change.startRun(shop.taskId);
    await this.emulator.settled();
    return lotNo;
  }

  /** The lotNo of the latest run. */
  get latestRun(): string | undefined {
    return this.emulator.inspect.runs(shop.taskId).at(-1)?.lotNo;
  }

  /** Names of the operations since the last call, in order. */
  operations(): string[] {
    const names = this.emulator.requests.map(({ operation }) => operation);
    this.emulator.clearRequests();
    return names;
  }

  async remove(): Promise<void> {
    this.releaseAnswers();
    await this.emulator.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A PATH on which `pulumi` is this program. */
export function fakePulumi(world: CliWorld, code: string): string {
  const folder = world.path("bin");
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/pulumi`, `#!${process.execPath}\n${code}\n`);
  chmodSync(`${folder}/pulumi`, 0o755);
  return `${folder}${delimiter}${process.env.PATH}`;
}
