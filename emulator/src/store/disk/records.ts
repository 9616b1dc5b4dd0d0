import { StateFileError } from "../../errors";
import type { PageVisit } from "../../visit";
import type { CredentialsState, IssuedToken, UnsavedTokens } from "../credentials";
import { Slices } from "../document/slices";
import type { StateExtras, TaskState } from "../document/stateDocument";
import { actionStates, reviveTask } from "../document/stateDocument";
import { LineList } from "../lineList";
import { FailedPages } from "../pages/failedPages";
import { runInputs } from "../pages/runInputs";
import type { PageRange } from "../pages/runPages";
import { RunPages } from "../pages/runPages";
import { VisitQueue } from "../pages/visitQueue";
import type { StoredKey } from "../recordMap";
import { chunkRows, RowList } from "../rowList";
import type { RowRange } from "../rowMarks";
import { RowMarks } from "../rowMarks";
import type { Plan } from "../seed";
import type { Store, StoredGroup, StoredLot, StoredRun, StoredSubtask, StoredTask } from "../store";
import { isRunning, refersToInputs } from "../store";
import type { StateDatabase } from "./database";
import { readTaskNames } from "./taskNames";

/** A damaged file can hold rows that are nowhere else, so no message advises to delete it. */
export const remedy = "restore it from a copy or an export, or start with another file";

/** A run without its subtasks and rows. */
type RunContent = Omit<StoredRun, "subtasks" | "rows" | "exported" | "handedOut"> & {
  rows: { generated: number; texts: number };
  exported: RowRange[];
  handedOut: RowRange[];
};

/** A subtask in the database. */
type SubtaskContent = Omit<StoredSubtask, "queue" | "failed"> & {
  queue: PageVisit[] | PageRange;
  failed: PageVisit[] | PageRange;
};

/** What the file says about the subtasks of a run, so that a start and a change of its task need not read all of them. */
const lotStates = { ended: 0, running: 1, refersToInputs: 2 } as const;

/** A changed record with its number; undefined if it is removed. */
type Unsaved<V> = [number, V | undefined];

/** The rows of a run in the database. */
interface WrittenRows {
  list: RowList;
  count: number;
}

/**
 * Reads the records of the store from the database, and writes those that have changed. Ids are JSON texts, because SQLite would end a text at a
 * null character.
 */
export class StateRecords {
  /** Absent: the account must be written. */
  private writtenPlan: Plan | undefined;
  private readonly tokenNumbers = new WeakMap<IssuedToken, number>();
  private lastToken = 0;
  private readonly writtenUrls = new WeakMap<StoredTask, LineList>();
  private readonly writtenRows = new WeakMap<StoredRun, WrittenRows>();
  private readonly unreadSubtasks = new WeakSet<StoredRun>();
  private readonly afterSave: (() => void)[] = [];

  constructor(
    private readonly database: StateDatabase,
    private readonly store: Store,
  ) {}

  /** Fills an empty store with the keys of all records. */
  load(): StateExtras {
    const lots = this.storedLots();
    this.store.attach({
      groups: {
        stored: this.storedKeys("groups"),
        read: (number, id) => this.read(`task group ${id}`, () => this.readGroup(number)),
      },
      tasks: {
        stored: this.storedKeys("tasks"),
        read: (number, taskId) => this.read(`task ${taskId}`, () => this.readTask(number)),
      },
      runs: {
        stored: lots.map(({ number, lotNo }) => ({ number, key: lotNo })),
        read: (number, lotNo) => this.read(`batch ${lotNo}`, () => this.readRun(number, lotNo)),
      },
      lots,
      readTaskNames: () =>
        this.read("the names of the tasks", () => readTaskNames(this.database, this.storedKeys("tasks"))),
    });
    const account: Partial<StateExtras> = JSON.parse(String(this.database.value("select content from account")));
    const { plan, credentials = this.readTokens() } = account as StateExtras;
    return { plan, credentials };
  }

  /** Number of records that the next save writes. */
  get unsavedCount(): number {
    return this.store.unsavedCount;
  }

