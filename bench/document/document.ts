import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../scripts/commands";
import { withParts } from "../../scripts/docs/parts";
import { benches } from "../benches/index";
import { tableOf } from "../report";
import { withExtrapolated } from "./extrapolate";
import { limitedText, peersText, ratiosText, repairText, summaryText } from "./peersText";
import { plotOf } from "./plot";
import { savedResults } from "./results";

const page = join(repositoryRoot, "docs", "explanation", "performance.md");
const picture = join(repositoryRoot, "docs", "explanation", "performance.svg");

/** The pages with results, with their new content. */
export function documented(): Record<string, string> {
  const saved = savedResults();
  const order = benches.map(({ name }) => name);
  const figures = [...saved.benches].sort((one, other) => order.indexOf(one.bench) - order.indexOf(other.bench));
  const peers = withExtrapolated(saved.peers);
  const parts = {
    summary: summaryText(peers),
    figures: tableOf(figures),
    ratios: ratiosText(peers),
    peers: peersText(peers),
    repair: repairText(peers),
    limited: limitedText(peers),
  };
  const text = withParts(readFileSync(page, "utf8"), { command: "npm run bench -- docs", required: parts });
  return { [page]: text, [picture]: plotOf(peers) };
}

export function writeDocumentation(): void {
  for (const [file, content] of Object.entries(documented())) {
    writeFileSync(file, content);
  }
}
