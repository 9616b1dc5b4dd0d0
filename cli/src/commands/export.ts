import { open } from "node:fs/promises";
import { join } from "node:path";
import { InvalidArgumentError, Option } from "commander";
import { dataExport } from "../../../src/resources/export/dataExport";
import type {
  ColumnType,
  CompressionName,
  CsvArgs,
  DataExportArgs,
  ExportFormat,
} from "../../../src/resources/export/model";
import { RowReader } from "../../../src/resources/export/rowReader";
import { runCommandExport } from "../../../src/resources/export/runExport";
import { checkedArgs } from "../../../src/resources/index";
import { backslashHint } from "../../../src/resources/lists/allowedFile";
import type { Context } from "../../../src/resources/resource";
import { destinationOf } from "../../../src/rows/destinations/destinationOf";
import { columnTypes } from "../../../src/rows/formats/columnTypes";
import { compressionNames } from "../../../src/rows/formats/compression";
import { formatNames, isAsRead, misleadingFormat } from "../../../src/rows/formats/formats";
import type { Problem } from "../../../src/values/kinds";
import { counted } from "../../../src/values/words";
import type { CliCommand } from "../command";
import type { CommandContext } from "../commandContext";
import { connectTo } from "../connection/connected";
import type { ConnectionFlags } from "../connection/connection";
import { CliError, usageError } from "../exitCodes";
import { numberFrom, taskArgument } from "../options";
import { temporaryFailure, temporaryFolder } from "../output/temporaryFolder";

interface Flags extends ConnectionFlags {
  out?: string;
  lotNo?: string;
  format: ExportFormat;
  csv?: string;
  column?: Record<string, ColumnType>;
  compression: CompressionName;
  maxRows?: number;
  json?: boolean;
}

/** A shell gives `;` and a tab another meaning, so delimiters have names. */
const delimiters = { "": undefined, ":semicolon": ";", ":tab": "\t" } as const;

const csvKinds: Readonly<Record<string, CsvArgs>> = Object.fromEntries(
  (["programs", "spreadsheets"] as const).flatMap((reader) =>
    Object.entries(delimiters).map(([name, delimiter]) => [
      `${reader}${name}`,
      { for: reader, ...(delimiter && { delimiter }) },
    ]),
  ),
);

export const exportRows: CliCommand = {
  name: "export",
  summary: "write the rows of a task or of one of its runs to a file or to standard output",
  details: "Nothing is marked as exported, and no file is overwritten. A failed export writes no file.",
  connects: true,
  arguments: [taskArgument()],
  options: [
    new Option(
      "-o, --out <file>",
      "the file, or an object of a store as s3://BUCKET/KEY, with {lotNo}, {time} and {n} as in a DataExport (default: -, standard output)",
    ),
    new Option("--lot-no <lotNo>", "only the rows of this run"),
    new Option("-f, --format <format>", "format of the rows").choices(formatNames).default("ndjson"),
    new Option(
      "--csv <for>",
      "who reads the CSV: programs, or spreadsheets (a byte order mark, CR LF, an apostrophe before formulas), with the delimiter after a colon if it is not a comma (default: programs)",
    ).choices(Object.keys(csvKinds)),
    new Option(
      "--column <name=type>",
      `type of a column of Parquet or XLSX: ${columnTypes.join(", ")}; can be given several times (default: string)`,
    ).argParser(columnFrom),
    new Option(
      "--compression <compression>",
      "compression of the file, whose name must end so: .gz for gzip, .zst for zstd; only Parquet, which is compressed inside the file, has snappy",
    )
      .choices(compressionNames)
      .default("none"),
    new Option("--max-rows <number>", "maximum number of rows (default: all)").argParser(numberFrom(1, "an integer")),
  ],
  examples: [
    {
      line: "export shop-1 --lot-no 639308323497897245 --out rows.csv --format csv",
      does: "writes the rows of a run to a CSV file",
    },
    { line: "export shop-1 | jq .title", does: "passes the rows of the task on, one JSON row on each line" },
  ],
  async run({ arguments: [given], options }, cli) {
    const { out, lotNo, column: columns, maxRows, json, ...flags } = options as unknown as Flags;
    const { format, compression } = flags;
    const csv = flags.csv === undefined ? undefined : csvKinds[flags.csv];
    if (json === true && out === undefined) {
      throw usageError("--json needs --out FILE: without it, the rows go to standard output.");
    }
    if (out?.includes("{lotNo}") === true && lotNo === undefined) {
      throw usageError('--out contains "{lotNo}", which needs --lot-no.');
    }
    const { context, task } = await connectTo(String(given), flags, cli);
    const args: DataExportArgs = {
      taskId: task.taskId,
      ...(lotNo === undefined ? { scope: "all" as const } : { scope: "batch" as const, lotNo }),
      // The name does not matter for standard output.
      path: out ?? "rows",
      ...{ maxRows, format, csv, columns, compression },
    };
    await checkArgs(args, context, out !== undefined);
    if (out === undefined) {
      await (isAsRead(args) ? writePages(args, context, cli) : writeFile(args, context, cli));
      return { json: undefined, text: () => "" };
    }
    warnOfName(out, format, cli);
    const { taskId, file, rowCount, bytes, sha256, complete } = await runCommandExport(args, context);
    const part = complete ? "" : ", not all rows of the service,";
    return {
      json: { taskId, lotNo, file, format, compression, rowCount, bytes, sha256, complete },
      text: () => `${counted(rowCount, "row")}, ${counted(bytes, "byte")}${part} in "${file}".`,
    };
  },
};