  /**
   * Begins a save of many changes. Other work of the process goes on meanwhile: `save`, which must follow, writes what changes until then, so that
   * the file gets the state of one moment.
   */
  async beginSave(): Promise<void> {
    const { groups, tasks, runs } = this.store;
    const [takenGroups, takenTasks, takenRuns] = [groups.takeUnsaved(), tasks.takeUnsaved(), runs.takeUnsaved()];
    const slices = new Slices();
    this.database.begin();
    try {
      for (const note of this.written(takenGroups, takenTasks, takenRuns)) {
        this.afterSave.push(note);
        if (slices.isOver) await slices.next();
      }
    } catch (error) {
      this.database.rollback();
      this.giveUpSave();
      throw error;
    }
  }

  /** Writes all changes in one transaction. */
  save({ plan, credentials }: StateExtras, tokens: UnsavedTokens = "all"): void {
    const { store, database } = this;
    try {
      database.transaction(() => {
        const { groups, tasks, runs } = store;
        const written = this.written(groups.unsaved(), tasks.unsaved(), runs.unsaved());
        for (const note of written) this.afterSave.push(note);
        if (tokens === "all") database.run("delete from tokens");
        for (const [token, kind] of tokens === "all" ? allTokens(credentials) : tokens) this.writeToken(token, kind);
        if (plan !== this.writtenPlan) {
          database.run("delete from account");
          database.run("insert into account values (?)", JSON.stringify({ plan }));
        }
      });
    } catch (error) {
      this.giveUpSave();
      throw error;
    }
    // Only now, so that the next save repeats a failed one.
    this.writtenPlan = plan;
    for (const note of this.afterSave.splice(0)) note();
    store.saved();
  }

  private giveUpSave(): void {
    this.afterSave.length = 0;
    this.store.notSaved();
  }

  /** Writes the records one by one. Each results in what to note when the transaction has ended. */
  private *written(
    groups: Iterable<Unsaved<StoredGroup>>,
    tasks: Iterable<Unsaved<StoredTask>>,
    runs: Iterable<Unsaved<StoredRun>>,
  ): Generator<() => void> {
    for (const [number, group] of groups) yield this.writeGroup(number, group);
    for (const [number, task] of tasks) yield this.writeTask(number, task);
    for (const [number, run] of runs) yield this.writeRun(number, run);
  }

  private readTokens(): CredentialsState {
    const credentials: CredentialsState = { accessTokens: [], refreshTokens: [], apiKeys: [] };
    for (const { number, kind, content } of this.database.all("select * from tokens order by number")) {
      const token: IssuedToken = JSON.parse(String(content));
      if (!Object.hasOwn(credentials, String(kind))) throw new Error(`token ${number} has an unknown kind`);
      credentials[kind as keyof CredentialsState].push(token);
      this.lastToken = Number(number);
      this.tokenNumbers.set(token, this.lastToken);
    }
    return credentials;
  }

  private writeToken(token: IssuedToken, kind: keyof CredentialsState | undefined): void {
    const number = this.tokenNumbers.get(token) ?? ++this.lastToken;
    this.tokenNumbers.set(token, number);
    if (kind === undefined) this.database.run("delete from tokens where number = ?", number);
    else this.database.run("insert or replace into tokens values (?, ?, ?)", number, kind, JSON.stringify(token));
  }

  private storedKeys(table: "groups" | "tasks"): StoredKey[] {
    const numbers = this.database.column(`select number as item from ${table} order by number`);
    const ids = this.database.column(`select id as item from ${table} order by number`);
    return ids.map((key, index) => ({ number: Number(numbers[index]), key: String(key) }));
  }

  private storedLots(): (StoredLot & { number: number })[] {
    const numbers = this.database.column("select number as item from runs order by number");
    const lots = this.database.column("select lot as item from runs order by number");
    const tasks = this.database.column("select task as item from runs order by number");
    const running = this.database.column("select running as item from runs order by number");
    return lots.map((lot, index) => ({
      number: Number(numbers[index]),
      lotNo: String(lot),
      taskId: String(tasks[index]),
      running: running[index] === lotStates.running,
      refersToInputs: running[index] !== lotStates.ended,
    }));
  }

