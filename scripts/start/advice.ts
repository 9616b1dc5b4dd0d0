import { readFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import type { Engine } from "../engine/engine";
import { programFile, projectFolder } from "./folders";

/** What to try next, with the line of the program to change, and where the engine is. */
export function adviceAfterUp({ pulumi }: Engine): string {
  const line =
    readFileSync(programFile, "utf8")
      .split("\n")
      .findIndex((text) => /^\s*items:/.test(text)) + 1;
  const place = `${relative(projectFolder, programFile)}${line > 0 ? `:${line}` : ""}`;
  return `
What next?
  npm start                 run it again without an edit: nothing changes, and no request is made
  ${place}
                            add "signed" to the list and run npm start again: the diff shows the longer
                            list and the new run
  npm start -- preview      show the preview only
  npm start -- destroy      destroy the stack; the empty task stays, because the service cannot delete a task
  npm start -- reset        delete the stack and the state of the emulator

The engine is ${pulumi}. To use it yourself: export PATH="${dirname(pulumi)}:$PATH"`;
}
