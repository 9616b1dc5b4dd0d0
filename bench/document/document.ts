import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../scripts/commands";
import { benches } from "../benches/index";
import { tableOf } from "../report";
import { withExtrapolated } from "./extrapolate";
import { limitedText, peersText, ratiosText, repairText } from "./peersText";
import { plotOf } from "./plot";
import { savedResults } from "./results";

const page = join(repositoryRoot, "docs", "explanation", "performance.md");
const picture = join(repositoryRoot, "docs", "explanation", "performance.svg");

/** The files of the documentation that contain results, with their new content. */
export function documented(): Record<string, string> {
  const saved = savedResults();
  const order = benches.map(({ name }) => name);
  const figures = [...saved.benches].sort((one, other) => order.indexOf(one.bench) - order.indexOf(other.bench));
  const peers = withExtrapolated(saved.peers);
  const parts = {
    figures: tableOf(figures),
    ratios: ratiosText(peers),
    peers: peersText(peers),
    repair: repairText(peers),
    limited: limitedText(peers),
  };
  return { [page]: Object.entries(parts).reduce(inPlace, readFileSync(page, "utf8")), [picture]: plotOf(peers) };
}

export function writeDocumentation(): void {
  for (const [file, content] of Object.entries(documented())) {
    writeFileSync(file, content);
  }
}

/** Replaces the part between its two comments. */
function inPlace(text: string, [name, part]: [string, string]): string {
  const begin = `<!-- ${name}: written by npm run bench -- docs -->\n`;
  const end = `\n<!-- end of ${name} -->`;
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) {
    throw new Error(`${page} has no place for "${name}"`);
  }
  return `${text.slice(0, from + begin.length)}\n${part}\n${text.slice(to)}`;
}
