import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import type { Figure } from "./figure";
import { keepsGoal } from "./figure";

/** The combined figures of one bench. */
export interface Result {
  bench: string;
  /** Number of tries. */
  tries: number;
  figures: readonly Figure[];
}

const columns = ["bench", "measured", "value", "goal", "kept"] as const;

/** The results as a Markdown table, aligned for a terminal. */
export function tableOf(results: readonly Result[]): string {
  const rows = results.flatMap(({ bench, figures }) =>
    figures.map((figure) => [
      bench,
      figure.name,
      withUnit(figure.value, figure.unit),
      figure.goal === undefined ? "" : `${figure.goal.kind} ${withUnit(figure.goal.value, figure.unit)}`,
      figure.goal === undefined ? "" : keepsGoal(figure) ? "yes" : "NO",
    ]),
  );
  return markdownTable(columns, rows);
}

/** A Markdown table with padded columns. */
export function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = titles.map((title, column) =>
    Math.max(title.length, 3, ...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(titles), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

/** Describes the machine. */
export function machine(): string {
  const [cpu] = cpus();
  return `${cpus().length} cores (${cpu?.model.trim() ?? "unknown"}), Node ${process.versions.node}, ${process.platform}`;
}

/** Writes each result to `bench/results/NAME.json`. */
export function save(results: readonly Result[]): void {
  const folder = join(__dirname, "results");
  mkdirSync(folder, { recursive: true });
  for (const result of results) {
    const content = { machine: machine(), ...result };
    writeFileSync(join(folder, `${result.bench}.json`), `${JSON.stringify(content, undefined, 2)}\n`);
  }
}

/** Formats a value with its unit. */
export function withUnit(value: number, unit: Figure["unit"]): string {
  const digits = {
    s: 2,
    ms: 0,
    "cpu s": 2,
    MB: 0,
    bytes: 0,
    modules: 0,
    closures: 0,
    "rows/s": 0,
    "requests/s": 0,
    requests: 0,
    x: 2,
  }[unit];
  const rounded = value.toLocaleString("en-US", { maximumFractionDigits: digits });
  return unit === "x" ? `${rounded}x` : `${rounded} ${unit}`;
}
