import { Option } from "commander";
import { contentOf } from "../../resources/export/formats/rowTable";
import { counted } from "../../resources/values";
import { JsonScanner } from "../../service/contract/jsonScanner";
import type { Row } from "../../service/contract/types";
import { didYouMean } from "../../values/likelyName";
import type { CliCommand } from "../command";
import { pageOf } from "../compare/page/page";
import { mostOnPage, rowsReport } from "../compare/page/rowsPage";
import { pageFile, plannedPage } from "../compare/page/writePage";
import { connectTo } from "../connection/connected";
import type { ConnectionFlags } from "../connection/connection";
import { CliError } from "../exitCodes";
import { namesIn, numberFrom, taskArgument, yesOption } from "../options";
import { table } from "../output/table";

interface Flags extends ConnectionFlags {
  lotNo?: string;
  limit: number;
  offset: number;
  columns?: string[];
  html?: string;
  yes?: boolean;
}

const defaultLimit = 10;

export const rows: CliCommand = {
  name: "rows",
  summary: "show the first rows of a task or of one of its runs",
  details: "The command marks nothing as exported. Use export for all rows.",
  connects: true,
  arguments: [taskArgument()],
  options: [
    new Option("--lot-no <lotNo>", "only the rows of this run"),
    new Option("-n, --limit <number>", "how many rows").argParser(numberFrom(1, "an integer")).default(defaultLimit),
    new Option("--offset <number>", "index of the first row").argParser(numberFrom(0, "an integer")).default(0),
    new Option("--columns <names>", "fields to show, with commas between them (default: all)").argParser(namesIn),
    new Option(
      "--html <file>",
      `also write a page of the first ${mostOnPage} rows, with bars of the filled shares`,
    ).argParser(pageFile),
    yesOption(),
  ],
  examples: [
    { line: "rows shop-1", does: `shows the first ${defaultLimit} rows of the task` },
    { line: "rows shop-1 --html rows.html", does: "writes a page whose rows can be searched and sorted" },
    {
      line: "rows shop-1 --lot-no 639308323497897245 --columns title,price -n 3",
      does: "shows two fields of three rows of a run",
    },
  ],
  async run({ arguments: [given], options }, cli) {
    const { lotNo, limit, offset, columns, html, yes, ...flags } = options as unknown as Flags;
    const pageOfRows = html === undefined ? undefined : await plannedPage(html, yes === true, cli);
    const { client, task } = await connectTo(String(given), flags, cli);
    const { taskId } = task;
    const source = lotNo === undefined ? { taskId } : { taskId, lotNo };
    const most = pageOfRows === undefined ? limit : Math.max(limit, mostOnPage);
    const found: FoundRow[] = [];
    let total = 0;
    for await (const page of client.rows(source, { maxRows: most, offset, signal: cli.interrupted })) {
      const texts = page.texts();
      for (const [index, row] of page.objects().entries()) {
        found.push({ row, cells: cellsOf(texts[index] ?? "{}") });
      }
      total = page.total;
    }
    requireFields(columns, found);
    const shown = found.slice(0, limit);
    const onPage = found.slice(0, mostOnPage);
    const fields = columns ?? fieldsOf(onPage);
    const of = `Task ${taskId}${lotNo === undefined ? "" : `, run ${lotNo}`}`;
    const rows = onPage.map(({ cells }) => cells);
    await pageOfRows?.write(pageOf("Rows", rowsReport({ of, rows, fields, offset, total })));
    return {
      json: { taskId, lotNo, offset, total, rows: shown.map((each) => chosen(each, columns)) },
      text() {
        if (shown.length === 0) {
          return `No rows: the service counts ${total} rows, and the first one asked for is row ${offset + 1}.`;
        }
        const names = columns ?? fieldsOf(shown);
        const lines = shown.map(({ cells }) => names.map((name) => cells.get(name) ?? ""));
        return `${table(names, lines, cli.terminal)}\n\n${shown.length} of ${total} rows.`;
      },
    };
  },
};

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

function fieldsOf(rows: readonly FoundRow[]): string[] {
  return [...new Set(rows.flatMap(({ cells }) => [...cells.keys()]))];
}

/** @throws CliError for a field that no row has, which is most often misspelled */
function requireFields(columns: readonly string[] = [], found: readonly FoundRow[]): void {
  const fields = fieldsOf(found);
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
