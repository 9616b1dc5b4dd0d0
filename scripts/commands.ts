import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** The folder of this repository. */
export const repositoryRoot = resolve(__dirname, "..");

export interface CommandResult {
  code: number;
  /** Standard output and standard error. */
  output: string;
}

/** Runs a program of an installed package with this Node.js and collects its output. PATH is not used. */
export function runTool(tool: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<CommandResult> {
  return collected(process.execPath, [programOf(tool), ...args], repositoryRoot, env);
}

/** Runs a program and collects its output. `env` is added to the environment of this process. */
export function collected(
  program: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<CommandResult> {
  return new Promise((done, reject) => {
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    child.once("error", reject);
    child.once("close", (code) => done({ code: code ?? 1, output }));
  });
}

/** The file of a package's program: `mocha`, or `typescript/tsc` if program and package have different names. */
export function programOf(tool: string): string {
  const parts = tool.split("/");
  const nameLength = tool.startsWith("@") ? 2 : 1;
  const program = parts[nameLength] ?? parts[nameLength - 1] ?? tool;
  const folder = join(repositoryRoot, "node_modules", ...parts.slice(0, nameLength));
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    bin: string | Record<string, string>;
  };
  const file = typeof bin === "string" ? bin : bin[program];
  if (file === undefined) {
    throw new Error(`${folder} has no program ${program}`);
  }
  return join(folder, file);
}
