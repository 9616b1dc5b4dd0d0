import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The path of a program on PATH. */
export function folderOnPath(program: string): string | undefined {
  return (process.env.PATH ?? "").split(delimiter).find((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** The programs that are missing, for a table. */
export function missingPrograms(...programs: readonly string[]): string | undefined {
  const missing = programs.filter((program) => folderOnPath(program) === undefined);
  return missing.length === 0 ? undefined : `not on PATH: ${missing.join(", ")}`;
}
