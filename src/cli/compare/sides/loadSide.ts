import { Bucket } from "../../../resources/export/destinations/s3/bucket";
import { bucketAndKey, isS3Path, remotePathProblem } from "../../../resources/export/destinations/s3/s3Path";
import { incompleteRead } from "../../../resources/export/rowReader";
import { countsOf, runningNow } from "../../../resources/run/subtaskList";
import { counted } from "../../../resources/values";
import type { Cli, Connected, ConnectedTo } from "../../cli";
import type { ConnectionFlags } from "../../connection/connection";
import { findConnection } from "../../connection/connection";
import { requireOrigin } from "../../connection/namedTask";
import type { StackTask } from "../../connection/stackTasks";
import { stackTasks } from "../../connection/stackTasks";
import { CliError } from "../../exitCodes";
import type { Database, Value } from "../database";
import { decompressed } from "./decompressed";
import { piecesOf } from "./pieces";
import { readCsv } from "./readCsv";
import { readLines, readList } from "./readJson";
import type { Fields } from "./rowTable";
import { RowTable } from "./rowTable";
import type { BatchSide, FileSide, Side } from "./side";
import { latest } from "./side";

export interface LoadedSide {
  readonly table: RowTable;
  /** What the side is, for people: with the lotNo where the user has not named it. */
  readonly name: string;
  /** What a reader of the report must know about the rows. */
  readonly notes: readonly string[];
}

export interface LoadOptions {
  readonly database: Database;
  /** Of both sides. */
  readonly fields: Fields;
  readonly cli: Cli;
  readonly flags: ConnectionFlags;
}

/** Reads all rows of a side into its table of the database. */
export async function loadSide(id: "base" | "head", side: Side, options: LoadOptions): Promise<LoadedSide> {
  const table = new RowTable(id, options.fields, options.database);
  const { terminal } = options.cli;
  terminal.progress(`Reading ${side.name}`);
  const loaded = side.kind === "batch" ? await loadBatch(table, side, options) : await loadFile(table, side, options);
  terminal.endProgress();
  for (const note of loaded.notes) {
    terminal.warn(note);
  }
  return { table, ...loaded };
}

/** Reads the rows of a batch. Nothing is marked. */
async function loadBatch(
  table: RowTable,
  { taskId: given, lotNo: givenLotNo, connected: known }: BatchSide,
  { cli, flags }: LoadOptions,
): Promise<Omit<LoadedSide, "table">> {
  const { stack } = flags;
  if (givenLotNo === latest && stack === undefined) {
    throw new CliError(
      `"${given}:${latest}" is the run in the state of a stack: use --stack NAME, or name the lotNo. No rows were read.`,
      "usage",
    );
  }
  const connected = known === undefined ? await cli.connectTo(given, flags) : { ...known, task: { taskId: given } };
  const { client, config } = connected;
  const { taskId } = connected.task;
  const lotNo =
    givenLotNo === latest && stack !== undefined ? await latestLotNo(connected, stack, cli.interrupted) : givenLotNo;
  const name = `${given}:${lotNo}`;
  const notes: string[] = [];
  // Before the rows: a run that ends meanwhile can have got some.
  const running = await runningNow(taskId, { client, settings: config.settings }, { signal: cli.interrupted });
  if (running.length > 0) {
    const statuses = Object.keys(countsOf(running).byStatus).join(", ");
    notes.push(
      `Run ${name}: ${counted(running.length, "subtask")} of the task ran (${statuses}) when its rows were read. If the subtasks are of this run, rows are missing.`,
    );
  }
  async function* pieces(): AsyncGenerator<Uint8Array> {
    let received = 0;
    for await (const page of client.rows({ taskId, lotNo }, { signal: cli.interrupted })) {
      yield page.ndjson();
      received += page.count;
      if (page.complete === false) {
        notes.push(incompleteRead(`Run ${name}`, received, page.total));
      }
    }
  }
  await table.load(readLines(pieces(), table, name), name);
  return { name, notes };
}

/** @throws CliError if the state of the stack has no run of the task, or one at another service */
async function latestLotNo(connected: ConnectedTo, stack: string, signal: AbortSignal): Promise<string> {
  const { task } = connected;
  const { taskId } = task;
  // For a name, the state has been read.
  const found = task.run === undefined ? await taskWithRun(taskId, stack, signal) : task;
  requireOrigin({ taskId, name: found?.name ?? taskId, origin: found?.origin }, connected);
  const lotNo = found?.run?.lotNo;
  if (lotNo === undefined) {
    throw new CliError(
      `The state of stack "${stack}" has no run of task "${taskId}". Name the lotNo. No rows were read.`,
      "usage",
    );
  }
  return lotNo;
}

