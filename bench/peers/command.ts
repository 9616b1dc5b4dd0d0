import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { ensureBuilt } from "../../scripts/start/build";
import { machine } from "../report";
import { measurePeers } from "./measurePeers";
import { peers } from "./peers";
import type { PeersResult } from "./result";
import { withAdded } from "./result";

interface Options {
  tasks: number[];
  tries: number;
  rate: boolean;
  peer?: string[];
  save: boolean;
  add?: boolean;
  note?: string;
}

const folder = join(__dirname, "..", "results");

/** The rate limit for `--rate`. */
const requestsPerSecond = 20;

/** `npm run bench -- peers`: measures each number of tasks, and saves each result at once. */
export const peersCommand = new Command("peers")
  .description("Measures this package, other ways to do the same work, and the engine alone.")
  .option("--tasks <numbers>", "numbers of tasks, with commas between them", numbers, [25, 100, 500])
  .option("--tries <number>", "number of measurements of each peer; the best time counts", Number, 1)
  .option("--rate", `with a service that accepts ${requestsPerSecond} requests per second`, false)
  .option("--peer <names...>", "measure only these peers; the saved result contains no others", peerName)
  .addOption(
    new Option(
      "--add",
      "keep the saved result, and save this run beside it with its own date; pages then have a table for each run",
    ).conflicts("save"),
  )
  .option("--note <text>", "a remark about the machine for readers")
  .option("--no-save", "do not write bench/results/peers-*.json")
  .addHelpText("after", `\nPeers:\n${peers.map(({ name, summary }) => `  ${name.padEnd(16)}${summary}`).join("\n")}`)
  .action(run);

async function run({ tasks, tries, rate, peer, save, add = false, note }: Options): Promise<void> {
  const missing = add ? tasks.filter((each) => !existsSync(fileOf(each, rate))) : [];
  if (missing.length > 0) {
    throw new Error(`--add: there is no saved result with ${missing.join(", ")} tasks; save one without --add first.`);
  }
  await ensureBuilt((line) => console.error(line));
  const say = (line: string): void => console.error(line);
  const limit = rate ? { requestsPerSecond } : {};
  for (const each of tasks) {
    const results = await measurePeers({ tasks: each, tries, only: peer, say, ...limit });
    const measuredAt = new Date().toISOString().slice(0, 10);
    const result: PeersResult = { machine: machine(), measuredAt, tries, note, tasks: each, ...limit, peers: results };
    if (save) {
      const file = fileOf(each, rate);
      const content = add ? withAdded(JSON.parse(readFileSync(file, "utf8")) as PeersResult, result) : result;
      mkdirSync(folder, { recursive: true });
      writeFileSync(file, `${JSON.stringify(content, undefined, 2)}\n`);
    } else {
      console.log(JSON.stringify(result, undefined, 2));
    }
  }
}

function fileOf(tasks: number, rate: boolean): string {
  return join(folder, `peers-${tasks}${rate ? `-at-${requestsPerSecond}` : ""}.json`);
}

function numbers(text: string): number[] {
  if (!/^[1-9]\d{0,3}(?:,[1-9]\d{0,3})*$/.test(text)) {
    throw new InvalidArgumentError("Allowed: integers from 1 to 9999, with commas between them.");
  }
  return text.split(",").map(Number);
}

function peerName(name: string, before: readonly string[] = []): string[] {
  if (!peers.some((peer) => peer.name === name)) {
    throw new InvalidArgumentError(`Allowed: ${peers.map((peer) => peer.name).join(", ")}.`);
  }
  return [...before, name];
}
