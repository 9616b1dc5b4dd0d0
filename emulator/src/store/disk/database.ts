import { chmodSync, closeSync, existsSync, fdatasync, openSync, rmdirSync, rmSync } from "node:fs";
import { promisify } from "node:util";
import type { Database, Statement } from "node-sqlite3-wasm";

/** Marks an SQLite file as a state of the emulator: "webx". */
export const applicationId = 0x77656278;

/** The version of the tables. */
export const databaseVersion = 3;

const tokenTable = "create table tokens (number integer primary key, kind text not null, content text not null)";

const tables = `
  ${tokenTable};
  create table account (content text not null);
  create table groups (number integer primary key, id text not null, content text not null);
  create table tasks (number integer primary key, id text not null);
  create table task_contents (number integer primary key, content text not null);
  create table start_urls (task integer primary key, content blob not null);
  create table runs (number integer primary key, lot text not null, task text not null, running integer not null);
  create table run_contents (number integer primary key, content text not null);
  create table subtasks (run integer, position integer, content text not null, primary key (run, position));
  create table row_chunks (run integer, position integer, content text not null, primary key (run, position));
`;

export type SqlValue = number | string | Uint8Array;
type SqlRow = Record<string, unknown>;

/** An SQLite file with the tables of the state. */
export class StateDatabase {
  readonly file: string;
  private readonly database: Database;
  private readonly statements = new Map<string, Statement>();
  private log: number | undefined;

  private constructor(file: string) {
    this.file = file;
    // The library locks with a folder, which a killed process leaves behind. The lock of the state keeps other emulators away.
    if (existsSync(`${file}.lock`)) rmdirSync(`${file}.lock`);
    this.database = new (sqlite().Database)(file);
    try {
      // One process uses the file, so the log needs no shared memory. A small log keeps the pauses for checkpoints short.
      this.database.exec("pragma locking_mode = exclusive; pragma journal_mode = wal; pragma wal_autocheckpoint = 200");
      // SQLite syncs checkpoints only. `sync` syncs the log without blocking the process.
      this.database.exec("pragma synchronous = normal; pragma journal_size_limit = 16777216");
    } catch (error) {
      this.close();
      throw error;
    }
  }

  static open(file: string): StateDatabase {
    const database = new StateDatabase(file);
    try {
      database.upgrade();
    } catch (error) {
      database.close();
      throw error;
    }
    return database;
  }

  /** Creates a file that only its owner can read, because it holds credentials. Replaces what an interrupted creation has left. */
  static create(file: string): StateDatabase {
    for (const left of [file, `${file}-wal`]) {
      rmSync(left, { force: true });
      closeSync(openSync(left, "wx", 0o600));
    }
    const database = new StateDatabase(file);
    chmodSync(file, 0o600);
    database.database.exec(
      `pragma application_id = ${applicationId}; pragma user_version = ${databaseVersion}; ${tables}`,
    );
    return database;
  }

  /** Version 2 has the tokens in the account, where the next save of them finds them. */
  private upgrade(): void {
    if (this.value("pragma user_version") !== databaseVersion - 1) return;
    this.transaction(() => this.database.exec(`${tokenTable}; pragma user_version = ${databaseVersion}`));
  }

  /** All rows that a query finds. It ends the query, because a query in progress would keep checkpoints from ending. */
  all(sql: string, ...values: SqlValue[]): SqlRow[] {
    return this.use(sql, (statement) => statement.all(values) as SqlRow[]);
  }

  /** A column of the first row; undefined if there is none. */
  value(sql: string, ...values: SqlValue[]): unknown {
    const [row] = this.all(sql, ...values);
    return row === undefined ? undefined : Object.values(row)[0];
  }

  /** A column, named `item`, of JSON values as one value, because reading a hundred thousand rows one by one takes several times as long. */
  column(query: string): unknown[] {
    const items = this.value(`select group_concat(item) from (${query})`);
    return JSON.parse(`[${items ?? ""}]`);
  }

  run(sql: string, ...values: SqlValue[]): void {
    this.use(sql, (statement) => statement.run(values));
  }

  /** Begins a transaction, which `transaction` ends. */
  begin(): void {
    this.database.exec("begin");
  }

  /** Makes all changes or none, with those since `begin`. They survive the end of the process, and after `sync` also a loss of power. */
  transaction(change: () => void): void {
    if (!this.database.inTransaction) this.begin();
    try {
      change();
      this.database.exec("commit");
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  /** Makes none of the changes since `begin`. */
  rollback(): void {
    // Some errors have ended the transaction already.
    if (this.database.inTransaction) this.database.exec("rollback");
  }

  /** Resolves when all transactions are on disk. */
  async sync(): Promise<void> {
    this.log ??= openSync(`${this.file}-wal`, "r+");
    await promisify(fdatasync)(this.log);
  }

  close(): void {
    for (const statement of this.statements.values()) finalize(statement);
    this.statements.clear();
    if (this.log !== undefined) closeSync(this.log);
    this.log = undefined;
    if (this.database.isOpen) this.database.close();
  }

  private use<T>(sql: string, use: (statement: Statement) => T): T {
    const statement = this.statement(sql);
    try {
      return use(statement);
    } catch (error) {
      // The next use of the statement would report the same error again, also if its cause has passed.
      this.statements.delete(sql);
      finalize(statement);
      throw error;
    }
  }

  private statement(sql: string): Statement {
    const known = this.statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.database.prepare(sql);
    this.statements.set(sql, statement);
    return statement;
  }
}

/** SQLite repeats the last error of the statement, which its caller has seen. */
function finalize(statement: Statement): void {
  try {
    statement.finalize();
  } catch {
    // The statement is finalized nevertheless.
  }
}

function sqlite(): typeof import("node-sqlite3-wasm") {
  // biome-ignore lint/style/noCommonJs: an import at the top would load SQLite also for a state in memory
  return require("node-sqlite3-wasm");
}
