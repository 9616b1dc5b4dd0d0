import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { programFile, projectFolder } from "./folders";

/** What to try next, with the place in the program where a change is worth seeing. */
export function adviceAfterUp(): string {
  const line =
    readFileSync(programFile, "utf8")
      .split("\n")
      .findIndex((text) => text.includes("MaxPages:")) + 1;
  const place = `${relative(projectFolder, programFile)}${line > 0 ? `:${line}` : ""}`;
  return `
What next?
  npm start                 again, without an edit: nothing changes, and no request is made for it
  ${place}
                            set MaxPages to another number and run npm start again: that property is in
                            the diff, and the run that depends on it starts again
  npm start -- preview      only look
  npm start -- destroy      take it all down; the service keeps the empty task, for it cannot delete one
  npm start -- reset        forget the stack and the emulated service`;
}
