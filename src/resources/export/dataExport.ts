import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { anything, boolean, changedArgs, choice, integer, string } from "../args";
import type { CheckContext, Context, Created, PendingState, ProfileArgs, Read, Resource } from "../resource";
import { holdsUnknown } from "../values";
import type { ExportFormat } from "./exportFormat";
import { checkNotTaken, checkPath, checkPlace, onlyName } from "./exportPath";
import { stateOfFile } from "./exportPlace";
import { mayHandOutOnce, runExport } from "./exportRun";

/**
 * Rows in a file.
 *
 * | step | call |
 * |---|---|
 * | create | with a batch `GET /cloudextraction/task/subtasks`; `GET /data/lotno/all`, `/data/all` or `/data/notexported`, page by page into a file; then `POST /data/markexported` if asked |
 * | read | none; with `verifyFile` it looks at the file |
 * | update | a change of anything but `onDelete`, `verifyFile` and `profile` exports again |
 * | delete | none; the file stays or goes (`onDelete`) |
 */
export interface DataExportArgs extends ProfileArgs {
  /** The task whose rows are read; pass the `id` of a TaskCopy. A change exports again. */
  taskId: string;
  /** `batch`: the rows of one run, named by `lotNo`. `all`: all rows of the task. `notExported`: those that are not marked as exported. */
  scope: "batch" | "all" | "notExported";
  /** The run whose rows are read; pass the `id` of a CloudRun. Only with `scope: "batch"`. A change exports again. */
  lotNo?: string;
  /**
   * The file, relative to the program's folder. `{lotNo}`, `{time}` (UTC; `-2` and so on behind it where that name is taken) and `{n}` (the next free
   * number) are filled in. A file of that name that this export did not write is never overwritten. A change exports again; the file of before stays.
   * Must hold no secret: it becomes the id and the output `file`, which stand in the state as they are.
   */
  path: string;
  /**
   * `ndjson`: one row a line, byte for byte as the service sent it. `json`: the same in one array. `csv`. A change exports again.
   * @default "ndjson"
   */
  format?: ExportFormat;
  /**
   * At most so many rows. A change exports again.
   * @default all rows
   */
  maxRows?: number;
  /**
   * Marks the rows as exported when they are safely in the file. Each such export is a file of its own, so `path` must
   * hold `{lotNo}`, `{time}` or `{n}`. A change exports again.
   * @default false
   */
  markExported?: boolean;
  /** Any values. A change exports again. */
  triggers?: unknown;
  /**
   * A refresh looks at the file, and one that is missing is exported again. Not for a file that may be on another machine.
   * @default false
   */
  verifyFile?: boolean;
  /**
   * `keep` leaves the file where it is; `remove` removes it, if it is still the one that was written.
   * @default "keep"
   */
  onDelete?: "keep" | "remove";
}

export interface DataExportState extends DataExportArgs, PendingState {
  /** Number of rows in the file. */
  rowCount: number;
  /** The file's path, relative to the program's folder, with everything filled in. */
  file: string;
  /** Length of the file. */
  bytes: number;
  /** SHA-256 of the file, in hex. */
  sha256: string;
  /** Whether the rows received are as many as the service says there are, and, of a batch, no subtask was at work just before. */
  complete: boolean;
  /** Whether the rows were marked as exported. */
  marked: boolean;
}

export const dataExport: Resource<DataExportArgs, DataExportState> = {
  type: "DataExport",
  idIs: "file",
  waitsFor: "runs",
  args: {
    taskId: { kind: string, required: true },
    scope: { kind: choice("batch", "all", "notExported"), required: true },
    lotNo: { kind: string },
    path: { kind: string, required: true },
    format: { kind: choice("ndjson", "json", "csv"), default: "ndjson" },
    maxRows: { kind: integer(1) },
    markExported: { kind: boolean, default: false },
    triggers: { kind: anything },
    verifyFile: { kind: boolean, default: false, option: true },
    onDelete: { kind: choice("keep", "remove"), default: "keep", option: true },
    profile: { kind: string, option: true },
  },
  outputs: ["rowCount", "file", "bytes", "sha256", "complete", "marked"],

  async check(args: DataExportArgs, { previous, folder, problems, settings }: CheckContext): Promise<DataExportArgs> {
    const { scope, lotNo, path, markExported, maxRows } = args;
    if (scope === "batch" && lotNo === undefined) {
      problems.push({ path: "lotNo", reason: 'is missing: scope "batch" reads the rows of one run' });
    }
    if ((scope === "all" || scope === "notExported") && lotNo !== undefined) {
      problems.push({ path: "lotNo", reason: `goes with scope "batch" only, the scope is "${scope}"` });
    }
    checkPath(path, { lotNo: lotNo !== undefined, ownFile: markExported === true }, problems);
    // What was exported already may have been so on another machine: what stands in the way here matters only to an export that is to come.
    if (previous === undefined || changedArgs(dataExport.args, previous, args).length > 0) {
      await checkPlace(path, folder, problems);
      const file = onlyName(path, lotNo);
      const isOwn = previous !== undefined && onlyName(previous.path, previous.lotNo) === file;
      // A file may hold these rows already, but not those of a run or a task that does not exist yet.
      const cannotBeThere = holdsUnknown([args.taskId, lotNo]) || mayHandOutOnce(args, settings);
      if (file !== undefined && !isOwn && cannotBeThere) {
        await checkNotTaken(resolve(folder, file), problems);
      }
    }
    if (markExported === true && settings.markScope === "task" && maxRows !== undefined) {
      const reason =
        'cannot go with markExported, for the service marks all of the task\'s rows; see webextract:markScope ("returned" allows it)';
      problems.push({ path: "maxRows", reason });
    }
    if (markExported === true && settings.markScope === "returned" && (scope === "all" || scope === "batch")) {
      const reason = `must be "notExported" with markExported where webextract:markScope is "returned": only rows handed out by that read are marked`;
      problems.push({ path: "scope", reason });
    }
    return args;
  },

  async create(args: DataExportArgs, context: Context): Promise<Created<DataExportState>> {
    const state = await runExport(args, undefined, context);
    return { id: state.file, state };
  },

  async read(_id: string, state: DataExportState, context: Context): Promise<Read<DataExportState>> {
    if (state.verifyFile !== true) {
      return { found: true, state };
    }
    const file = await stateOfFile(resolve(context.folder, state.file), state.sha256);
    const others = (state.pending ?? []).filter((each) => !each.startsWith("file "));
    const pending = file === "same" ? others : [...others, `file ${file}`];
    // An empty list beside a state that has none would show as a change in each refresh.
    return { found: true, state: { ...state, pending: pending.length > 0 ? pending : undefined } };
  },

  async update(_id: string, state: DataExportState, args: DataExportArgs, context: Context): Promise<DataExportState> {
    const { rowCount, file, bytes, sha256, complete, marked } = state;
    if (!state.pending?.length && changedArgs(dataExport.args, state, args).length === 0) {
      return { ...args, rowCount, file, bytes, sha256, complete, marked };
    }
    return runExport(args, state, context);
  },

  async delete(_id: string, state: DataExportState, context: Context): Promise<void> {
    if (state.onDelete !== "remove") {
      return;
    }
    const path = resolve(context.folder, state.file);
    if ((await stateOfFile(path, state.sha256)) === "changed") {
      context.warn(`The file "${state.file}" was changed since it was exported, so it stays.`);
      return;
    }
    await rm(path, { force: true });
  },
};
