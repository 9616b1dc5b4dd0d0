import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Picture } from "../../scripts/docs/terminalPicture";
import { terminalPicture, textInPicture } from "../../scripts/docs/terminalPicture";
import { repository } from "./readPage";

/** Set to write the pictures anew instead of comparing with them. */
const writes = process.env.WRITE_PICTURES === "true";

/** Makes the engine write colours although no terminal reads them. */
export const coloured = { PULUMI_OPTION_COLOR: "always" };

/** Holds a picture in docs/images against the real output of a command. */
export function assertPicture(name: string, picture: Picture): void {
  const file = join(repository, "docs/images", `${name}.svg`);
  const fresh = terminalPicture({ ...picture, output: withoutVaryingValues(picture.output) });
  if (writes) {
    if (process.env.CI !== undefined) throw new Error("WRITE_PICTURES is for people: in CI the pictures are compared.");
    writeFileSync(file, fresh);
  }
  const known = existsSync(file) ? readFileSync(file, "utf8") : "";
  const again = `docs/images/${name}.svg is not what the command writes. Look at the difference; WRITE_PICTURES=true writes it anew.`;
  assert.equal(textInPicture(known), textInPicture(fresh), again);
  assert.equal(known, fresh, again);
}

/** Writes the picture of what a browser shows, if asked. It is not compared: fonts differ between machines. */
export async function assertPictureOf(
  tab: { screenshot(options: { path: string }): Promise<unknown> },
  name: string,
): Promise<void> {
  const path = join(repository, "docs/images", `${name}.png`);
  if (writes) await tab.screenshot({ path });
  assert.ok(existsSync(path), `docs/images/${name}.png is missing; WRITE_PICTURES=true writes it.`);
}

/** The part of an output from the line that contains `from` to the line before the one that contains `to`, without colours in both. */
export function linesBetween(output: string, from: string, to?: string): string {
  const lines = output.split("\n");
  const plain = lines.map((line) => stripVTControlCharacters(line));
  const start = plain.findIndex((line) => line.includes(from));
  const end = to === undefined ? -1 : plain.findIndex((line, index) => index > start && line.includes(to));
  assert.ok(
    start >= 0 && (to === undefined || end > start),
    `the output has no part from "${from}" to "${to}":\n${output}`,
  );
  return lines.slice(start, end < 0 ? undefined : end).join("\n");
}

/** The lines before the first blank one. */
export function firstParagraph(output: string): string {
  const lines = output.split("\n");
  const end = lines.findIndex((line) => stripVTControlCharacters(line).trim() === "");
  return lines.slice(0, end < 0 ? undefined : end).join("\n");
}

/** A hash, or the text of `rerunOn` with a short one. */
const hash = /\w+ \w+ [0-9a-f]{12}\b|[0-9a-f]{64}/;
const colour = "(?:\\u001b\\[[\\d;]*m)*";

/**
 * Puts the same values into the place of those that differ in each run: ports, ids and hashes. Hashes are shortened. Where the engine
 * colours the characters in which two hashes differ, the whole old hash becomes red and the whole new one green.
 */
export function withoutVaryingValues(output: string): string {
  const red = "\u001b[38;5;1m";
  const green = "\u001b[38;5;2m";
  // The engine writes "@ previewing update....", with a dot a second, only if a step takes long.
  const kept = output.split("\n").filter((line) => !/^@ \w+ing .*\.$/.test(stripVTControlCharacters(line).trimEnd()));
  const lines = kept.map((line) => {
    const [before, after] = stripVTControlCharacters(line).match(new RegExp(hash, "g")) ?? [];
    if (before === undefined || after === undefined) return line;
    const values = new RegExp(`"${colour}${lettersOf(before)}`).exec(line);
    const rest = new RegExp(`${lettersOf(after)}${colour}"`).exec(line);
    if (values === null || rest === null) return line;
    const head = line.slice(0, values.index);
    return `${head}${red}"${before}"\u001b[0m => ${green}"${after}"${line.slice(rest.index + rest[0].length)}`;
  });
  let text = lines.join("\n");
  text = inOrder(text, /\b[0-9a-f]{64}\b/g, ["6c1f2a90…", "e07b48d3…", "3a95c6f1…", "b2d40e77…"]);
  text = inOrder(text, /(?<="\w+ \w+ )[0-9a-f]{12}(?=")/g, ["5061aab15a4e", "cbeb832cca0e"]);
  text = inOrder(text, /\b\d{18}\b/g, ["639308323497897245", "639308327402213851", "639308331280046117"]);
  text = inOrder(text, /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, ["4be2a6f0-93d1-4c57-a4e8-7d5b10c2f936"]);
  text = inOrder(text, /\b127\.0\.0\.1:\d+\b/g, ["127.0.0.1:4020", "127.0.0.1:4021"]);
  return text.replaceAll(/\((?:\d+\.)?\d+s\)/g, "(1s)").replaceAll(/Duration:(\S*) \d+s/g, "Duration:$1 3s");
}

function lettersOf(word: string): string {
  return [...word].join(colour);
}

/** The values that match, each replaced by a stand-in: the first one by the first. */
function inOrder(text: string, pattern: RegExp, standIns: readonly string[]): string {
  const found = [...new Set(text.match(pattern) ?? [])];
  if (found.length > standIns.length) throw new Error(`more than ${standIns.length} values like ${found[0]}`);
  return found.reduce((result, value, index) => result.replaceAll(value, standIns[index] ?? value), text);
}
