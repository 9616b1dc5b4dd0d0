import { resolve } from "node:path";
import { destinationOf } from "../../../src/rows/destinations/destinationOf";
import { compareContent } from "../../../src/rows/destinations/diskFile";
import { formats } from "../../../src/rows/formats/formats";
import type { Content } from "../../../src/store/objectStore";
import { isStoreAddress } from "../../../src/store/storeAddress";
import { ResourceError } from "../../../src/values/errors";
import type { CommandContext } from "../commandContext";
import type { FileSide, Side } from "../compare/sides/side";
import type { Connected } from "../connection/connected";
import { connect, requireOrigin } from "../connection/connected";
import { CliError } from "../exitCodes";
import type { StackExport } from "./exportPairs";

/** Finds the rows of exports. Each account of a stack is connected to once. */
export class RowsOf {
  private readonly connections = new Map<string, Promise<Connected>>();

  constructor(private readonly cli: CommandContext) {}

  /**
   * The file of an export, while it has the rows that were written, otherwise the batch of its run.
   * @throws CliError if its rows are gone or cannot be read
   */
  async side(of: StackExport): Promise<Side> {
    const { taskId, lotNo, stack } = of;
    const file = await this.file(of);
    if (file !== undefined) {
      return file;
    }
    if (lotNo === undefined) {
      throw new CliError(`the file of stack "${stack}" is not here, or has changed, and has no batch`);
    }
    return { kind: "batch", name: `${taskId}:${lotNo}`, taskId, lotNo, connected: await this.connectedTo(of) };
  }

  /** Undefined if the file is gone, or has other rows since. */
  private async file(of: StackExport): Promise<FileSide | undefined> {
    if (of.file === undefined) {
      return undefined;
    }
    const { file: name, format, compression } = of.file;
    const isOnDisk = !isStoreAddress(name);
    const connected = isOnDisk ? undefined : await this.connectedTo(of);
    const found =
      connected === undefined
        ? await compareContent(resolve(name), of.file.sha256).catch((error: NodeJS.ErrnoException) => {
            throw new CliError(`"${name}" cannot be read (${error.code ?? error.message})`);
          })
        : await this.compareObject(name, of.file, connected);
    if (found !== "same") {
      return undefined;
    }
    const known = (format ?? "ndjson") as FileSide["format"];
    const isWhole = formats[known].compressesItself === undefined;
    const around = isWhole ? (compression as FileSide["compression"]) : undefined;
    return { kind: "file", name, connected, format: known, compression: around };
  }

  private async compareObject(name: string, content: StackExport["file"], connected: Connected): Promise<string> {
    try {
      return await destinationOf(name, connected.context).compare(name, content as unknown as Content);
    } catch (error) {
      throw error instanceof ResourceError ? new CliError(error.message) : error;
    }
  }

  /** @throws CliError if the stack cannot be read, or its task is at another service */
  private async connectedTo({ stack, profile, taskId, origin }: StackExport): Promise<Connected> {
    const key = JSON.stringify([stack, profile]);
    const connection = this.connections.get(key) ?? connect({ stack, profile: profile ?? null }, this.cli);
    this.connections.set(key, connection);
    const connected = await connection;
    requireOrigin({ taskId, name: taskId, origin }, connected);
    return connected;
  }
}
