import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ResourceError } from "../../resources/resource";
import type { PlannedFile } from "./adoptedFiles";

/**
 * Writes the planned files. Files that have their content already are left alone. The caller has asked before files with other content are replaced.
 * @throws ResourceError that names the file and what was written before
 */
export function writeFiles(files: readonly PlannedFile[], folder: string): string[] {
  const written: string[] = [];
  for (const { path, content, present } of files) {
    if (present === "same") {
      continue;
    }
    try {
      const full = resolve(folder, path);
      mkdirSync(dirname(full), { recursive: true });
      // A file that has appeared since the plan is not replaced: nobody was asked about it.
      writeFileSync(full, content, { flag: present === "nothing" ? "wx" : "w" });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const why = code === "EEXIST" ? "it has appeared in the meantime, or is not a folder" : String(code ?? error);
      const before = written.length === 0 ? "No file was written." : `Written before: ${written.join(", ")}.`;
      throw new ResourceError(`"${path}" cannot be written: ${why}. ${before} Run the same command again.`);
    }
    written.push(path);
  }
  return written;
}
