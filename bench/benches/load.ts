import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { newestNodes } from "../../test/package/supportedNodes";
import { nodeFolder } from "../../test/realEngine/harness";
import type { Bench, Figure } from "../figure";
import { inWorkFolder } from "../stage/workFolder";

const run = promisify(execFile);
const program = join(__dirname, "..", "alone", "load.cjs");
/** Other work on the machine disturbs such short times, so each try takes the best of several processes. */
const rounds = 10;

/** The first version with NODE_COMPILE_CACHE. */
const firstWithCache = 22;

/** The time to load the code of the provider process, on each major version of Node.js. Needs npm for the other versions. */
export const load: Bench = {
  name: "load",
  summary:
    "time to load the SDK and the provider, with and without NODE_COMPILE_CACHE; installs other Node.js versions",
  run: async () => {
    const figures: Figure[] = [];
    for (const major of newestNodes) {
      const node = join(await nodeFolder(major), "node");
      await inWorkFolder(async (folder) => {
        const cached = { [`Node ${major}, NODE_COMPILE_CACHE`]: { NODE_COMPILE_CACHE: folder } };
        const ways = { [`Node ${major}`]: {}, ...(Number(major) >= firstWithCache ? cached : {}) };
        figures.push(...(await figuresOf(node, ways)));
      });
    }
    return figures;
  },
};

/** Measures the configurations in turn, so that other work on the machine affects all of them. */
async function figuresOf(node: string, ways: Record<string, NodeJS.ProcessEnv>): Promise<Figure[]> {
  const loads = new Map<string, Load[]>(Object.keys(ways).map((way) => [way, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const [way, env] of Object.entries(ways)) {
      const loaded = await loadOnce(node, env);
      // The first process fills the cache, and reads the files from the disk.
      if (round > 0) loads.get(way)?.push(loaded);
    }
  }
  return [...loads].flatMap(([way, all]): Figure[] => {
    const best = (read: (each: Load) => number): number => Math.min(...all.map(read));
    return [
      { name: `${way}: SDK`, value: best(({ sdk }) => sdk), unit: "ms" },
      { name: `${way}: provider, after the SDK`, value: best(({ provider }) => provider), unit: "ms" },
      { name: `${way}: both, processor time`, value: best(({ processor }) => processor), unit: "ms" },
    ];
  });
}

/** Milliseconds. */
interface Load {
  sdk: number;
  provider: number;
  processor: number;
}

async function loadOnce(node: string, env: NodeJS.ProcessEnv): Promise<Load> {
  const { NODE_COMPILE_CACHE: _none, ...clean } = process.env;
  const { stdout } = await run(node, [program], { env: { ...clean, ...env } });
  return JSON.parse(stdout) as Load;
}
