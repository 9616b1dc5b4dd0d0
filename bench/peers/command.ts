import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { ensureBuilt } from "../../scripts/start/build";
import { namesOf, number, numbers } from "../arguments";
import { machine } from "../report";
import { measurePeers } from "./measurePeers";
import { peers } from "./peers";
import type { PeersResult } from "./result";

interface Options {
  tasks: number[];
  tries: number;
  rate: boolean;
  peer?: string[];
  save: boolean;
}

const folder = join(__dirname, "..", "results");

/** The rate limit for `--rate`. */
const requestsPerSecond = 20;

/** `npm run bench -- peers`: measures each number of tasks, and saves each result at once. */
export const peersCommand = new Command("peers")
  .description("Measures this package, other ways to do the same work, and the engine alone.")
  .option("--tasks <numbers>", "numbers of tasks, with commas between them", numbers, [25, 100, 500])
  .option("--tries <number>", "number of measurements of each peer; the best time counts", number, 1)
  .option("--rate", `with a service that accepts ${requestsPerSecond} requests per second`, false)
  .option("--peer <names...>", "measure only these peers; the saved result contains no others", namesOf(peers))
  .option("--no-save", "do not write bench/results/peers-*.json")
  .addHelpText("after", `\nPeers:\n${peers.map(({ name, summary }) => `  ${name.padEnd(16)}${summary}`).join("\n")}`)
  .action(run);

async function run({ tasks, tries, rate, peer, save }: Options): Promise<void> {
  await ensureBuilt((line) => console.error(line));
  const say = (line: string): void => console.error(line);
  const limit = rate ? { requestsPerSecond } : {};
  for (const each of tasks) {
    const results = await measurePeers({ tasks: each, tries, only: peer, say, ...limit });
    const measuredAt = new Date().toISOString().slice(0, 10);
    const result: PeersResult = { machine: machine(), measuredAt, tries, tasks: each, ...limit, peers: results };
    if (save) {
      const file = join(folder, `peers-${each}${rate ? `-at-${requestsPerSecond}` : ""}.json`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(file, `${JSON.stringify(result, undefined, 2)}\n`);
    } else {
      console.log(JSON.stringify(result, undefined, 2));
    }
  }
}
