import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Bucket } from "../../../resources/export/destinations/s3/bucket";
import { bucketAndKey, isS3Path, remotePathProblem } from "../../../resources/export/destinations/s3/s3Path";
import type { ExportFormat } from "../../../resources/export/formats/formats";
import { incompleteRead } from "../../../resources/export/rowReader";
import { messageOf } from "../../../resources/resource";
import { countsOf, runningNow } from "../../../resources/run/subtaskList";
import { counted } from "../../../resources/values";
import type { Cli } from "../../cli";
import type { Connected, ConnectedTo } from "../../connection/connected";
import { connectTo, requireOrigin } from "../../connection/connected";
import type { ConnectionFlags } from "../../connection/connection";
import { findConnection } from "../../connection/connection";
import type { StackTask } from "../../connection/stackTasks";
import { stackTasks } from "../../connection/stackTasks";
import { CliError } from "../../exitCodes";
import type { Database } from "../database";
import { noResult } from "../database";
import type { FieldFigures } from "../fieldFigures";
import { fieldFigures } from "../fieldFigures";
import type { Layout } from "../layout";
import { layoutOf, maps } from "../layout";
import { piecesOf } from "./pieces";
import type { RowsFile } from "./readRows";
import { readRows, rowsFile } from "./readRows";
import type { BatchSide, FileSide, Side } from "./side";
import { latest } from "./side";
import type { TemporaryFile } from "./temporaryFile";
import { temporaryFile } from "./temporaryFile";

export interface LoadedSide {
  readonly rows: number;
  /** The fields by their names. */
  readonly fields: ReadonlyMap<string, FieldFigures>;
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

const mostFields = 5_000;

type Id = "base" | "head";

/** Reads all rows of the sides into tables of the database. */
export async function loadSides<Ids extends Id>(
  sides: Readonly<Record<Ids, Side>>,
  options: LoadOptions,
): Promise<Record<Ids, LoadedSide> & { layout: Layout }> {
  const fetched: FetchedSide[] = [];
  for (const id of Object.keys(sides) as Ids[]) {
    fetched.push(await fetchSide(id, sides[id], options));
  }
  const layout = layoutOf(fetched.map(({ file }) => file.fields));
  const loaded = {} as Record<Ids, LoadedSide>;
  for (const side of fetched) {
    loaded[side.id as Ids] = await loadSide(side, layout, options);
  }
  return { ...loaded, layout };
}

/** A side whose rows are in a file. */
interface FetchedSide extends Pick<LoadedSide, "name"> {
  readonly id: Id;
  readonly format: ExportFormat;
  readonly file: RowsFile;
  readonly notes: string[];
}

async function fetchSide(id: Id, side: Side, options: LoadOptions): Promise<FetchedSide> {
  const { database, cli } = options;
  cli.terminal.progress(`Reading ${side.name}`);
  const { name, pieces, notes } =
    side.kind === "batch"
      ? await batchRows(side, options)
      : { name: side.name, pieces: fileRows(side, options), notes: [] };
  const { format = "ndjson", compression } = side as Partial<FileSide>;
  const path = join(database.folder, `${id}.rows`);
  const file = await temporaryFile(pieces, { name, format, compression }, { path, database });
  const rows = await rowsFile(file, format, database).catch((error: unknown) => {
    database.checkInterrupted();
    throw unreadable({ name, format, file }, error);
  });
  cli.terminal.endProgress();
  return { id, name, format, file: rows, notes: [...notes, ...rows.notes.map((note) => `"${name}": ${note}`)] };
}

/**
 * Reads all rows of a side into a table of maps.
 * @returns the fields that the side has even if no row has them
 */
export async function loadRows(id: Id, given: Side, options: LoadOptions): Promise<readonly string[]> {
  const side = await fetchSide(id, given, options);
  await readSide(side, maps, options);
  options.cli.terminal.endProgress();
  for (const note of side.notes) {
    options.cli.terminal.warn(note);
  }
  return side.file.header;
}

async function readSide(side: FetchedSide, layout: Layout, { database, cli }: LoadOptions): Promise<void> {
  const { id, name, file } = side;
  cli.terminal.progress(`Reading ${name}`);
  await readRows(id, file, { layout, database }).catch(async (error: unknown) => {
    database.checkInterrupted();
    // Of a row as a map, more can be said.
    const why =
      layout === maps
        ? error
        : await readRows(id, file, { layout: maps, database }).then(
            () => error,
            (other) => other,
          );
    database.checkInterrupted();
    throw unreadable(side, why);
  });
  await rm(file.path);
}

async function loadSide(side: FetchedSide, layout: Layout, options: LoadOptions): Promise<LoadedSide> {
  const { id, name, file, notes } = side;
  const { database, cli } = options;
  await readSide(side, layout, options);
  const named = layout === maps ? file.header : (file.fields ?? []);
  const fields = await fieldFigures(database, id, { layout, named });
  if (fields.size > mostFields) {
    throw new CliError(`"${name}" has more than ${mostFields} fields. So many cannot be compared.`);
  }
  const [[rows] = []] = await database.rows(`SELECT count(*) FROM ${id}`);
  cli.terminal.endProgress();
  for (const note of notes) {
    cli.terminal.warn(note);
  }
  return { rows: Number(rows), fields, name, notes };
}

function unreadable(
  { name, format, file }: Pick<FetchedSide, "name" | "format"> & { file: TemporaryFile },
  error: unknown,
): CliError {
  const isOnLines = format === "json" && file.format === "ndjson";
  const why = isOnLines ? '. It begins with "{", so each of its lines must be a row.' : "";
  return new CliError(`"${name}" cannot be read as ${format}: ${messageOf(error)}${why}`);
}

interface Rows {
  /** For people. */
  readonly name: string;
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Complete when the rows were read. */
  readonly notes: string[];
}

/** Reads the rows of a batch. Nothing is marked. */
async function batchRows(
  { taskId: given, lotNo: givenLotNo, connected: known }: BatchSide,
  { cli, flags }: LoadOptions,
): Promise<Rows> {
  const { stack } = flags;
  if (givenLotNo === latest && stack === undefined) {
    throw new CliError(
      `"${given}:${latest}" is the run in the state of a stack: use --stack NAME, or name the lotNo. No rows were read.`,
      "usage",
    );
  }
  const connected = known === undefined ? await connectTo(given, flags, cli) : { ...known, task: { taskId: given } };
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
        notes.push(incompleteRead(`Run ${name}`, received, page.total, page.gap));
      }
    }
  }
  return { name, pieces: pieces(), notes };
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

function fileRows(side: FileSide, options: LoadOptions): AsyncIterable<Uint8Array> {
  return isS3Path(side.name) ? objectPieces(side, options) : piecesOf(side.name);
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
    throw new CliError(`"${given}" ${problem}. ${noResult}`, "usage");
  }
  const { config } = connected ?? (await findConnection(flags, cli.interrupted));
  return new Bucket(path, { settings: config.settings, folder: process.cwd() });
}

async function* objectPieces({ name, connected }: FileSide, options: LoadOptions): AsyncGenerator<Uint8Array> {
  const bucket = await bucketOf(name, name, options, connected);
  const { key } = bucketAndKey(name);
  const found = await bucket.head(key);
  if (found === undefined) {
    throw new CliError(`"${name}" cannot be read: there is no such object. ${noResult}`, "usage");
  }
  yield* bucket.read(key, found.etag);
}
