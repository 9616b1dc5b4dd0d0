import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PeersResult } from "../peers/result";
import type { Result } from "../report";

const folder = join(__dirname, "..", "results");

/** All saved results. */
export interface Saved {
  benches: (Result & { machine: string })[];
  peers: PeersResult[];
}

/** Reads all saved results from `bench/results`; peers by number of tasks. */
export function savedResults(): Saved {
  const contents = readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as Saved["benches"][number] | PeersResult);
  const peers = contents.filter((each): each is PeersResult => "peers" in each);
  return {
    benches: contents.filter((each): each is Saved["benches"][number] => "bench" in each),
    peers: peers.sort((one, other) => one.tasks - other.tasks),
  };
}
