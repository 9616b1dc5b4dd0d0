import { ResourceError } from "../../values/errors";

/** What is known of the content of a file. */
export interface Content {
  /** Length in bytes. */
  bytes: number;
  /** SHA-256 in hex. */
  sha256: string;
  /** The ETag of an object. It says without a download that the object has not changed. */
  etag?: string;
}

/** What may happen if the name is taken. */
export interface Placing {
  /** The content of the file of this name that may be replaced. Absent: no file is replaced. */
  replaces?: Content;
  /** Whether a file of this name that has the same content can stay in place of the new one. */
  orSame?: boolean;
}

export type Placed = Pick<Content, "etag">;

/** What a destination uses of the step that writes. */
export interface Surroundings {
  /** The program's folder. */
  readonly folder: string;
  readonly settings: StoreSettings;
  /** Shows a warning beside the resource. */
  warn(message: string): void;
  /** Shows the progress of a long step. Each message replaces the previous one. */
  progress(message: string): void;
  /** Aborted when the user interrupts the command. */
  readonly interrupted: AbortSignal;
}

/** Configuration of the places of files. */
export interface StoreSettings {
  /** The folder of optional packages, relative to the program's folder. Absent: the program's folder. */
  readonly packagesFolder?: string;
  /**
   * Whether S3 requests have the bucket in the path and not in the host's name. Absent: as the AWS SDK does it by
   * default.
   */
  readonly s3ForcePathStyle?: boolean;
}

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
