import { Argument, Option } from "commander";
import { incompleteRead } from "../../../src/resources/export/rowReader";
import { contentOf } from "../../../src/rows/formats/rowTable";
import { JsonScanner } from "../../../src/service/contract/jsonScanner";
import type { Row } from "../../../src/service/contract/types";
import { isStoreAddress } from "../../../src/store/storeAddress";
import { counted, didYouMean } from "../../../src/values/words";
import type { CliCommand } from "../command";
import type { CommandContext } from "../commandContext";
import { readFileRows } from "../compare/fileRows";
import { pageFile, pageOf, plannedPage } from "../compare/page/page";
import { mostOnPage, rowsReport } from "../compare/page/rowsPage";
import type { FileSide } from "../compare/sides/side";
import { fileSide, isLocalFile, requireWorkbook } from "../compare/sides/side";
import { connectTo } from "../connection/connected";
import type { ConnectionFlags } from "../connection/connection";
import { CliError } from "../exitCodes";
import { namesIn, numberFrom, sheetOption, yesOption } from "../options";
import { table } from "../output/table";

interface Flags extends ConnectionFlags {
  lotNo?: string;
  limit: number;
  offset: number;
  columns?: string[];
  html?: string;
  sheet?: string;
  yes?: boolean;
}

const defaultLimit = 10;

export const rows: CliCommand = {
  name: "rows",
  summary: "show the first rows of a task, of one of its runs, or of a file",
  details:
    "Nothing is marked as exported. Use export for all rows. A file is one that compare reads, and its values are text.",
  connects: true,
  arguments: [
    new Argument(
      "<source>",
      "id of the task, its name in the state of the stack, or a file that an export wrote, also in a store, as s3://BUCKET/KEY",
    ),
  ],
  options: [
    new Option("--lot-no <lotNo>", "only the rows of this run"),
    new Option("-n, --limit <number>", "how many rows").argParser(numberFrom(1, "an integer")).default(defaultLimit),
    new Option("--offset <number>", "index of the first row").argParser(numberFrom(0, "an integer")).default(0),
    new Option("--columns <names>", "fields to show, with commas between them (default: all)").argParser(namesIn),
    new Option(
      "--html <file>",
      `also write a page of the first ${mostOnPage} rows, with bars of the filled shares`,
    ).argParser(pageFile),
    sheetOption(),
    yesOption(),
  ],
  examples: [
    { line: "rows shop-1", does: `shows the first ${defaultLimit} rows of the task` },
    { line: "rows rows.parquet --html rows.html", does: "writes a page whose rows can be searched and sorted" },
    {
      line: "rows shop-1 --lot-no 639308323497897245 --columns title,price -n 3",
      does: "shows two fields of three rows of a run",
    },
  ],
  isLocal: ({ arguments: [source] }) => isLocalFile(String(source)),
  async run({ arguments: [given], options }, cli) {
    const flags = options as unknown as Flags;
    const { limit, offset, columns, html, yes } = flags;
    const source = String(given);
    const side = fileSide(source);
    if (side !== undefined) {
      refuseOptionsOfTasks(source, flags);
    }
    requireWorkbook(flags.sheet, side === undefined ? [] : [side]);
    const page = html === undefined ? undefined : await plannedPage(html, yes === true, cli);
    const most = page === undefined ? limit : Math.max(limit, mostOnPage);
    const { of, json, counter, total, found, header } = await (side === undefined
      ? rowsOfTask(source, most, flags, cli)
      : rowsOfFile(side, most, flags, cli));
    requireFields(columns, found, header);
    const shown = found.slice(0, limit);
    const onPage = found.slice(0, mostOnPage);
    const fields = columns ?? fieldsOf(onPage, header);
    const rows = onPage.map(({ cells }) => cells);
    await page?.write(pageOf("Rows", rowsReport({ of, rows, fields, offset, total })));
    return {
      json: { ...json, offset, total, rows: shown.map((each) => chosen(each, columns)) },
      text() {
        if (shown.length === 0) {
          return `No rows: ${counter} ${total} rows, and the first one asked for is row ${offset + 1}.`;
        }
        const names = columns ?? fieldsOf(shown, header);
        const lines = shown.map(({ cells }) => names.map((name) => cells.get(name) ?? ""));
        return `${table(names, lines, cli.terminal)}\n\n${shown.length} of ${total} rows.`;
      },
    };
  },
};

