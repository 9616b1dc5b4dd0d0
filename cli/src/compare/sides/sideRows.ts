import { open, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { incompleteRead } from "../../../../src/resources/export/rowReader";
import { countsOf, runningNow } from "../../../../src/resources/run/subtaskList";
import type { ObjectStore } from "../../../../src/store/objectStore";
import { isStoreAddress, partsOf, remotePathProblem } from "../../../../src/store/storeAddress";
import { storeOf } from "../../../../src/store/storeOf";
import { counted } from "../../../../src/values/words";
import type { CommandContext } from "../../commandContext";
import type { Connected, ConnectedTo } from "../../connection/connected";
import { connectTo, requireOrigin } from "../../connection/connected";
import type { ConnectionFlags } from "../../connection/connection";
import { findConnection } from "../../connection/connection";
import { stackTasks } from "../../connection/stackTasks";
import { CliError } from "../../exitCodes";
import { noResult } from "../database";
import type { BatchSide, FileSide, Side } from "./side";
import { latest } from "./side";

/** The rows of a side as the bytes of a file. */
export interface SideRows extends Required<Pick<FileSide, "name" | "format" | "compression">> {
  readonly pieces: AsyncIterable<Uint8Array>;
  /** What a reader of the report must know about the rows. Complete when the rows were read. */
  readonly notes: string[];
}

export interface ReadOptions {
  readonly cli: CommandContext;
  readonly flags: ConnectionFlags;
  /** Of each workbook. */
  readonly sheet?: string;
}

/** The rows of a file, an object or a batch. */
export async function sideRows(side: Side, options: ReadOptions): Promise<SideRows> {
  if (side.kind === "batch") {
    return await batchRows(side, options);
  }
  const { name, format, compression = "none" } = side;
  const pieces = isStoreAddress(name) ? objectPieces(side, options) : piecesOf(name);
  return { name, format, compression, pieces, notes: [] };
}

/** Reads the rows of a batch. Nothing is marked. */
async function batchRows(
  { taskId: given, lotNo: givenLotNo, connected: known }: BatchSide,
  { cli, flags }: ReadOptions,
): Promise<SideRows> {
  const { stack, unreadStack } = flags;
  if (givenLotNo === latest && stack === undefined) {
    const why = unreadStack === undefined ? "" : `${unreadStack} `;
    throw new CliError(
      `${why}"${given}:${latest}" is the run in the state of a stack: use --stack NAME, or name the lotNo. No rows were read.`,
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
  return { name, format: "ndjson", compression: "none", pieces: pieces(), notes };
}

/** @throws CliError if the state of the stack has no run of the task, or one at another service */
async function latestLotNo(connected: ConnectedTo, stack: string, signal: AbortSignal): Promise<string> {
  const { task } = connected;
  const { taskId } = task;
  // For a name, the state has been read.
  const found =
    task.run === undefined
      ? (await stackTasks(stack, signal)).find((each) => each.taskId === taskId && each.run !== undefined)
      : task;
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

/**
 * The bytes of a file.
 * @throws CliError if it cannot be read, is no regular file (a device may have no end, and a FIFO is read only once),
 * or has changed at the end
 */
export async function* piecesOf(name: string): AsyncGenerator<Buffer> {
  const unreadable = (why: string): CliError => new CliError(`"${name}" cannot be read: ${why}. ${noResult}`, "usage");
  const path = resolve(name);
  const look = () => stat(path, { bigint: true });
  const before = await look().catch((error: NodeJS.ErrnoException) => {
    throw unreadable(error.code ?? error.message);
  });
  if (!before.isFile()) {
    throw unreadable("it is not a file");
  }
  const handle = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
    throw unreadable(error.code ?? error.message);
  });
  try {
    for await (const piece of handle.createReadStream({ autoClose: false, highWaterMark: 256 * 1024 })) {
      yield piece as Buffer;
    }
  } finally {
    await handle.close();
  }
  const after = await look().catch(() => undefined);
  if ((["size", "mtimeNs", "ino", "dev"] as const).some((part) => after?.[part] !== before[part])) {
    throw new CliError(
      `"${name}" was changed while it was read. ${noResult} Run the same command again when nothing writes to it.`,
    );
  }
}

/**
 * The bucket of an object.
 * @param given how a message names it
 */
export async function bucketOf(
  path: string,
  given: string,
  { flags, cli }: ReadOptions,
  connected?: Pick<Connected, "config">,
): Promise<ObjectStore> {
  const problem = remotePathProblem(path);
  if (problem !== undefined) {
    throw new CliError(`"${given}" ${problem}. ${noResult}`, "usage");
  }
  const { config } = connected ?? (await findConnection(flags, cli.interrupted));
  return storeOf(path, { settings: config.settings, folder: process.cwd() });
}

async function* objectPieces({ name, connected }: FileSide, options: ReadOptions): AsyncGenerator<Uint8Array> {
  const bucket = await bucketOf(name, name, options, connected);
  const { key } = partsOf(name);
  const found = await bucket.head(key);
  if (found === undefined) {
    throw new CliError(`"${name}" cannot be read: there is no such object. ${noResult}`, "usage");
  }
  yield* bucket.read(key, found.etag);
}
