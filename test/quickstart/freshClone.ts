/** A clone of the repository in a temporary folder, in which `npm start` runs without touching the real one's stack, ports or files. */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { scripts } from "../../package.json";
import { coloured } from "../pages/pictures";

const repository = resolve(__dirname, "../..");
const parts = [
  ...["package.json", "package-lock.json", "Pulumi.yaml", "tsconfig.json", "tsconfig.build.json"],
  ...["src", "cli", "plugin", "scripts", "examples/quickstart", "dist"],
  ...[
    "package.json",
    "tsconfig.build.json",
    "redocly.yaml",
    "openapi.yaml",
    "admin.openapi.yaml",
    "bookshop",
    "page",
    "src",
    "dist",
  ].map((name) => `emulator/${name}`),
];
const neverCopied = resolve(repository, "examples/quickstart/rows");

const portsFile = ".webextract/ports.json";

/** What a command ended with: its exit code, and all that it wrote, without and with colours. */
export interface Ended {
  code: number;
  output: string;
  colouredOutput: string;
}

/** The SDK starts with less work, and Node.js reads no further certificates: see the harness of the tests on the engine. */
const leanSdk = join(repository, "test/realEngine/harness/leanSdk.js");
const lean = { NODE_EXTRA_CA_CERTS: undefined, PROGRAM_IS_TYPESCRIPT: "true" };

export class FreshClone {
  /** Whether `npm start` runs as users run it. If not, each command of the engine takes a second less. */
  asUsersDo = true;
  /** Whether npm starts it, which passes signals on in its own way. If not, its script is started without npm. */
  withNpm = true;
  /** Modules that each process of Node.js loads first. */
  readonly preloaded: string[] = [];

  private constructor(readonly folder: string) {}

  /** As `npm start` remembers them. */
  get ports(): { emulator: number; site: number } {
    return JSON.parse(this.read(portsFile));
  }

  static async make(): Promise<FreshClone> {
    const folder = mkdtempSync(join(tmpdir(), "webextract-quickstart-"));
    for (const part of parts.filter((name) => existsSync(join(repository, name)))) {
      cpSync(join(repository, part), join(folder, part), {
        recursive: true,
        filter: (source) => resolve(source) !== neverCopied,
      });
    }
    symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
    const clone = new FreshClone(folder);
    clone.write(portsFile, JSON.stringify({ emulator: 0, site: 0 }));
    return clone;
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), "utf8");
  }

  write(file: string, text: string): void {
    mkdirSync(join(this.folder, file, ".."), { recursive: true });
    writeFileSync(join(this.folder, file), text);
  }

  /** Changes one place of a file, as a user would. */
  edit(file: string, from: string, to: string): void {
    const before = this.read(file);
    if (before.split(from).length !== 2) throw new Error(`${file} does not hold "${from}" exactly once.`);
    this.write(file, before.replace(from, to));
  }

  exists(file: string): boolean {
    return existsSync(join(this.folder, file));
  }

  /** Runs `npm start -- …args` to its end. `whileRunning` sees what was written so far at each new piece. */
  start(args: string[] = [], whileRunning?: (output: string, child: ChildProcess) => void): Promise<Ended> {
    const command = this.withNpm ? ["npm", "start", "--silent", "--"] : scripts.start.split(" ");
    const [program = "", ...before] = command;
    const child = spawn(program, [...before, ...args], {
      cwd: this.folder,
      env: this.environment(),
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own, so that a test can press Ctrl-C as a terminal does: for all of it at once.
      detached: true,
    });
    let output = "";
    let colouredOutput = "";
    const onText = (text: string): void => {
      colouredOutput += text;
      output += stripVTControlCharacters(text);
      whileRunning?.(output, child);
    };
    child.stdout.setEncoding("utf8").on("data", onText);
    child.stderr.setEncoding("utf8").on("data", onText);
    return new Promise((settle, reject) => {
      child.once("error", reject);
      // An end by a signal is told as a shell tells it.
      child.once("close", (code, signal) =>
        settle({ code: code ?? 128 + constants.signals[signal ?? "SIGKILL"], output, colouredOutput }),
      );
    });
  }

  private environment(): NodeJS.ProcessEnv {
    const modules = this.asUsersDo ? this.preloaded : [leanSdk, ...this.preloaded];
    const options = modules.map((file) => `--require ${JSON.stringify(file)}`).join(" ");
    return {
      ...process.env,
      ...coloured,
      ...(this.asUsersDo ? {} : lean),
      ...(options === "" ? {} : { NODE_OPTIONS: options }),
    };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