  /** @throws StateFileError that names the record. */
  private read<T>(name: string, read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (error instanceof StateFileError) throw error;
      // Other messages, such as those of JSON.parse, quote the record, which can contain secrets of a user.
      const ofDatabase = error instanceof Error && error.name === "SQLite3Error";
      const reason = ofDatabase ? error.message : "it is missing or incomplete";
      throw new StateFileError(
        `${name} of the state file ${this.database.file} cannot be read: ${reason}. Action: stop the emulator, then ${remedy}`,
        { cause: error },
      );
    }
  }

  private content<T>(sql: string, ...keys: number[]): T {
    return JSON.parse(String(this.database.value(sql, ...keys)));
  }

  private readGroup(number: number): StoredGroup {
    const group = this.content<StoredGroup>("select content from groups where number = ?", number);
    return { ...group, name: group.name };
  }

  private writeGroup(number: number, group: StoredGroup | undefined): () => void {
    if (group === undefined) this.database.run("delete from groups where number = ?", number);
    else {
      const id = JSON.stringify(group.taskGroupId);
      this.database.run("insert or replace into groups values (?, ?, ?)", number, id, JSON.stringify(group));
    }
    return () => undefined;
  }

  private readTask(number: number): StoredTask {
    const content = this.content<Omit<TaskState, "startUrls">>(
      "select content from task_contents where number = ?",
      number,
    );
    const urls = this.database.value("select content from start_urls where task = ?", number);
    const startUrls = urls instanceof Uint8Array ? new LineList([Buffer.from(urls)]) : new LineList();
    const task = reviveTask(content, startUrls);
    this.writtenUrls.set(task, startUrls);
    return task;
  }

  private writeTask(number: number, task: StoredTask | undefined): () => void {
    const { database } = this;
    if (task === undefined) {
      database.run("delete from tasks where number = ?", number);
      database.run("delete from task_contents where number = ?", number);
      database.run("delete from start_urls where task = ?", number);
      return () => undefined;
    }
    const { startUrls, ...rest } = task;
    const content = JSON.stringify({ ...rest, actions: actionStates(task) });
    database.run("insert or ignore into tasks values (?, ?)", number, JSON.stringify(task.taskId));
    database.run("insert or replace into task_contents values (?, ?)", number, content);
    // The list of a task can have many megabytes, and most changes leave it as it is.
    if (this.writtenUrls.get(task) !== startUrls) {
      const bytes = startUrls.bytes();
      if (bytes.length > 0) database.run("insert or replace into start_urls values (?, ?)", number, bytes);
      else database.run("delete from start_urls where task = ?", number);
    }
    return () => void this.writtenUrls.set(task, startUrls);
  }

  private readRun(number: number, lotNo: string): StoredRun {
    const content = this.content<RunContent>("select content from run_contents where number = ?", number);
    const { generated, texts } = content.rows;
    const readChunk = (position: number) => {
      const first = position * chunkRows;
      const last = Math.min(first + chunkRows, texts);
      return this.read(`rows ${generated + first + 1} to ${generated + last} of batch ${lotNo}`, () => {
        const sql = "select content from row_chunks where run = ? and position = ?";
        const chunk = this.content<string[]>(sql, number, position);
        if (chunk.length !== last - first) throw new Error("some rows are missing");
        return chunk;
      });
    };
    const rows = new RowList({ generated, stored: { count: texts, readChunk } });
    const run = {
      ...content,
      rows,
      exported: new RowMarks(content.exported),
      handedOut: new RowMarks(content.handedOut),
      subtasks: [] as StoredSubtask[],
    };
    // Most uses of a finished run need no subtasks.
    const define = (property: PropertyDescriptor) =>
      Object.defineProperty(run, "subtasks", { configurable: true, enumerable: true, ...property });
    define({
      get: () => {
        const value = this.read(`the subtasks of batch ${lotNo}`, () => this.readSubtasks(number, content.taskId));
        this.unreadSubtasks.delete(run);
        define({ value, writable: true });
        return value;
      },
    });
    this.unreadSubtasks.add(run);
    this.writtenRows.set(run, { list: rows, count: texts });
    return run;
  }

  private readSubtasks(run: number, taskId: string): StoredSubtask[] {
    const subtasks = this.database
      .all("select content from subtasks where run = ? order by position", run)
      .map(({ content }) => JSON.parse(String(content)) as SubtaskContent);
    const pages = new RunPages(() => this.storedVisits(taskId));
    return subtasks.map(({ queue, failed = [], ...rest }) => ({
      ...rest,
      queue: Array.isArray(queue) ? new VisitQueue(queue) : VisitQueue.later(pages, queue),
      failed: Array.isArray(failed) ? new FailedPages(failed) : FailedPages.of(pages, failed),
    }));
  }

  /** The inputs of a task as the file has them, because the task can have changed since the last save. They are read at the first use. */
  private *storedVisits(taskId: string): Generator<PageVisit> {
    const number = this.store.tasks.numberOf(taskId) ?? 0;
    const { visits } = this.read(`task ${taskId}`, () => runInputs(this.readTask(number)));
    const pages = visits();
    for (let { value, done } = pages.next(); done !== true; { value, done } = pages.next()) yield value;
  }

  private writeRun(number: number, run: StoredRun | undefined): () => void {
    const { database } = this;
    if (run === undefined) {
      database.run("delete from runs where number = ?", number);
      database.run("delete from run_contents where number = ?", number);
      database.run("delete from subtasks where run = ?", number);
      database.run("delete from row_chunks where run = ?", number);
      return () => undefined;
    }
    const written = this.writtenRows.get(run);
    const { rows } = run;
    database.run("insert or replace into run_contents values (?, ?)", number, JSON.stringify(contentOf(run)));
    // Subtasks that were not read have not changed.
    if (!this.unreadSubtasks.has(run)) {
      const [lot, task] = [JSON.stringify(run.lotNo), JSON.stringify(run.taskId)];
      database.run("insert or replace into runs values (?, ?, ?, ?)", number, lot, task, lotStateOf(run));
      this.writeSubtasks(number, run, written === undefined ? run.subtasks : this.store.unsavedSubtasks(run));
    }
    const count = this.writeRows(number, rows, written);
    return () => void this.writtenRows.set(run, { list: rows, count });
  }

  private writeSubtasks(number: number, run: StoredRun, changed: Iterable<StoredSubtask>): void {
    const positions = new Map(run.subtasks.map((subtask, position) => [subtask, position]));
    for (const subtask of changed) {
      const position = positions.get(subtask) ?? 0;
      // A run can have a million pages, so the file has the place of those in the task's inputs that are not made yet.
      const { queue, failed } = subtask;
      const content = JSON.stringify({ ...subtask, queue: queue.inputs ?? queue, failed: failed.toState() });
      this.database.run("insert or replace into subtasks values (?, ?, ?)", number, position, content);
    }
  }

  /** Rows are only added, so the chunks from the last written row on are new. */
  private writeRows(number: number, rows: RowList, written: WrittenRows | undefined): number {
    const kept = written?.list === rows ? written.count : 0;
    if (written !== undefined && written.list !== rows)
      this.database.run("delete from row_chunks where run = ?", number);
    const count = rows.textCount;
    if (count > kept) {
      for (let position = Math.floor(kept / chunkRows); position * chunkRows < count; position += 1) {
        const content = JSON.stringify(rows.chunk(position));
        this.database.run("insert or replace into row_chunks values (?, ?, ?)", number, position, content);
      }
    }
    return count;
  }
}

function lotStateOf(run: StoredRun): number {
  if (isRunning(run)) return lotStates.running;
  return run.subtasks.some(refersToInputs) ? lotStates.refersToInputs : lotStates.ended;
}

function allTokens(credentials: CredentialsState): [IssuedToken, keyof CredentialsState][] {
  const kinds = Object.keys(credentials) as (keyof CredentialsState)[];
  return kinds.flatMap((kind) => credentials[kind].map((token): [IssuedToken, typeof kind] => [token, kind]));
}

/** Names each member, because a look at the subtasks would read them. Its type requires optional members too, so that a save loses none. */
function contentOf(run: StoredRun): { [Name in keyof Required<RunContent>]: RunContent[Name] } {
  const { lotNo, taskId, startedAt, endedAt, split, listLag, readsLeft, readsAsked, lateReads, rows } = run;
  return {
    ...{ lotNo, taskId, startedAt, endedAt, split, listLag, readsLeft, readsAsked, lateReads },
    rows: { generated: rows.generatedCount, texts: rows.textCount },
    exported: run.exported.toJSON(),
    handedOut: run.handedOut.toJSON(),
  };
}
