/** `npm run clean`: removes the output of the build. The cache of the engine stays, because other projects use it too. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "./commands";

for (const dist of ["dist", "emulator/dist"]) rmSync(join(repositoryRoot, dist), { recursive: true, force: true });