/** A program that reads the file by its name would read it wrongly, or would not find it. */
function warnOfName(out: string, format: ExportFormat, { terminal }: CommandContext): void {
  const hint = backslashHint(out);
  if (hint !== undefined) {
    terminal.warn(`--out ${hint}.`);
  }
  const other = misleadingFormat(out, format);
  if (other !== undefined) {
    terminal.warn(
      `"${out}" ends like ${other}, and its rows are written as ${format}. Use --format ${other}, or another name.`,
    );
  }
}

/** The flags of arguments that have another name. */
const flagOf: Record<string, string> = { path: "out", columns: "column", lotNo: "lot-no" };

function columnFrom(text: string, before: Record<string, ColumnType> = {}): Record<string, ColumnType> {
  const at = text.lastIndexOf("=");
  const name = text.slice(0, Math.max(at, 0));
  const type = columnTypes.find((each) => each === text.slice(at + 1));
  if (at < 0 || type === undefined) {
    throw new InvalidArgumentError(`It must be NAME=TYPE with one of the types ${columnTypes.join(", ")}.`);
  }
  if (Object.hasOwn(before, name)) {
    throw new InvalidArgumentError(`Column "${name}" has a type already.`);
  }
  return { ...before, [name]: type };
}

/** Refuses a file before any row is read. */
async function checkArgs(args: DataExportArgs, context: Context, toFile: boolean): Promise<void> {
  const { folder, settings } = context;
  const problems: Problem[] = [];
  await checkedArgs(dataExport, { ...args }, { folder, settings, problems });
  if (toFile && !args.path.includes("{") && problems.length === 0) {
    const destination = destinationOf(args.path, context);
    if (await destination.exists(args.path)) {
      const reason = `names a file that exists, "${args.path}": add {n} (the next free number) or {time}, move the file away, or use another path`;
      problems.push({ path: "path", reason });
    }
  }
  // Rows for standard output have no file that the user can name.
  const ofUser = problems.filter(({ path: name }) => toFile || name !== "path");
  if (ofUser.length > 0) {
    const found = ofUser.map(({ path: name, reason }) => `--${flagOf[name] ?? name} ${reason}`);
    throw new CliError(`${found.join("; ")}. No rows were read.`, "usage");
  }
}

/** As the rows come. Progress would stand between them on a terminal. */
async function writePages(args: DataExportArgs, context: Context, { terminal }: CommandContext): Promise<void> {
  const reader = new RowReader(args, { ...context, progress: () => undefined }, false);
  for await (const page of reader.pages()) await terminal.write(page.ndjson());
}

/**
 * The other formats need all rows first. The file is private. While it is written to standard output, which can take as
 * long as its reader likes, it has no name any more: then not even a kill leaves it.
 */
async function writeFile(args: DataExportArgs, context: Context, { terminal }: CommandContext): Promise<void> {
  const temporary = await temporaryFolder("webextract-export-");
  try {
    const { file } = await runCommandExport(args, { ...context, folder: temporary.path }).catch((error: Error) => {
      throw error.cause instanceof Error && "syscall" in error.cause ? temporaryFailure(error.cause) : error;
    });
    const content = await open(join(temporary.path, file));
    if (process.platform !== "win32") {
      temporary.remove();
    }
    for await (const piece of content.createReadStream()) {
      await terminal.write(piece as Buffer);
      if (terminal.isCutOff) {
        return;
      }
    }
  } finally {
    temporary.remove();
  }
}
