import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import type * as DuckDb from "@duckdb/node-api";
import { oneLine } from "../../../src/service/errors/foreignText";
import { importOptional } from "../../../src/store/optionalPackage";
import { messageOf } from "../../../src/values/errors";
import type { CommandContext } from "../commandContext";
import { CliError } from "../exitCodes";
import type { TemporaryFolder } from "../output/temporaryFolder";
import { temporaryFolder } from "../output/temporaryFolder";

/**
 * An optional peer dependency, because its program for each platform has 70 MB. Loaded only by commands that compare
 * rows.
 */
const packageName = "@duckdb/node-api";

/** More is on the disk. Each thread needs a part of it. */
const memoryLimit = "300MB";
const mostThreads = 4;

const folderName = "webextract-compare-";
export const noResult = "No result was written.";

export type Value = string | number | bigint | boolean | null | Value[] | { [name: string]: Value };

/** A database in a private folder of its own, which is removed at the end, also by a forced end. It contains rows. */
export class Database {
  private connection: DuckDb.DuckDBConnection | undefined;
  private instance: DuckDb.DuckDBInstance | undefined;
  private readonly stop = (): void => this.connection?.interrupt();

  private constructor(
    private readonly library: typeof DuckDb,
    private readonly temporary: TemporaryFolder,
    private readonly cli: CommandContext,
  ) {}

  /** For its files, and for other temporary files with rows. */
  get folder(): string {
    return this.temporary.path;
  }

  /** @throws CliError if DuckDB is not installed */
  static async create(cli: CommandContext): Promise<Database> {
    const library = load();
    const database = new Database(library, await temporaryFolder(folderName), cli);
    try {
      await database.open();
      return database;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  private async open(): Promise<void> {
    this.instance = await this.library.DuckDBInstance.create(join(this.folder, "rows.db"), {
      memory_limit: memoryLimit,
      threads: String(threads()),
      temp_directory: join(this.folder, "spilled"),
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
      allow_community_extensions: "false",
      allow_persistent_secrets: "false",
    });
    this.connection = await this.instance.connect();
    this.cli.interrupted.addEventListener("abort", this.stop);
    await this.rows("SET TimeZone = 'UTC'");
    // Values of most fields repeat, but to find that out takes as long as to read them.
    await this.rows("SET force_compression = 'uncompressed'");
    // Nobody reads the file again. A checkpoint of thousands of columns takes seconds.
    await this.rows("PRAGMA disable_checkpoint_on_shutdown");
  }

  /** The rows of a result. Integers are strings of their digits. */
  async rows(sql: string, values: readonly string[] = []): Promise<Value[][]> {
    this.checkInterrupted();
    try {
      const reader = await (this.connection as DuckDb.DuckDBConnection).runAndReadAll(sql, [...values]);
      return reader.getRowsJson() as Value[][];
    } catch (error) {
      this.checkInterrupted();
      throw failure(error);
    }
  }

  /**
   * The first column of a result, some rows at a time.
   * @param sql has an expression for each column of a wide table: each thread keeps values of all of them, so there is
   * one
   */
  async *texts(sql: string, values: readonly string[]): AsyncGenerator<string[]> {
    await this.rows("SET threads = 1");
    try {
      const result = await (this.connection as DuckDb.DuckDBConnection).stream(sql, [...values]);
      for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; ) {
        yield chunk.getColumnValues(0) as string[];
        chunk = await result.fetchChunk();
      }
    } catch (error) {
      this.checkInterrupted();
      throw failure(error);
    }
    await this.rows(`SET threads = ${threads()}`);
  }

  get interrupted(): AbortSignal {
    return this.cli.interrupted;
  }

  checkInterrupted(): void {
    this.cli.checkInterrupted(noResult);
  }

  async close(): Promise<void> {
    this.cli.interrupted.removeEventListener("abort", this.stop);
    this.connection?.closeSync();
    this.instance?.closeSync();
    this.temporary.remove();
  }
}

/** Does work in a database that exists only for it. */
export async function inDatabase<T>(cli: CommandContext, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await Database.create(cli);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

function threads(): number {
  return Math.min(mostThreads, availableParallelism());
}

function load(): typeof DuckDb {
  const install = `run "npm install ${packageName}"`;
  let library: typeof DuckDb | undefined;
  try {
    library = importOptional(packageName, process.cwd()) as typeof DuckDb | undefined;
  } catch (error) {
    throw new CliError(
      `The package ${packageName} cannot be loaded (${oneLine(messageOf(error))}). It has a program for each platform: ${install} on this machine. No rows were read.`,
      "usage",
    );
  }
  if (library === undefined) {
    throw new CliError(
      `The package ${packageName}, which reads the rows, is not installed: ${install} in this folder. No rows were read.`,
      "usage",
    );
  }
  return library;
}

/** Without the values of rows, temporary names and the statement, which the message shows, too. */
function failure(error: unknown): CliError {
  const [line = ""] = messageOf(error).split("\n");
  const [what = "", file = ""] = line.split(' in file "');
  const [, place, why] = /\bin (?:line|record\/value) (\d{1,15}): ([^:.]*)/.exec(file) ?? [];
  const says = what.slice(what.indexOf(": ") + 2);
  // DuckDB counts rows and no blank lines, and one too many before JSON that it cannot parse.
  const row = Number(place) - (says.startsWith("Malformed") ? 1 : 0);
  const short = place === undefined ? line : `${says} near row ${row}: ${why}`;
  const advice = /could not allocate/.test(line)
    ? " Many values are too long to be compared. Leave their field out of the files."
    : /memory|disk|space|write/i.test(line)
      ? spaceAdvice()
      : "";
  return new CliError(`DuckDB failed: ${oneLine(short).trim()}${advice}`);
}

export function spaceAdvice(): string {
  return ` The rows are in the folder for temporary files, "${tmpdir()}" (TMPDIR): make sure that it has space.`;
}
