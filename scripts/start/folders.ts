import { join, resolve } from "node:path";

/** The folder of the repository. `npm start` reads and writes only files below it. */
export const projectFolder = resolve(__dirname, "../..");

/** The files that `npm start` keeps. Ignored by git; `npm start -- reset` deletes them. */
export const workFolder = join(projectFolder, ".webextract");

/** State of the emulator: tasks, runs and rows. */
export const emulatorState = join(workFolder, "emulator.db");

/** The Pulumi program of the quickstart. */
export const programFile = join(projectFolder, "examples/quickstart/index.ts");
