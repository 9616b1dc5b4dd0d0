import type { Readable } from "node:stream";

/** A file to upload. It is opened anew for each try, so that a request can be sent again. */
export interface UploadSource {
  /** File name that the service is told. Default `urls.txt`. */
  name?: string;
  /** Length in bytes, if known: sent as Content-Length and held against what was read. */
  size?: number;
  /** SHA-256 of the content in hex, if known: a file that is no longer the one that was checked is never sent to its end. */
  sha256?: string;
  /** Opens the file at its beginning. */
  open: () => Readable;
}

/** Start URLs of a task: a text file with a URL a line, which takes the place of the list. */
export interface UpdateTaskUrlsRequest {
  /** The task. */
  taskId: string;
  /** The file. */
  file: UploadSource;
}