/** @throws CliError for an option that says nothing about a file */
function refuseOptionsOfTasks(file: string, { lotNo, baseUrl, profile, stack }: Flags): void {
  // The settings of a bucket are in the configuration.
  const ofService = isStoreAddress(file) ? {} : { "base-url": baseUrl, profile, stack };
  const [option] = Object.entries({ "lot-no": lotNo, ...ofService }).find(([, value]) => value !== undefined) ?? [];
  if (option !== undefined) {
    throw new CliError(`--${option} is for tasks, and "${file}" is a file. Leave it out. No rows were read.`, "usage");
  }
}

interface Found {
  /** What the rows are of, for people. */
  readonly of: string;
  /** The same, for programs. */
  readonly json: object;
  /** Who counts the rows. */
  readonly counter: "the service counts" | "the file has";
  readonly total: number;
  readonly found: readonly FoundRow[];
  /** Fields that come first, even if no row has them. */
  readonly header: readonly string[];
}

async function rowsOfTask(
  task: string,
  most: number,
  { lotNo, offset, ...flags }: Flags,
  cli: CommandContext,
): Promise<Found> {
  const connected = await connectTo(task, flags, cli);
  const { taskId } = connected.task;
  const found: FoundRow[] = [];
  let total = 0;
  const source = lotNo === undefined ? { taskId } : { taskId, lotNo };
  for await (const page of connected.client.rows(source, { maxRows: most, offset, signal: cli.interrupted })) {
    const texts = page.texts();
    for (const [index, row] of page.objects().entries()) {
      found.push({ row, cells: cellsOf(texts[index] ?? "{}") });
    }
    total = page.total;
    if (page.gap !== undefined) {
      cli.terminal.warn(incompleteRead(`Task "${taskId}"`, found.length, total, page.gap));
    }
  }
  const of = `Task ${taskId}${lotNo === undefined ? "" : `, run ${lotNo}`}`;
  return { of, json: { taskId, lotNo }, counter: "the service counts", total, found, header: [] };
}

async function rowsOfFile(
  side: FileSide,
  limit: number,
  { offset, sheet, ...flags }: Flags,
  cli: CommandContext,
): Promise<Found> {
  const { name: file } = side;
  const { rows: texts, header, total } = await readFileRows(side, { offset, limit }, { cli, flags, sheet });
  const found = texts.map((cells) => ({ row: Object.fromEntries(cells), cells }));
  return { of: `File ${file}`, json: { file }, counter: "the file has", total, found, header };
}

interface FoundRow {
  readonly row: Row;
  /** Each value as the service wrote it: 1.10 has its zero. */
  readonly cells: ReadonlyMap<string, string>;
}

function cellsOf(text: string): FoundRow["cells"] {
  const cells = new Map<string, string>();
  const scanner = new JsonScanner(Buffer.from(text));
  scanner.object((from, to) => cells.set(contentOf(scanner.text(from, to)) ?? "", contentOf(scanner.value()) ?? ""));
  return cells;
}

function fieldsOf(rows: readonly FoundRow[], header: readonly string[]): string[] {
  return [...new Set([...header, ...rows.flatMap(({ cells }) => [...cells.keys()])])];
}

/** @throws CliError for a field that no row has, which is most often misspelled */
function requireFields(columns: readonly string[] = [], found: readonly FoundRow[], header: readonly string[]): void {
  const fields = fieldsOf(found, header);
  const missing = columns.find((name) => !fields.includes(name));
  if (missing !== undefined && found.length > 0) {
    throw new CliError(
      `The first ${counted(found.length, "row")} have no field "${missing}"${didYouMean(missing, fields) || "."} The fields are ${fields.join(", ")}. --limit reads more rows.`,
    );
  }
}

/** JSON has no number for one that a double cannot hold, such as 1e400: then its text. */
function chosen({ row, cells }: FoundRow, columns: readonly string[] | undefined): Row {
  const names = columns?.filter((name) => cells.has(name)) ?? Object.keys(row);
  return Object.fromEntries(
    names.map((name) => [
      name,
      Math.abs(row[name] as number) === Number.POSITIVE_INFINITY ? cells.get(name) : row[name],
    ]),
  );
}
