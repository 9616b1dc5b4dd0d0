import { Argument, Option } from "commander";
import { knownEndings } from "../../../src/rows/formats/formats";
import { hideSecrets } from "../../../src/service/errors/secretShapes";
import type { CliCommand, Result } from "../command";
import type { CommandContext } from "../commandContext";
import type { ConnectionFlags } from "../connection/connection";
import { CliError } from "../exitCodes";
import { sheetOption, yesOption } from "../options";
import type { CompareOptions, Comparison } from "./comparison";
import { compareSides, requireCompared } from "./comparison";
import type { Condition, Failure } from "./conditions";
import { addCondition, exampleConditions, failuresOf, fieldsOf, needsKey } from "./conditions";
import { inDatabase } from "./database";
import { historyDocument, historyPage, historyReport, readHistory } from "./history";
import type { Key } from "./keyedRows";
import { pageFile, pageOf, plannedPage } from "./page/page";
import { inMarkdown, inTerminal } from "./renderReport";
import type { Report } from "./report";
import { pageReport, reportOf } from "./report";
import type { LoadedSides } from "./sides/loadSide";
import { loadSides } from "./sides/loadSide";
import type { Side } from "./sides/side";
import { isLocalFile, requireWorkbook, sideOf } from "./sides/side";

interface Flags extends ConnectionFlags {
  key?: string[];
  ignore?: string[];
  failOn?: Condition[];
  markdown?: boolean;
  values: boolean;
  html?: string;
  yes?: boolean;
  history?: boolean;
  sheet?: string;
  json?: boolean;
}

export const compareCommand: CliCommand = {
  name: "compare",
  summary: "compare two files of rows, or two runs of tasks",
  details:
    `A side is a file (${knownEndings.formats.join(", ")}, also with ${knownEndings.compressions.join(" or ")}, also in a store, as s3://BUCKET/KEY), or a run as TASK:LOTNO, or with --stack as TASK:latest. ` +
    "Nothing is marked. Without --key, the values of each field are compared as a whole. Needs the package @duckdb/node-api, and hucre for .xlsx.",
  connects: true,
  arguments: [
    new Argument(
      "<base>",
      "the old rows; with --history, the oldest file, a glob, or the prefix of several objects, as s3://BUCKET/PREFIX/",
    ),
    new Argument("[head]", "the new rows"),
    new Argument("[later...]", "with --history, more files, oldest first"),
  ],
  options: [
    new Option("-k, --key <field>", "field that names a row; can be given several times").argParser(addField),
    new Option("--ignore <field>", "field that is not compared; can be given several times").argParser(addField),
    new Option(
      "--fail-on <condition>",
      `condition in which the exit code is 1: ${exampleConditions.join(", ")}; can be given several times`,
    ).argParser(addCondition),
    new Option("--markdown", "write Markdown for a pull request").conflicts("json"),
    new Option(
      "--html <file>",
      "also write a page with bars of the filled shares and, with --key, a table of the rows that differ",
    ).argParser(pageFile),
    new Option(
      "--history",
      "show rows and filled shares of any number of files, oldest first, one line for each; --html has plots",
    ).conflicts(["key", "failOn", "ignore"]),
    new Option("--no-values", "show no values of rows"),
    sheetOption(),
    yesOption(),
  ],
  examples: [
    { line: "compare old.ndjson new.ndjson", does: "compares the values of each field" },
    { line: "compare --history 'rows-*.ndjson' --html rows.html", does: "shows since when a field is empty" },
    { line: "compare old.csv shop-1:latest --stack prod --key sku --markdown", does: "compares row by row" },
  ],
  isLocal: ({ arguments: given }) => namesOf(given).every(isLocalFile),
  async run({ arguments: values, options }, cli) {
    const flags = options as unknown as Flags;
    const given = namesOf(values);
    return flags.history === true ? await showHistory(given, flags, cli) : await compareTwo(given, flags, cli);
  },
};

const namesOf = (values: readonly unknown[]): string[] => values.flat().filter((each) => typeof each === "string");

