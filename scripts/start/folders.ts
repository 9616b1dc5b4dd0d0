import { join, resolve } from "node:path";

/** The repository, or a copy of it: everything that `npm start` reads and writes lies below. */
export const projectFolder = resolve(__dirname, "../..");

/** What `npm start` keeps between two calls. Not in git; `npm start -- reset` removes it. */
export const workFolder = join(projectFolder, ".webextract");

/** The emulated service: its tasks, runs and rows. */
export const emulatorState = join(workFolder, "emulator.json");

/** The program that is previewed and applied. */
export const programFile = join(projectFolder, "examples/quickstart/index.ts");
