import { rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Content } from "../../store/objectStore";
import { makeFolder, syncFolder } from "../../system/folders";
import { isTemporary, removeAbandonedFiles } from "../../system/temporaryFiles";
import { fixedFolder, patternOf } from "../outputPath";
import type { Destination, Placed, Placing } from "./destination";
import { compareContent, exists, moveIfFree } from "./diskFile";

/** In the name of each temporary file, because the folder can have temporary files of other programs. */
const ours = ".webextract";

/** Files on the disk. The temporary files are in the folder of the path, so that a rename is enough. */
export class DiskDestination implements Destination {
  private readonly workFolder: string;

  /**
   * @param path the path of the export, with its placeholders
   * @param folder the program's folder. Names are relative to it
   */
  constructor(
    private readonly path: string,
    private readonly folder: string,
  ) {
    this.workFolder = resolve(folder, fixedFolder(path));
  }

  workPath(name: string): string {
    return join(this.workFolder, `${basename(name)}${ours}`);
  }

  async prepare(): Promise<void> {
    await makeFolder(this.workFolder);
    const ofThisPath = new RegExp(`^${patternOf(`${basename(this.path)}${ours}`)}\\.`);
    await removeAbandonedFiles(this.workFolder, (each) => isTemporary(each) && ofThisPath.test(each));
  }

  exists(name: string): Promise<boolean> {
    return exists(resolve(this.folder, name));
  }

  async compare(name: string, { sha256 }: Content): Promise<"same" | "missing" | "changed"> {
    return compareContent(resolve(this.folder, name), sha256);
  }

  async place(
    from: string,
    name: string,
    content: Content,
    { replaces, orSame }: Placing,
  ): Promise<Placed | undefined> {
    const path = resolve(this.folder, name);
    await makeFolder(dirname(path));
    // Somebody can have changed the file during the read.
    const isOwn = replaces !== undefined && (await this.compare(name, replaces)) === "same";
    const isPlaced = isOwn ? await rename(from, path).then(() => true) : await moveIfFree(from, path);
    if (!isPlaced && (orSame !== true || (await this.compare(name, content)) !== "same")) {
      return undefined;
    }
    await syncFolder(dirname(path));
    return {};
  }

  async remove(name: string, content: Content): Promise<boolean> {
    if ((await this.compare(name, content)) === "changed") {
      return false;
    }
    await rm(resolve(this.folder, name), { force: true });
    return true;
  }
}
