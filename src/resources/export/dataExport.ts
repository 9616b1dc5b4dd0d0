import { destinationOf } from "../../rows/destinations/destinationOf";
import { fileIdentity } from "../../rows/destinations/fileIdentity";
import { columnTypes } from "../../rows/formats/columnTypes";
import { compressionNames, compressions } from "../../rows/formats/compression";
import type { Format } from "../../rows/formats/format";
import { formatNames, formats } from "../../rows/formats/formats";
import { onlyName, patternOf } from "../../rows/outputPath";
import { isOwnRunId } from "../../service/contract/ownRunIds";
import { shownId } from "../../service/errors/foreignText";
import { isInstalled, packagesFolder, toInstall } from "../../store/optionalPackage";
import { isStoreAddress, sdksOf, storeTitle } from "../../store/storeAddress";
import type { Problem } from "../../values/kinds";
import {
  anything,
  boolean,
  choice,
  filePath,
  id,
  integer,
  list,
  mapOf,
  number,
  string,
  systemString,
} from "../../values/kinds";
import { entryOf, holdsUnknown, isRecord } from "../../values/plain";
import { changedArgs, object } from "../args";
import type { Held } from "../ownership";
import type { CheckContext, Context, Created, Difference, Read, Resource } from "../resource";
import { checkBucket, checkPath, checkPlace, doubtsOfPath } from "./checkPath";
import type { RowChecks } from "./checks/rowChecks";
import { checkRowChecks, rowChecks } from "./checks/rowChecks";
import { checkSchema } from "./checks/rowSchema";
import type { CsvArgs, DataExportArgs, DataExportState } from "./model";
import { defaultPageSize, defaultPipeTimeout, marksPages, outputsOf, pendingSteps } from "./model";
import { runExport } from "./runExport";

