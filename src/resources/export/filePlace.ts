import { rm } from "node:fs/promises";
import type { Destination } from "../../rows/destinations/destination";
import { destinationOf } from "../../rows/destinations/destinationOf";
import { isSameFile } from "../../rows/destinations/fileIdentity";
import { countsUp, namesFor, rejectedName, withLotNo } from "../../rows/outputPath";
import type { Content } from "../../store/objectStore";
import { ResourceError } from "../../values/errors";
import type { Context } from "../resource";
import type { DataExportArgs, DataExportState } from "./model";
import { pendingSteps } from "./model";

/** A file that has its name. */
export type NamedFile = Pick<DataExportState, "file" | "etag">;

/** The name of an export's file, and the destination where the complete file gets it. */
export class FilePlace {
  private constructor(
    private readonly args: DataExportArgs,
    readonly destination: Destination,
    /**
     * The path relative to the program's folder, with all placeholders replaced. The file gets another one if somebody
     * has taken this one.
     */
    readonly name: string,
    /** The names that are tried after it. */
    private readonly names: Iterator<string, undefined>,
    /** The existing file of this name that can be replaced. */
    private readonly replaces: DataExportState | undefined,
  ) {}

  /** @param before the state of the last export, whose file can be replaced or used again */
  static async find(args: DataExportArgs, before: DataExportState | undefined, context: Context): Promise<FilePlace> {
    const destination = destinationOf(args.path, context);
    const own = before !== undefined && mayReplace(before, args, context.folder) ? before : undefined;
    const replaces = own && (await destination.compare(own.file, own)) === "same" ? own : undefined;
    const names = namesFor(args.path, args.lotNo);
    const same = replaces !== undefined && countsUp(args.path) ? replaces.file : undefined;
    const name = same ?? names.next().value ?? args.path;
    return new FilePlace(args, destination, name, names, replaces && { ...replaces, file: name });
  }

  /** Each temporary file begins with this path. */
  get workPath(): string {
    return this.destination.workPath(this.name);
  }

  /** Number of rows in the file that this one replaces. */
  get rowsToReplace(): number {
    return this.replaces?.rowCount ?? 0;
  }

  /**
   * Gives a complete file the first name that is free. An existing file can be the export's own with the same rows: the
   * export was killed before the state was saved, or its mark was refused.
   */
  async put(from: string, content: Content): Promise<NamedFile> {
    const { args, destination, names } = this;
    for (let file: string | undefined = this.name; file !== undefined; file = names.next().value) {
      const replaces = file === this.replaces?.file ? this.replaces : undefined;
      const orSame = replaces !== undefined || !countsUp(args.path);
      const placed = await destination.place(from, file, content, { replaces, orSame });
      if (placed !== undefined) {
        await rm(from, { force: true });
        return { ...placed, file };
      }
    }
    throw new ResourceError(
      `The file "${this.name}" exists. This export did not write it, or it was changed since, so it was not overwritten. ` +
        `Add {n} (the next free number) or {time} to the path, so that each export writes a new file. Or move the file away, or use another path.`,
    );
  }

  /**
   * The same for rows that did not pass their checks, beside the file. Rows that were rejected before and are the same
   * need no second file.
   */
  async putBeside(from: string, content: Content): Promise<NamedFile> {
    for (let nth = 1; ; nth++) {
      const file = rejectedName(this.name, nth, this.args.format);
      const placed = await this.destination.place(from, file, content, { orSame: true });
      if (placed !== undefined) {
        return { ...placed, file };
      }
    }
  }
}

/**
 * An export can replace its own file, unless the rows in it may be marked: no other file contains them. With a path
 * that counts up, it replaces the file after a refused mark, or a command that failed before it, and after an export of
 * a batch whose run was not over, because the next one has the same rows and more. Otherwise each attempt would leave
 * one more file.
 */
function mayReplace(before: DataExportState, args: DataExportArgs, folder: string): boolean {
  const { pending = [], marked, rowCount } = before;
  if (rowCount > 0 && (marked || pending.includes(pendingSteps.unknownMark))) {
    return false;
  }
  if (!countsUp(args.path)) {
    return isSameFile(folder, before.file, withLotNo(args.path, args.lotNo));
  }
  const isSamePath = withLotNo(before.path, before.lotNo) === withLotNo(args.path, args.lotNo);
  const isUnmarked = pending.includes(pendingSteps.mark) || pending.includes(pendingSteps.pipe);
  const isSameRun = before.taskId === args.taskId && before.lotNo === args.lotNo;
  return isSamePath && (isUnmarked || (pending.includes(pendingSteps.run) && isSameRun));
}
