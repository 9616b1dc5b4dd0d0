/** `npm run bench`: measures, and prints each figure with its goal. */
import { Command } from "commander";
import { ensureBuilt } from "../scripts/start/build";
import { namesOf, number, numbers } from "./arguments";
import { benches } from "./benches/index";
import { writeDocumentation } from "./document/document";
import type { Bench, BenchOptions } from "./figure";
import { keepsGoal, sumUpTries } from "./figure";
import { peersCommand } from "./peers/command";
import type { Result } from "./report";
import { machine, save, tableOf } from "./report";

interface Options extends BenchOptions {
  tries: number;
  save: boolean;
  check: boolean;
}

async function main(names: readonly string[], options: Options): Promise<void> {
  const chosen = names.length === 0 ? benches : benches.filter(({ name }) => names.includes(name));
  await ensureBuilt((line) => console.error(line));
  const results: Result[] = [];
  for (const bench of chosen) {
    results.push(await measure(bench, options));
  }
  console.log(
    `${machine()}; best time and speed, median ratio, largest size of ${options.tries}\n\n${tableOf(results)}`,
  );
  if (options.save) {
    save(results);
    writeDocumentation();
  }
  if (options.check && !results.every(({ figures }) => figures.every(keepsGoal))) {
    process.exitCode = 1;
  }
}

async function measure(bench: Bench, { tries, ...options }: Options): Promise<Result> {
  const figures = [];
  for (let attempt = 1; attempt <= tries; attempt++) {
    console.error(`${bench.name}, ${attempt} of ${tries} ...`);
    figures.push(await bench.run(options));
  }
  return { bench: bench.name, tries, figures: sumUpTries(figures) };
}

new Command("npm run bench --")
  // Each command has its own --tries and --save.
  .enablePositionalOptions()
  .description("Measures speed, memory and sizes on this machine.")
  .argument("[names...]", "what to measure; everything by default", namesOf(benches))
  .option(
    "--tries <number>",
    "number of tries; the result is the best time and speed, the median ratio and the largest size",
    number,
    3,
  )
  .option("--tasks <numbers>", "numbers of tasks of the benches fleet and plugin-ways, such as 100,2000", numbers)
  .option("--save", "also write the figures to bench/results, and the page", false)
  .option("--check", "exit with 1 if a goal is missed", false)
  .addHelpText(
    "after",
    `\nBenches:\n${benches.map(({ name, summary }) => `  ${name.padEnd(14)}${summary}`).join("\n")}`,
  )
  .action((names: string[] | undefined, options: Options) => main(names ?? [], options))
  .addCommand(peersCommand)
  .addCommand(
    new Command("docs").description("Writes what was saved into bench/RESULTS.md.").action(writeDocumentation),
  )
  .parseAsync()
  .catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
