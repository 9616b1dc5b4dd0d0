import { execFile } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "../../../scripts/commands";
import type { Bench } from "../../figure";
import { measured, peakMegabytes } from "../../measure/measured";
import { inWorkFolder } from "../../stage/workFolder";

const rows = 1_000_000;
const stages = join(repositoryRoot, "bench", "alone", "compareStages.cjs");
const program = join(repositoryRoot, "dist", "cli", "main.js");

/** Every hundredth row is gone, and every fiftieth has another price. */
const removed = rows / 100;
const changed = rows / 50 - rows / 100;

/** The command line compares two files by a key. */
export const compareRows: Bench = {
  name: "compare",
  summary: "two files of 1,000,000 rows with 8 fields, compared by a key",
  run: () =>
    inWorkFolder(async (folder) => {
      writeRows(join(folder, "base.ndjson"), false);
      writeRows(join(folder, "head.ndjson"), true);
      const args = ["--require", stages, program, "compare", "base.ndjson", "head.ndjson", "--key", "sku", "--json"];
      const ran = await measured(() =>
        promisify(execFile)(process.execPath, args, { cwd: folder, env: { ...process.env, TMPDIR: folder } }),
      );
      const { stdout, stderr } = ran.result;
      const found = JSON.parse(stdout);
      if (found.removed !== removed || found.changed !== changed || found.added !== 0) {
        throw new Error(`expected ${removed} removed and ${changed} changed rows; found ${stdout.slice(0, 500)}`);
      }
      const { read, ended } = JSON.parse(stderr.trim().split("\n").at(-1) ?? "");
      return [
        { name: "the whole command", value: ran.wallSeconds, unit: "s", goal: { kind: "under", value: 20 } },
        { name: "read both files", value: read, unit: "s" },
        { name: "join and count", value: ended - read, unit: "s" },
        { name: "processor time", value: ran.cpuSeconds, unit: "cpu s" },
        { name: "memory", value: peakMegabytes(ran, /compare/), unit: "MB", goal: { kind: "under", value: 1_000 } },
      ];
    }),
};

function writeRows(file: string, isHead: boolean): void {
  const descriptor = openSync(file, "w");
  let text = "";
  for (let row = 0; row < rows; row++) {
    if (!isHead || row % 100 !== 0) {
      text += `${JSON.stringify(rowOf(row, isHead && row % 50 === 0))}\n`;
    }
    if (text.length > 1_000_000 || row === rows - 1) {
      writeSync(descriptor, text);
      text = "";
    }
  }
  closeSync(descriptor);
}

function rowOf(row: number, isChanged: boolean) {
  return {
    // Not in the order of the file.
    sku: `SKU-${String((row * 7919) % rows).padStart(8, "0")}`,
    title: `Product number ${row % 5_000} of the shop`,
    price: `${(row % 1_000) + (isChanged ? 1 : 0)}.99`,
    url: `https://shop.example/products/${row}`,
    stock: row % 3 === 0 ? "no" : "yes",
    rating: String((row % 50) / 10),
    category: `category ${row % 40}`,
    scraped: `2026-11-${String(1 + (row % 28)).padStart(2, "0")}`,
  };
}
