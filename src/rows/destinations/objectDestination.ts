import { createHash } from "node:crypto";
import { extname, join } from "node:path";
import type { Content, ObjectStore, StoredObject } from "../../store/objectStore";
import { partsOf, withoutOptions } from "../../store/storeAddress";
import { refusedCondition } from "../../store/storeError";
import { storeOf } from "../../store/storeOf";
import { isTemporary, removeAbandonedFiles } from "../../system/temporaryFiles";
import { compressions } from "../formats/compression";
import { formats } from "../formats/formats";
import type { Destination, Placed, Placing, Surroundings } from "./destination";

const contentTypes = new Map(
  [...Object.values(formats), ...Object.values(compressions)].map(({ extension, contentType }) => [
    extension,
    contentType,
  ]),
);

/** How the name of each temporary file begins. */
const temporaryPrefix = ".webextract-";

/**
 * Objects of a store. Temporary files are private and in the program's folder: the next command can send a file that could
 * not be sent. Each write is conditional, so that it never replaces an object that this export did not write.
 */
export class ObjectDestination implements Destination {
  readonly fileMode = 0o600;

  private readonly bucket: ObjectStore;

  /**
   * @param path of an export, or the name of an object. Makes no request
   * @throws StoreError if the SDK is not installed
   */
  constructor(
    path: string,
    private readonly context: Surroundings,
  ) {
    this.bucket = storeOf(path, context);
  }

  workPath(): string {
    return join(this.context.folder, `${temporaryPrefix}rows`);
  }

  async prepare(): Promise<void> {
    await removeAbandonedFiles(this.context.folder, (each) => each.startsWith(temporaryPrefix) && isTemporary(each));
    // A look at an object does not find out whether its bucket exists.
    await this.bucket.requireAccess();
  }

  async exists(name: string): Promise<boolean> {
    return (await this.bucket.head(keyOf(name))) !== undefined;
  }

  async compare(name: string, content: Content): Promise<"same" | "missing" | "changed"> {
    const found = await this.bucket.head(keyOf(name));
    if (found === undefined) return "missing";
    return (await this.contains(found, name, content)) ? "same" : "changed";
  }

  async place(
    from: string,
    name: string,
    content: Content,
    { replaces, orSame }: Placing,
  ): Promise<Placed | undefined> {
    const { bucket, context } = this;
    const key = keyOf(name);
    const before = await bucket.head(key);
    let found = before;
    const isFree = before === undefined || (replaces !== undefined && (await this.contains(before, name, replaces)));
    if (isFree) {
      const contentType = contentTypes.get(extname(withoutOptions(name)).toLowerCase()) ?? "application/octet-stream";
      const written = await bucket.send({ from, content, key, contentType, replaces: before }, context);
      if (written !== undefined) {
        return { etag: written.etag };
      }
      found = await bucket.head(key);
    }
    if (orSame === true && found !== undefined && (await this.contains(found, name, content))) {
      return { etag: found.etag };
    }
    if (isFree && found?.etag === before?.etag) {
      const advice = "Add {time} to the path, so that each export writes a new object, or use another bucket or store.";
      throw refusedCondition(name, before === undefined ? "If-None-Match" : "If-Match", advice);
    }
    return undefined;
  }

  async remove(name: string, content: Content): Promise<boolean> {
    const key = keyOf(name);
    const found = await this.bucket.head(key);
    if (found === undefined) {
      return true;
    }
    return (await this.contains(found, name, content)) && (await this.bucket.delete(key, found.etag));
  }

  /** An object that was copied has the same content and can have another ETag. */
  private async contains(found: StoredObject, name: string, { bytes, sha256, etag }: Content): Promise<boolean> {
    if (found.bytes !== bytes || (found.etag !== "" && found.etag === etag)) {
      return found.bytes === bytes;
    }
    const hash = createHash("sha256");
    for await (const piece of this.bucket.read(keyOf(name), found.etag)) {
      hash.update(piece);
    }
    return hash.digest("hex") === sha256;
  }
}

function keyOf(name: string): string {
  return partsOf(name).key;
}
