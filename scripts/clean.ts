/** `npm run clean`: removes what a build leaves. The engine's cache is shared with others and stays. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "./commands";

for (const dist of ["dist", "emulator/dist"]) rmSync(join(repositoryRoot, dist), { recursive: true, force: true });
