import { createHash } from "node:crypto";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Context } from "../resource";
import { partEnding } from "./exportFile";

/**
 * Files of exports that marked rows of a task as they went, and were killed or broke off while nobody knew what the service had handed out.
 * They are all that remembers it: the engine keeps nothing of a step that it never saw the end of.
 */
export class LeftOvers {
  private constructor(
    /** What the names of such files hold, beside a number: one task's exports alone. */
    readonly key: string,
    /** Their names. */
    readonly files: string[],
    private readonly folder: string,
    private readonly taskId: string,
    private readonly context: Context,
  ) {}

  static async find(folder: string, taskId: string, context: Context): Promise<LeftOvers> {
    const key = `marking-${createHash("sha256").update(taskId).digest("hex").slice(0, 8)}`;
    const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") {
        return [];
      }
      throw error;
    });
    const files = names.filter((name) => name.includes(`.${key}.`) && name.endsWith(partEnding)).sort();
    return new LeftOvers(key, files, folder, taskId, context);
  }

  /** What is known of them; undefined where there are none. */
  inWords(): string | undefined {
    if (this.files.length === 0) {
      return undefined;
    }
    const names = this.files.map((name) => `"${this.relative(name)}"`).join(", ");
    return `an export broke off, or is under way elsewhere, that reads into ${names} (one row a line; some may be marked and come nowhere else: keep them)`;
  }

  /** They have done their duty: those with rows become files as any other, and are named once. */
  async giveNames(): Promise<void> {
    for (const name of this.files.splice(0)) {
      const path = join(this.folder, name);
      for (const format of ["json", "csv"]) {
        await rm(`${path}.${format}`, { force: true });
      }
      if ((await stat(path)).size === 0) {
        await rm(path);
        continue;
      }
      const kept = `${name.slice(0, -partEnding.length)}.ndjson`;
      await rename(path, join(this.folder, kept));
      this.context.warn(
        `Task "${this.taskId}": an earlier export broke off. The rows that it had read are in "${this.relative(kept)}", one a line; the last one may be cut off. ` +
          `Some are marked as exported and come nowhere else: keep that file. Those that were not marked come again.`,
      );
    }
  }

  private relative(name: string): string {
    return relative(this.context.folder, join(this.folder, name));
  }
}
