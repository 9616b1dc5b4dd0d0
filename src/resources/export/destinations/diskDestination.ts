import { rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { makeFolder, syncFolder } from "../../../service/files/folders";
import { isTemporary, removeAbandonedFiles } from "../../../service/files/temporaryFiles";
import { ResourceError } from "../../resource";
import { fixedFolder, patternOf } from "../outputPath";
import type { Content, Destination, Placed, Placing } from "./destination";
import { compareContent, exists, fileInPlaceOf, isFolder, moveIfFree } from "./diskFile";

/** Files on the disk. The temporary files are in the folder of the path, so that a rename is enough. */
export class DiskDestination implements Destination {
  readonly isRemote = false;

  /**
   * @param path the path of the export, with its placeholders
   * @param folder the program's folder. Names are relative to it
   */
  constructor(
    private readonly path: string,
    private readonly folder: string,
  ) {}

  locate(name: string): string {
    return resolve(this.folder, name);
  }

  workPath(name: string): string {
    return join(this.workFolder, basename(name));
  }

  private get workFolder(): string {
    return this.locate(fixedFolder(this.path));
  }

  async prepare(): Promise<void> {
    const folder = this.workFolder;
    await makeFolder(folder);
    const ofThisPath = new RegExp(`^${patternOf(basename(this.path))}\\.`);
    await removeAbandonedFiles(folder, (each) => isTemporary(each) && ofThisPath.test(each));
  }

  exists(name: string): Promise<boolean> {
    return exists(this.locate(name));
  }

  async compare(name: string, { sha256 }: Content): Promise<"same" | "missing" | "changed"> {
    return compareContent(this.locate(name), sha256);
  }

  async place(
    from: string,
    name: string,
    content: Content,
    { replaces, orSame }: Placing,
  ): Promise<Placed | undefined> {
    const path = this.locate(name);
    await makeFolder(dirname(path));
    // Somebody can have changed the file during the read.
    const isOwn = replaces !== undefined && (await this.compare(name, replaces)) === "same";
    const isPlaced = isOwn ? await replace(from, path) : await moveIfFree(from, path);
    await syncFolder(dirname(path));
    return isPlaced || (orSame === true && (await this.compare(name, content)) === "same") ? {} : undefined;
  }

  async remove(name: string, content: Content): Promise<boolean> {
    if ((await this.compare(name, content)) === "changed") {
      return false;
    }
    await rm(this.locate(name), { force: true });
    return true;
  }

  async nameIsTaken(name: string): Promise<Error> {
    const path = this.locate(name);
    if (await isFolder(path)) {
      return new ResourceError(`"${path}" is a folder, so no file can have that name. Use another path.`);
    }
    return new ResourceError(
      `The file "${path}" exists. This export did not write it, or it was changed since, so it was not overwritten. ` +
        `Add {n} (the next free number) or {time} to the path, so that each export writes a new file. Or move the file away, or use another path.`,
    );
  }

  async failure(error: unknown, name: string, soFar = ""): Promise<unknown> {
    if (!(error instanceof Error) || !("syscall" in error)) {
      return error;
    }
    const path = this.locate(name);
    const blocking = await fileInPlaceOf(dirname(path));
    const why = blocking === undefined ? error.message : `"${blocking}" is not a folder`;
    return new ResourceError(
      `The file "${path}" cannot be written: ${why}. ${soFar}Use another path, or make the folder writable and free space there. Run the same command again.`,
    );
  }
}

async function replace(from: string, path: string): Promise<boolean> {
  await rename(from, path);
  return true;
}
