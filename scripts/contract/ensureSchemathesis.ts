import { execFile } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Pinned, because a new version can find more. */
const version = "4.32.5";

/**
 * Returns the path of schemathesis. It is looked for in the cache, `pulumi-webextract` in the user's cache folder, and otherwise installed once from PyPI into
 * a virtual environment there.
 * @throws Error if Python 3.10 or later is missing.
 */
export async function ensureSchemathesis(environment: NodeJS.ProcessEnv, say: (line: string) => void): Promise<string> {
  const cache = join(environment.XDG_CACHE_HOME || join(homedir(), ".cache"), "pulumi-webextract");
  const folder = join(cache, `schemathesis-${version}`);
  const bin = join(folder, process.platform === "win32" ? "Scripts" : "bin");
  const program = join(bin, "schemathesis");
  if (existsSync(join(folder, "complete"))) return program;
  const python = await findPython();
  say(`Installing schemathesis ${version} from PyPI (once, about a minute).`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  await run(python, ["-m", "venv", folder]);
  await run(join(bin, "python"), ["-m", "pip", "install", "--quiet", `schemathesis==${version}`], { env: environment });
  mkdirSync(join(folder, "complete"));
  return program;
}

async function findPython(): Promise<string> {
  const check = "import sys, venv; sys.exit(sys.version_info < (3, 10))";
  for (const name of ["python3", "python"]) {
    if (
      await run(name, ["-c", check])
        .then(() => true)
        .catch(() => false)
    )
      return name;
  }
  throw new Error(
    "The contract tests need Python 3.10 or later with venv, and neither python3 nor python is one. Install it (https://www.python.org/downloads/) and try again.",
  );
}
