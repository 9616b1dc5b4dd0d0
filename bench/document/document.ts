import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../scripts/commands";
import { withParts } from "../../scripts/docs/parts";
import { benches } from "../benches/index";
import { tableOf } from "../report";
import { limitedText, peersText, ratiosText, repairText } from "./peersText";
import { savedResults } from "./results";

/** The page with the results. */
export const page = join(repositoryRoot, "bench", "RESULTS.md");

/** The new content of the page. */
export function documented(): string {
  const saved = savedResults();
  const order = benches.map(({ name }) => name);
  const figures = [...saved.benches].sort((one, other) => order.indexOf(one.bench) - order.indexOf(other.bench));
  const { peers } = saved;
  const required = {
    figures: tableOf(figures),
    ratios: ratiosText(peers),
    peers: peersText(peers),
    repair: repairText(peers),
    limited: limitedText(peers),
  };
  return withParts(readFileSync(page, "utf8"), { command: "npm run bench -- docs", required });
}

export function writeDocumentation(): void {
  writeFileSync(page, documented());
}