export const dataExport: Resource<DataExportArgs, DataExportState> = {
  type: "DataExport",
  idIs: "file",
  keepsFirstId: true,
  // The file of an instance that is deleted first stays where the new one has the same path, and is its own then.
  knowsEarlier: true,
  waitsFor: "runs",
  readsTask: ({ scope }) => scope === "all" || scope === "notExported",
  args: {
    taskId: { kind: id, required: true },
    scope: { kind: choice("batch", "all", "notExported"), required: true },
    lotNo: { kind: id },
    path: { kind: filePath, required: true },
    format: { kind: choice(...formatNames), default: "ndjson" },
    csv: {
      kind: object<CsvArgs>({
        for: { kind: choice("programs", "spreadsheets"), required: true },
        delimiter: { kind: choice(",", ";", "\t"), default: "," },
      }),
    },
    columns: { kind: mapOf(choice(...columnTypes)) },
    compression: { kind: choice(...compressionNames), default: "none" },
    maxRows: { kind: integer(1) },
    markExported: { kind: boolean, default: false },
    pipe: { kind: list(systemString) },
    pipeTimeoutSeconds: { kind: number(0.001), default: defaultPipeTimeout, option: true },
    checks: { kind: object<RowChecks>(rowChecks), option: true },
    triggers: { kind: anything },
    verifyFile: { kind: boolean, default: false, option: true },
    onDelete: { kind: choice("retain", "removeFile"), default: "retain", option: true },
    profile: { kind: string, option: true },
  },
  outputs: ["rowCount", "file", "bytes", "sha256", "etag", "complete", "marked", "checked"],

  holds({ taskId, path, lotNo, file = onlyName(path, lotNo) }: Partial<DataExportState>, folder: string): Held[] {
    const held: Held[] = file === undefined ? [] : [{ part: "file", file: fileIdentity(folder, file) }];
    if (typeof taskId === "string" && typeof lotNo === "string") {
      held.push({ part: "run", taskId, lotNo });
    }
    if (typeof path === "string" && path.includes("{")) {
      // A file of an earlier run or number is one of this path too: no export will write its rows again.
      const all = fileIdentity(folder, path);
      held.push({ part: "file", file: all, names: new RegExp(`^${patternOf(all)}$`) });
    }
    return held;
  },

  rules(args: DataExportArgs, problems: Problem[]): void {
    const { scope, lotNo } = args;
    if (scope === "batch" && lotNo === undefined) {
      problems.push({ path: "lotNo", reason: 'is missing: scope "batch" reads the rows of one run' });
    }
    if ((scope === "all" || scope === "notExported") && lotNo !== undefined) {
      problems.push({ path: "lotNo", reason: `needs scope "batch"; got scope "${scope}"` });
    }
    checkPath(args, problems);
    checkFormat(args, problems);
    checkRowChecks(args.checks, args.maxRows, problems);
  },

  async check(args: DataExportArgs, context: CheckContext): Promise<DataExportArgs> {
    const { scope, markExported, maxRows } = args;
    const { settings, problems } = context;
    // The last export can have run on another machine. The disk of this one matters only if there will be another
    // export.
    if (context.previous === undefined || changedArgs(dataExport.args, context.previous, args).length > 0) {
      await checkPlace(args, context);
      checkPackages(args, context);
      for (const { path, reason } of doubtsOfPath(args)) {
        context.warn?.(`${path} ${reason}.`);
      }
      await checkBucket(args, context);
    }
    if (markExported === true && settings.markScope === "task" && maxRows !== undefined) {
      const reason = `cannot be combined with markExported if webextract:markScope is "task", because the service then marks all rows of the task`;
      problems.push({ path: "maxRows", reason });
    }
    if (markExported === true && settings.markScope === "returned" && (scope === "all" || scope === "batch")) {
      const reason = `must be "notExported" with markExported if webextract:markScope is "returned", because only the rows returned by that read are marked`;
      problems.push({ path: "scope", reason });
    }
    if (
      scope === "batch" &&
      (isOwnRunId(args.lotNo) || (settings.startsWithoutLotNo === true && holdsUnknown(args.lotNo)))
    ) {
      const reason = `must be "notExported", or "all" with checks, because webextract:startsWithoutLotNo is set: the service knows no lotNo of the run`;
      problems.push({ path: "scope", reason });
    }
    checkMarkedPages(args, context);
    const { checks } = args;
    return isRecord(checks) ? { ...args, checks: checkSchema(checks, context.previous?.checks, context) } : args;
  },

  diff(state: DataExportState, args: DataExportArgs): Difference {
    // A changed argument is a reason that the diff itself shows.
    const isSame = changedArgs(dataExport.args, state, args).length === 0;
    const { taskId, lotNo, file, pending } = state;
    const note = `Batch ${shownId(String(lotNo))} of task "${taskId}" is exported again, because subtasks were running when its rows were read into "${file}".`;
    return isSame && pending?.includes(pendingSteps.run) ? { note } : {};
  },

  async create(args: DataExportArgs, context: Context): Promise<Created<DataExportState>> {
    const state = await runExport(args, context.replaced?.state as DataExportState | undefined, context);
    return { id: state.file, state };
  },

  async read(_id: string, state: DataExportState, context: Context): Promise<Read<DataExportState>> {
    if (state.verifyFile !== true) {
      return { found: true, state };
    }
    const file = await destinationOf(state.file, context).compare(state.file, state);
    const others = (state.pending ?? []).filter((each) => !each.startsWith("file "));
    const pending = file === "same" ? others : [...others, `file ${file}`];
    // An empty list would show as a change in each refresh.
    return { found: true, state: { ...state, pending: pending.length > 0 ? pending : undefined } };
  },

  async update(_id: string, state: DataExportState, args: DataExportArgs, context: Context): Promise<DataExportState> {
    const isSame = !state.pending?.length && changedArgs(dataExport.args, state, args).length === 0;
    return isSame ? { ...args, ...outputsOf(state) } : runExport(args, state, context);
  },

  async delete(_id: string, state: DataExportState, context: Context): Promise<void> {
    if (state.onDelete !== "removeFile") {
      return;
    }
    const other = context.tasks.heldBy({ part: "file", file: fileIdentity(context.folder, state.file) });
    const mayBeMarked = state.pending?.includes(pendingSteps.unknownMark) && "its rows may be marked, so keep it";
    const reason = other === undefined ? mayBeMarked : `${other} has the same path`;
    if (reason) {
      context.warn(`The file "${state.file}" was not removed: ${reason}.`);
      return;
    }
    const destination = destinationOf(state.file, context);
    if (!(await destination.remove(state.file, state))) {
      context.warn(`The file "${state.file}" has changed since the export, so it was not removed.`);
    }
  },
};

