import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

function hasProgram(program: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}

/**
 * Installs packages of Debian, unless the program is on PATH. No service of them starts.
 * @returns why the program cannot be had; undefined if it is there
 */
export async function aptInstall(program: string, ...packages: readonly string[]): Promise<string | undefined> {
  if (hasProgram(program)) {
    return undefined;
  }
  const command = `apt-get install -y --no-install-recommends ${packages.join(" ")}`;
  if (process.getuid?.() !== 0 || !hasProgram("apt-get")) {
    return `${program} is missing, and only root can install it: ${command}`;
  }
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  try {
    await run("sh", ["-c", `apt-get update -qq && ${command}`], { env, maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    return `${command} failed: ${String((error as { stderr?: string }).stderr).slice(-500)}`;
  }
  return hasProgram(program) ? undefined : `${command} did not install ${program}`;
}
