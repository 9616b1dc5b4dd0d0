import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../scripts/commands";
import { withParts } from "../../scripts/docs/parts";
import { benches } from "../benches/index";
import { tableOf } from "../report";
import { withExtrapolated } from "./extrapolate";
import { gzipText } from "./gzipText";
import { choices, limitedText, peersText, ratiosText, repairText, summaryText } from "./peersText";
import { plotOf } from "./plot";
import { savedResults } from "./results";
import { sizesText } from "./sizesText";

const measurements = join(repositoryRoot, "bench", "RESULTS.md");
const folder = join(repositoryRoot, "docs", "explanation");
const page = join(folder, "performance.md");
const picture = join(folder, "performance.svg");

/** The pages with results, with their new content. */
export function documented(): Record<string, string> {
  const saved = savedResults();
  const order = benches.map(({ name }) => name);
  const figures = [...saved.benches].sort((one, other) => order.indexOf(one.bench) - order.indexOf(other.bench));
  const peers = withExtrapolated(saved.peers);
  const parts = {
    figures: tableOf(figures),
    gzip: gzipText(saved.benches),
    ratios: ratiosText(peers),
    peers: peersText(peers),
    repair: repairText(peers),
    limited: limitedText(peers),
  };
  const written = (file: string, required: Record<string, string>): string =>
    withParts(readFileSync(file, "utf8"), { command: "npm run bench -- docs", required });
  return {
    [measurements]: written(measurements, parts),
    [page]: written(page, { summary: summaryText(peers), sizes: sizesText(saved) }),
    [picture]: plotOf(peers, choices),
  };
}

export function writeDocumentation(): void {
  for (const [file, content] of Object.entries(documented())) {
    writeFileSync(file, content);
  }
}