/** Arguments that only other formats have. */
function checkFormat(args: DataExportArgs, problems: Problem[]): void {
  const { format: name = "ndjson", compression = "none" } = args;
  const format = entryOf(formats, name);
  if (format === undefined) {
    return;
  }
  const needing = (has: (other: Format) => boolean | undefined): string => {
    const names = Object.entries(formats).flatMap(([each, other]) => (has(other) ? [`"${each}"`] : []));
    return `needs format ${names.join(" or ")}; got format "${name}"`;
  };
  for (const path of ["columns", "csv"] as const) {
    const isOwn = ({ ownArguments }: Format) => ownArguments?.includes(path);
    if (args[path] !== undefined && !isOwn(format)) {
      problems.push({ path, reason: needing(isOwn) });
    }
  }
  const canHave = ({ compressesItself }: Format) => compressesItself?.includes(compression);
  const isWhole = format.compressesItself === undefined && entryOf(compressions, compression)?.isForParts !== true;
  if (!isWhole && canHave(format) !== true && !holdsUnknown(compression)) {
    problems.push({ path: "compression", reason: `"${compression}" ${needing(canHave)}` });
  }
}

/** What needs all rows before the first mark. */
function checkMarkedPages(args: DataExportArgs, { settings, problems }: CheckContext): void {
  const { path, format = "ndjson", columns, pipe, checks, maxRows } = args;
  const needsAll = {
    ...(isStoreAddress(path) && { [`a path in ${storeTitle(path)}`]: true }),
    columns: columns !== undefined,
    [`format "${format}"`]: entryOf(formats, format)?.hasLimits === true,
    pipe: pipe !== undefined,
    checks: checks !== undefined && checks.onFail !== "warn",
  };
  const names = Object.entries(needsAll).flatMap(([name, isUsed]) => (isUsed ? [name] : []));
  if (names.length > 0 && !holdsUnknown(maxRows) && marksPages(args, settings)) {
    const reason =
      `must be at most ${settings.pageSize ?? defaultPageSize} (webextract:pageSize) with markExported and ${names.join(", ")} if webextract:markScope is "returned": ` +
      "more rows can be read only after these are marked";
    problems.push({ path: "maxRows", reason });
  }
}

/** Packages that few exports need. */
function checkPackages(args: DataExportArgs, context: CheckContext): void {
  const { path: file, format = "ndjson", compression = "none" } = args;
  const needed = [
    ...(isStoreAddress(file) ? sdksOf(file) : []).map((name) => ({ path: "path", value: file, name })),
    { path: "format", value: format, name: entryOf(formats, format)?.package },
    { path: "compression", value: compression, name: entryOf(compressions, compression)?.package },
  ];
  for (const { path, value, name } of needed) {
    if (name !== undefined && !isInstalled(name, packagesFolder(context))) {
      context.problems.push({ path, reason: `"${value}" needs the package ${name}: ${toInstall(name)}` });
    }
  }
}

/** For an export that can read a batch before its run has ended: with `waitFor: "started"`, Pulumi continues when the run has started. */
export function unfinishedRunAdvice(exportTitle: string, runTitle: string): string {
  return (
    `${exportTitle} takes lotNo from ${runTitle}, which does not wait for the end of the run (waitFor: "started"). ` +
    `So the export may read before all rows are there. Set waitFor: "finished" on ${runTitle}.`
  );
}
