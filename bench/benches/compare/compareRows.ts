import { execFile } from "node:child_process";
import { closeSync, mkdtempSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "../../../scripts/commands";
import type { Bench, Figure } from "../../figure";
import { atMost, under } from "../../figure";
import { measured, peakMegabytes } from "../../measure/measured";
import { inWorkFolder } from "../../stage/workFolder";

const rows = 1_000_000;
const stages = join(repositoryRoot, "bench", "alone", "compareStages.cjs");
const handWritten = join(repositoryRoot, "bench", "alone", "compareByHand.cjs");
const program = join(repositoryRoot, "dist", "cli", "main.js");

/** Every hundredth row is gone, and every fiftieth has another price. */
const removed = rows / 100;
const changed = rows / 50 - rows / 100;

const formats = ["ndjson", "csv"] as const;
type Format = (typeof formats)[number];

/** Of the processor time of SQL that a person writes for one format. Such SQL trusts the file, and finds no row that is damaged. */
const timeGoals: Record<Format, number> = { ndjson: 1.2, csv: 1.5 };

/** The command line compares two files by a key, beside SQL. */
export const compareRows: Bench = {
  name: "compare",
  summary: "two files of 1,000,000 rows with 8 fields, compared by a key, also beside SQL written by hand",
  run: () =>
    inWorkFolder(async (folder) => {
      const figures: Figure[] = [];
      for (const format of formats) {
        figures.push(...(await compareAs(format, folder)));
      }
      return figures;
    }),
};

async function compareAs(format: Format, folder: string): Promise<Figure[]> {
  const [base, head] = [`base.${format}`, `head.${format}`];
  writeRows(join(folder, base), format, false);
  writeRows(join(folder, head), format, true);
  const run = (...args: string[]) =>
    measured(() =>
      promisify(execFile)(process.execPath, args, { cwd: folder, env: { ...process.env, TMPDIR: folder } }),
    );
  const byHand = await run(handWritten, format, base, head, mkdtempSync(join(folder, "sql-")));
  requireFound(byHand.result.stdout);
  const own = await run("--require", stages, program, "compare", base, head, "--key", "sku", "--json");
  requireFound(own.result.stdout);
  const { read, ended } = JSON.parse(own.result.stderr.trim().split("\n").at(-1) ?? "");
  const memory = { own: peakMegabytes(own, /main\.js compare/), byHand: peakMegabytes(byHand, /compareByHand/) };
  return [
    { name: `${format}: the whole command`, value: own.wallSeconds, unit: "s", goal: under(20) },
    { name: `${format}: read both files`, value: read, unit: "s" },
    { name: `${format}: join and count`, value: ended - read, unit: "s" },
    { name: `${format}: processor time`, value: own.cpuSeconds, unit: "cpu s" },
    { name: `${format}: processor time of SQL`, value: byHand.cpuSeconds, unit: "cpu s" },
    {
      name: `${format}: processor time, of that of SQL`,
      value: own.cpuSeconds / byHand.cpuSeconds,
      unit: "x",
      goal: atMost(timeGoals[format]),
    },
    { name: `${format}: memory`, value: memory.own, unit: "MB", goal: under(1_000) },
    { name: `${format}: memory, of that of SQL`, value: memory.own / memory.byHand, unit: "x", goal: atMost(1.2) },
  ];
}

function requireFound(stdout: string): void {
  const found = JSON.parse(stdout);
  if (found.removed !== removed || found.changed !== changed || found.added !== 0) {
    throw new Error(`expected ${removed} removed and ${changed} changed rows; found ${stdout.slice(0, 500)}`);
  }
}

function writeRows(file: string, format: Format, isHead: boolean): void {
  const descriptor = openSync(file, "w");
  let text = format === "csv" ? `${Object.keys(rowOf(0, false)).join(",")}\n` : "";
  for (let row = 0; row < rows; row++) {
    if (!isHead || row % 100 !== 0) {
      const cells = rowOf(row, isHead && row % 50 === 0);
      text += `${format === "csv" ? Object.values(cells).join(",") : JSON.stringify(cells)}\n`;
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