async function taskWithRun(taskId: string, stack: string, signal: AbortSignal): Promise<StackTask | undefined> {
  const tasks = await stackTasks(stack, signal);
  return tasks.find((each) => each.taskId === taskId && each.run !== undefined);
}

async function loadFile(table: RowTable, side: FileSide, options: LoadOptions): Promise<Omit<LoadedSide, "table">> {
  const { name, format, compression } = side;
  const { database } = options;
  const pieces = decompressed(isS3Path(name) ? objectPieces(side, options) : piecesOf(name), compression, name);
  if (format === "parquet") {
    await database.withFile(pieces, (file) =>
      readParquet(table, file, database).catch((error: Error) => {
        database.checkInterrupted();
        throw new CliError(`"${name}" cannot be read as Parquet: ${error.message}`);
      }),
    );
  } else {
    const read = { ndjson: readLines, json: readList, csv: readCsv }[format];
    await table.load(read(pieces, table, name), name);
  }
  return { name, notes: [] };
}

/**
 * The bucket of an object.
 * @param given how a message names it
 */
export async function bucketOf(
  path: string,
  given: string,
  { flags, cli }: LoadOptions,
  connected?: Pick<Connected, "config">,
): Promise<Bucket> {
  const problem = remotePathProblem(path);
  if (problem !== undefined) {
    throw new CliError(`"${given}" ${problem}. No rows were compared.`, "usage");
  }
  const { config } = connected ?? (await findConnection(flags, cli.interrupted));
  return Bucket.of(path, { settings: config.settings, folder: process.cwd() });
}

async function* objectPieces({ name, connected }: FileSide, options: LoadOptions): AsyncGenerator<Uint8Array> {
  const bucket = await bucketOf(name, name, options, connected);
  const { key } = bucketAndKey(name);
  const found = await bucket.head(key);
  if (found === undefined) {
    throw new CliError(`"${name}" cannot be read: there is no such object. No rows were compared.`, "usage");
  }
  yield* bucket.read(key, found.etag);
}

/** DuckDB reads Parquet. The names come from the schema of the file, because DuckDB renames columns whose names differ only in case. */
async function readParquet(table: RowTable, file: string, database: Database): Promise<void> {
  const source = "read_parquet(?, hive_partitioning = false, filename = false)";
  const columns = await database.rows(`DESCRIBE SELECT * FROM ${source}`, [file]);
  const names = namesIn(await database.rows("SELECT name, num_children FROM parquet_schema(?)", [file]));
  if (names.length !== columns.length) {
    throw new CliError(`DuckDB finds ${columns.length} columns where the schema has ${names.length}`);
  }
  const cells: string[] = [];
  for (const [index, name] of names.entries()) {
    const column = table.fields.columnOf(Buffer.from(name).toString("latin1"));
    if (cells[column] !== undefined) {
      throw new CliError(`it has two columns with the name "${name}"`);
    }
    cells[column] = `coalesce(${inText(`p${index}`, String(columns[index]?.[1]))}, '')`;
    table.isFound[column] = true;
  }
  // By position: a name can contain NUL, which ends a statement.
  const named = `${source} AS t(${names.map((_name, index) => `p${index}`).join(", ")})`;
  const list = Array.from(cells, (cell) => cell ?? "''").join(", ");
  await table.create(`SELECT CAST([${list}] AS VARCHAR[]) AS cells FROM ${named}`, file);
}

/** The top-level names of a schema, which lists a parent before its children. */
function namesIn(schema: readonly Value[][]): string[] {
  const names: string[] = [];
  let at = 1;
  const skip = (): void => {
    const children = Number(schema[at]?.[1] ?? 0);
    at++;
    for (let child = 0; child < children; child++) {
      skip();
    }
  };
  while (at < schema.length) {
    names.push(String(schema[at]?.[0]));
    skip();
  }
  return names;
}

/** A nested value as JSON, any other as DuckDB writes it. */
function inText(column: string, type: string): string {
  const isNested = /[[(]/.test(type) && !/^DECIMAL/.test(type);
  return `CAST(${isNested ? `to_json(${column})` : column} AS VARCHAR)`;
}
