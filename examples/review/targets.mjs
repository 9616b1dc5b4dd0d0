// Prints what a plan of production changes, as options that limit an up to the same resources of the trial stack.
import { readFileSync } from "node:fs";

const text = readFileSync("plan.json", "utf8");
// The installation of a policy pack writes to the same output, before the plan.
const { steps } = JSON.parse(text.slice(text.lastIndexOf("\n{") + 1));
// The types of the classes, and of the native plugin.
const isOurs = (urn) => /(?:dynamic\/webextract|webextract:index):/.test(urn);
const isTried = ({ op, urn }) => op !== "same" && op !== "delete" && isOurs(urn);
const urns = new Set(steps.filter(isTried).map(({ urn }) => urn.replace(/^urn:pulumi:[^:]+/, "urn:pulumi:trial")));
for (const urn of urns) {
  process.stdout.write(`--target=${urn}\0`);
}
