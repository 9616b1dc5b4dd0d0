import type { Content, StoreContext, UploadContext } from "../../store/objectStore";
import { ResourceError } from "../../values/errors";

/** What may happen if the name is taken. */
export interface Placing {
  /** The content of the file of this name that may be replaced. Absent: no file is replaced. */
  replaces?: Content;
  /** Whether a file of this name that has the same content can stay in place of the new one. */
  orSame?: boolean;
}

export type Placed = Pick<Content, "etag">;

/** What a destination uses of the step that writes. */
export type Surroundings = StoreContext & UploadContext;

/**
 * Where an export keeps its files. The rows are first written to a temporary file on the disk; the destination gets the
 * file when it is complete. A name is what the output `file` contains: the path of the export with all placeholders
 * replaced.
 */
export interface Destination {
  /**
   * Where a file of this name has its temporary files: each begins with this path. The folder is the same for all
   * names, and exists after `prepare`.
   */
  workPath(name: string): string;
  /** The mode of temporary files. Absent: the usual one of the process. */
  readonly fileMode?: number;
  /**
   * Before any row is read: creates what the file needs, and removes what earlier exports to the same path have
   * abandoned.
   * @throws if the file cannot be written
   */
  prepare(): Promise<void>;
  exists(name: string): Promise<boolean>;
  /** Compares the file with what was written. */
  compare(name: string, content: Content): Promise<"same" | "missing" | "changed">;
  /**
   * Gives a complete file its name. When it returns, a power cut or a kill loses nothing.
   * @param from the complete file on the disk. It can be gone afterwards
   * @returns undefined if another file has the name
   */
  place(from: string, name: string, content: Content, placing: Placing): Promise<Placed | undefined>;
  /** Removes the file, unless it has changed. Returns false if it has. */
  remove(name: string, content: Content): Promise<boolean>;
}

/**
 * The error for the user: the file system says neither which file it is about nor what to do next. Other errors stay as
 * they are.
 */
export function fileFailure(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || !("syscall" in error)) {
    return error;
  }
  const failure = new ResourceError(
    `The file "${name}" cannot be written: ${error.message}. Use another path, or make its folder (for an object, the program's folder) writable ` +
      "and free space there. Run the same command again.",
  );
  failure.cause = error;
  return failure;
}
