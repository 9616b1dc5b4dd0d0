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
    figures.map((figure) => [bench, figure.name, withUnit(figure.value, figure.unit), ...goalCells(figure)]),
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
  const maximumFractionDigits = ["s", "cpu s", "x"].includes(unit) ? 2 : 0;
  const rounded = value.toLocaleString("en-US", { maximumFractionDigits });
  return unit === "x" ? `${rounded}x` : `${rounded} ${unit}`;
}

/** The cells of the goal, and whether the figure keeps it. */
export function goalCells(figure: Figure): [goal: string, kept: string] {
  const { goal, unit } = figure;
  return goal === undefined
    ? ["", ""]
    : [`${goal.kind} ${withUnit(goal.value, unit)}`, keepsGoal(figure) ? "yes" : "NO"];
}
