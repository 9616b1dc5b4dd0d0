import { resolve } from "node:path";
import type { Content } from "../../resources/export/destinations/destination";
import { destinationOf, isRemote } from "../../resources/export/destinations/destinationOf";
import { compareContent } from "../../resources/export/destinations/diskFile";
import { ResourceError } from "../../resources/resource";
import { canonical } from "../../resources/values";
import type { Cli, Connected } from "../cli";
import type { FileSide, Side } from "../compare/sides/side";
import { requireOrigin } from "../connection/namedTask";
import type { StackExport } from "./exportPairs";

/** Rows that are gone or cannot be read. The message says why. */
export class NotComparable extends Error {}

/** Finds the rows of exports. Each account of a stack is connected to once. */
export class RowsOf {
  private readonly connections = new Map<string, Promise<Connected>>();

  constructor(private readonly cli: Cli) {}

  /**
   * The file of an export counts while it has the rows that were written, otherwise the batch of its run. The batch also counts where only one of two files has
   * converted values, such as numbers of Parquet, which are written in another way than those of the service.
   * @throws NotComparable
   */
  async both(base: StackExport, head: StackExport): Promise<{ base: Side; head: Side }> {
    const files = { base: await this.file(base), head: await this.file(head) };
    const isAlike = conversionOf(base, files.base) === conversionOf(head, files.head);
    return { base: await this.side(base, files.base, isAlike), head: await this.side(head, files.head, isAlike) };
  }

  private async side(of: StackExport, file: FileSide | undefined, isAlike: boolean): Promise<Side> {
    const { taskId, lotNo, stack } = of;
    if (file !== undefined && (isAlike || conversionOf(of, file) === "" || lotNo === undefined)) {
      return file;
    }
    if (lotNo === undefined) {
      throw new NotComparable(`the file of stack "${stack}" is not here, or has changed, and has no batch`);
    }
    return { kind: "batch", name: `${taskId}:${lotNo}`, taskId, lotNo, connected: await this.connectedTo(of) };
  }

  /** Undefined if the file is gone, or has other rows since. */
  private async file(of: StackExport): Promise<FileSide | undefined> {
    if (of.file === undefined) {
      return undefined;
    }
    const { file: name, format, compression } = of.file;
    const isOnDisk = !isRemote(name);
    const connected = isOnDisk ? undefined : await this.connectedTo(of);
    const found =
      connected === undefined
        ? await compareContent(resolve(name), of.file.sha256).catch((error: NodeJS.ErrnoException) => {
            throw new NotComparable(`"${name}" cannot be read (${error.code ?? error.message})`);
          })
        : await this.compareObject(name, of.file, connected);
    if (found !== "same") {
      return undefined;
    }
    const isCompressed = format !== "parquet" && (compression === "gzip" || compression === "zstd");
    return {
      ...{ kind: "file", name, connected },
      format: (format ?? "ndjson") as FileSide["format"],
      compression: isCompressed ? compression : undefined,
    };
  }

  private async compareObject(name: string, content: StackExport["file"], connected: Connected): Promise<string> {
    try {
      const destination = await destinationOf(name, this.cli.context(connected));
      return await destination.compare(name, content as unknown as Content);
    } catch (error) {
      throw error instanceof ResourceError ? new NotComparable(error.message) : error;
    }
  }

  /** @throws CliError if the stack cannot be read, or its task is at another service */
  private async connectedTo({ stack, profile, taskId, origin }: StackExport): Promise<Connected> {
    const key = JSON.stringify([stack, profile]);
    const connection = this.connections.get(key) ?? this.cli.connect({ stack, profile });
    this.connections.set(key, connection);
    const connected = await connection;
    requireOrigin({ taskId, name: taskId, origin }, connected);
    return connected;
  }
}

/** How the values of the file differ from those of the service; empty if they do not. */
function conversionOf({ file }: StackExport, found: FileSide | undefined): string {
  if (found === undefined || file === undefined) {
    return "";
  }
  return found.format === "parquet"
    ? `parquet ${canonical(file.columns ?? {})}`
    : file.csvFormulas === "escape"
      ? "escaped"
      : "";
}
