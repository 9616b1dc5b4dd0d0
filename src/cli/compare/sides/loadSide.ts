import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Bucket } from "../../../resources/export/destinations/s3/bucket";
import { bucketAndKey, isS3Path, remotePathProblem } from "../../../resources/export/destinations/s3/s3Path";
import { s3Client } from "../../../resources/export/destinations/s3/sdk";
import { StoreError } from "../../../resources/export/destinations/s3/storeError";
import { incompleteRead } from "../../../resources/export/marking/wholeRead";
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
import { quoted } from "../database";
import type { DiskFile } from "./pieces";
import { decompressed, piecesOf, requireUnchanged, statsOf, writePieces } from "./pieces";
import { readCsv } from "./readCsv";
import { readLines, readList } from "./readJson";
import { columnsOfTable, RowTable, tableOf } from "./rowTable";
import type { BatchSide, FileSide, Side } from "./side";
import { latest } from "./side";
import { latinTextOf } from "./textOf";

export interface LoadedSide {
  readonly table: RowTable;
  /** What the side is, for people: with the lotNo where the user has not named it. */
  readonly name: string;
  /** What a reader of the report must know about the rows. */
  readonly notes: readonly string[];
}

export interface LoadOptions {
  readonly database: Database;
  readonly cli: Cli;
  readonly flags: ConnectionFlags;
}

/** Reads all rows of a side into the table `id` of the database. */
export async function loadSide(id: "base" | "head", side: Side, options: LoadOptions): Promise<LoadedSide> {
  const table = new RowTable(id, options.database);
  const { terminal } = options.cli;
  terminal.progress(`Reading ${side.name}`);
  const loaded = side.kind === "batch" ? await loadBatch(table, side, options) : await loadFile(table, side, options);
  terminal.endProgress();
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
    for await (const page of client.rows({ taskId, lotNo }, { signal: cli.interrupted })) {
      yield page.ndjson();
      cli.terminal.progress(`Reading ${name}: ${table.rows} of ${page.total} rows`);
      cli.checkInterrupted("The rows were not compared.");
      if (page.complete === false) {
        notes.push(incompleteRead(`Run ${name}`, page.offset + page.count, page.total));
      }
    }
  }
  await readLines(latinTextOf(pieces(), name), table, name);
  await table.end();
  for (const note of notes) {
    cli.terminal.warn(note);
  }
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
  const { name } = side;
  const fetched = isS3Path(name) ? await fetchObject(side, table.id, options) : undefined;
  const file: DiskFile = { name, path: fetched ?? resolve(name) };
  if (side.format === "parquet") {
    await loadParquet(table, file, side, options.database);
  } else {
    const texts = latinTextOf(decompressed(piecesOf(file), side.compression, name), name);
    const read = { ndjson: readLines, json: readList, csv: readCsv }[side.format];
    await read(texts, table, name);
    await table.end();
  }
  if (fetched !== undefined) {
    await rm(fetched);
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
  return new Bucket(await s3Client({ settings: config.settings, folder: process.cwd() }), bucketAndKey(path).bucket);
}

/** Fetches an object to a temporary file. */
async function fetchObject({ name: path, connected }: FileSide, id: string, options: LoadOptions): Promise<string> {
  const { database, cli } = options;
  const bucket = await bucketOf(path, path, options, connected);
  const { key } = bucketAndKey(path);
  const target = join(database.folder, `${id}.fetched`);
  try {
    const found = await bucket.head(key);
    if (found === undefined) {
      throw new CliError(`"${path}" cannot be read: there is no such object. No rows were compared.`, "usage");
    }
    await writePieces(untilInterrupted(bucket.read(key, found.etag), cli), target);
  } catch (error) {
    throw error instanceof StoreError ? new CliError(`${error.message} ${error.advice}`.trim()) : error;
  }
  return target;
}

async function* untilInterrupted(pieces: AsyncIterable<Uint8Array>, cli: Cli): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    cli.checkInterrupted("The rows were not compared.");
    yield piece;
  }
}

/** DuckDB reads Parquet. The names come from the schema of the file, because DuckDB renames columns whose names differ only in case. */
async function loadParquet(
  table: RowTable,
  file: DiskFile,
  { compression }: FileSide,
  database: Database,
): Promise<void> {
  const { id } = table;
  if (compression !== undefined) {
    const path = join(database.folder, `${id}.parquet`);
    await writePieces(decompressed(piecesOf(file), compression, file.name), path);
    await loadParquet(table, { path, name: file.name }, { kind: "file", name: file.name, format: "parquet" }, database);
    await rm(path);
    return;
  }
  const before = await statsOf(file);
  const from = quoted(withoutGlob(file.path));
  const source = `read_parquet(${from}, hive_partitioning = false, filename = false)`;
  try {
    const columns = await database.rows(`DESCRIBE SELECT * FROM ${source}`);
    const names = namesIn(await database.rows(`SELECT name, num_children FROM parquet_schema(${from})`));
    if (names.length !== columns.length) {
      throw new CliError(`DuckDB finds ${columns.length} columns where the schema has ${names.length}`);
    }
    const twice = names.find((each, index) => names.indexOf(each) !== index);
    if (twice !== undefined) {
      throw new CliError(`it has two columns with the name "${twice}"`);
    }
    // By position: a name can contain NUL, which ends a statement.
    const named = `${source} AS t(${names.map((_name, index) => `p${index}`).join(", ")})`;
    const texts = columns.map(([, type], index) => `nullif(${inText(`p${index}`, String(type))}, '') AS c${index}`);
    for (let begin = 0; begin < texts.length; begin += columnsOfTable) {
      const some = texts.slice(begin, begin + columnsOfTable);
      await database.run(`CREATE TABLE ${tableOf(id, begin)} AS SELECT ${some.join(", ")} FROM ${named}`);
    }
    const [[rows] = []] = await database.rows(`SELECT count(*) FROM ${tableOf(id, 0)}`);
    table.adopt(names, Number(rows));
  } catch (error) {
    database.checkInterrupted();
    await requireUnchanged(file, before);
    throw error instanceof CliError
      ? new CliError(`"${file.name}" cannot be read as Parquet: ${error.message}`)
      : error;
  }
  await requireUnchanged(file, before);
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

/** A path that DuckDB reads as the name of this one file. */
function withoutGlob(path: string): string {
  return path.replace(/[[*?]/g, "[$&]");
}
