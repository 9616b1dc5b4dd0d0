import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What `listModules.cjs` records. */
interface LoadedModule {
  /** `package` if a file of this package loaded it, directly or indirectly; `closure` for a serialized closure. */
  what: string;
  file: string;
}

/** The environment in which each Node.js process records in this folder what it loads. */
export function recordModules(folder: string): Record<string, string> {
  return { NODE_OPTIONS: `--require ${join(__dirname, "listModules.cjs")}`, BENCH_MODULES_FOLDER: folder };
}

/** What the processes of this kind have recorded. */
export function modulesOf(folder: string, kind: "dynamic-provider" | "run" | "plugin"): LoadedModule[] {
  const lists = readdirSync(folder).filter((file) => file.startsWith(`${kind}-`));
  if (lists.length === 0) {
    throw new Error(`no process recorded its modules as ${kind}`);
  }
  const lines = lists.flatMap((list) => readFileSync(join(folder, list), "utf8").trim().split("\n"));
  return lines.map((line) => {
    const [what = "", file = ""] = line.split("\t");
    return { what, file };
  });
}
