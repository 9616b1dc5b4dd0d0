import { createHash, randomBytes } from "node:crypto";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import type { Context } from "../../resource";

const ending = ".part";

/**
 * Temporary files of exports that marked rows of a task page by page, and were killed or failed while it was unknown which rows the service
 * had returned. These files are the only record of such an export, because the engine stores nothing of a step that did not end. So the
 * rule for temporary files does not apply to them.
 */
export class AbandonedExports {
  private constructor(
    private readonly key: string,
    private files: string[],
    private readonly folder: string,
    private readonly taskId: string,
    private readonly context: Context,
  ) {}

  /** Those of one task in one folder. */
  static async find(folder: string, taskId: string, context: Context): Promise<AbandonedExports> {
    const key = `marking-${createHash("sha256").update(taskId).digest("hex").slice(0, 8)}`;
    const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") {
        return [];
      }
      throw error;
    });
    const files = names.filter((name) => name.includes(`.${key}.`) && name.endsWith(ending)).sort();
    return new AbandonedExports(key, files, folder, taskId, context);
  }

  get exist(): boolean {
    return this.files.length > 0;
  }

  /** The temporary path of the next export, which would be found if that export were killed. */
  pathFor(output: string): string {
    return join(this.folder, `${basename(output)}.${this.key}.${randomBytes(4).toString("hex")}${ending}`);
  }

  /** What is known of them; undefined if there are none. */
  inWords(): string | undefined {
    if (!this.exist) {
      return undefined;
    }
    const names = this.files.map((name) => `"${this.relative(name)}"`).join(", ");
    return `another export of this task failed, or is running elsewhere. Its rows are in ${names}, one a line. Keep these files: some rows may be marked and are in no other file`;
  }

  /** Gives the files with rows usual names, and warns of each. Call it when no rows of these exports can be missing. */
  async rename(): Promise<void> {
    for (const name of this.files.splice(0)) {
      const path = join(this.folder, name);
      if ((await stat(path)).size === 0) {
        await rm(path);
        continue;
      }
      const kept = `${name.slice(0, -ending.length)}.ndjson`;
      await rename(path, join(this.folder, kept));
      this.context.warn(
        `Task "${this.taskId}": an earlier export failed. The rows that it had read are in "${this.relative(kept)}", one a line. The last line may be cut off. ` +
          `Keep that file: some of its rows are marked as exported and are in no other file. The rows that were not marked are exported again.`,
      );
    }
  }

  private relative(name: string): string {
    return relative(this.context.folder, join(this.folder, name));
  }
}