async function compareTwo(given: readonly string[], options: Flags, cli: CommandContext): Promise<Result> {
  const { key = [], ignore = [], failOn: conditions = [], markdown, values, html, yes, sheet, ...flags } = options;
  const [base, head, ...others] = given;
  if (base === undefined || head === undefined || others.length > 0) {
    throw new CliError(
      `compare needs two sides, and got ${given.length}. Only --history takes another number of them. No rows were read.`,
      "usage",
    );
  }
  const sides = { base: sideOf(base), head: sideOf(head) };
  requireWorkbook(sheet, Object.values(sides));
  const unusable = conditions.find(needsKey);
  if (key.length === 0 && unusable !== undefined) {
    throw new CliError(`--fail-on "${unusable.text}" needs --key. No rows were read.`, "usage");
  }
  requireCompared(ignore, key, fieldsOf(conditions));
  const page = html === undefined ? undefined : await plannedPage(html, yes === true, cli);
  const comparison = await compareIn(cli, sides, { ...flags, sheet }, () => ({
    key: [...new Set(key)],
    conditionFields: fieldsOf(conditions),
    ignored: [...new Set(ignore)],
    values,
    details: page !== undefined && values && key.length > 0,
  }));
  const failures = failuresOf(conditions, comparison);
  const report = reportOf(comparison, failures, values);
  await page?.write(pageOf("Compared rows", pageReport(comparison, report, values)));
  return {
    ...resultOf(documentOf(comparison, failures, values), report, markdown, cli),
    hasProblems: failures.length > 0,
  };
}

async function showHistory(given: readonly string[], options: Flags, cli: CommandContext): Promise<Result> {
  const { markdown, html, yes, sheet, ...flags } = options;
  const page = html === undefined ? undefined : await plannedPage(html, yes === true, cli);
  const history = await inDatabase(cli, (database) => readHistory(given, { database, cli, flags, sheet }));
  const report = historyReport(history);
  await page?.write(pageOf("Rows over time", historyPage(history, report)));
  return resultOf(historyDocument(history), report, markdown, cli);
}

/** Collects the values of an option that can be given several times. */
export function addField(field: string, before: string[] = []): string[] {
  return [...before, field];
}

function resultOf(json: object, report: Report, isMarkdown: boolean | undefined, { terminal }: CommandContext): Result {
  return { json, text: () => (isMarkdown === true ? inMarkdown(report) : inTerminal(report, terminal)) };
}

/** @param choose the options, when the fields of both sides are known */
export async function compareIn(
  cli: CommandContext,
  sides: { base: Side; head: Side },
  { sheet, ...flags }: ConnectionFlags & { sheet?: string },
  choose: (loaded: LoadedSides<"base" | "head">) => CompareOptions,
): Promise<Comparison> {
  return await inDatabase(cli, async (database) => {
    const loaded = await loadSides(sides, { database, cli, flags, sheet });
    cli.terminal.progress("Comparing");
    return await compareSides(database, loaded, choose(loaded));
  });
}

/** @param withValues whether values of rows may be shown: keys are */
export function documentOf(comparison: Comparison, failures: readonly Failure[], withValues: boolean) {
  const { base, head, key, ignored, keyed, fittingKey, fields, notes } = comparison;
  const shown = (keys: readonly Key[]): string[][] => keys.map((each) => each.map(hideSecrets));
  const unusable = (side: "base" | "head") =>
    keyed && { emptyKey: keyed[side].empty, duplicateKey: keyed[side].notCompared };
  return {
    failed: failures,
    base: { rows: base.rows },
    head: { rows: head.rows },
    ...(keyed === undefined
      ? { fittingKey }
      : {
          ...{ key, added: keyed.added.rows, removed: keyed.removed.rows },
          ...{ changed: keyed.changed, unchanged: keyed.unchanged },
          notCompared: { base: unusable("base"), head: unusable("head") },
          ...(withValues && {
            keys: {
              added: shown(keyed.added.keys),
              removed: shown(keyed.removed.keys),
              changed: shown(keyed.changedKeys),
            },
          }),
        }),
    ...(ignored.length > 0 && { ignored }),
    fields: fields.map(({ name, only, filled, base: ofBase, head: ofHead, changed }) => ({
      ...{ name, only, filled },
      distinct: { base: ofBase.distinct, head: ofHead.distinct },
      changed,
    })),
    ...(notes.length > 0 && { notes }),
  };
}
