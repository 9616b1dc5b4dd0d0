import { createHash, randomUUID } from "node:crypto";
import { extname, join } from "node:path";
import { isTemporary, removeAbandonedFiles } from "../../../../service/files/temporaryFiles";
import type { Context } from "../../../resource";
import { ResourceError } from "../../../resource";
import { compressions } from "../../formats/compression";
import { formats } from "../../formats/formats";
import { patternOf } from "../../outputPath";
import type { Content, Destination, Placed, Placing } from "../destination";
import type { Condition, Headers, StoredObject } from "./bucket";
import { Bucket } from "./bucket";
import { bucketAndKey } from "./s3Path";
import { s3Client } from "./sdk";
import type { SentObject } from "./sendFile";
import { sendFile } from "./sendFile";
import { StoreError } from "./storeError";
import { TakenNames } from "./takenNames";

/** The name of the metadata that says which write has made the object. */
const writeKey = "webextract-write";

const contentTypes = new Map(
  [...Object.values(formats), ...Object.values(compressions)].map(({ extension, contentType }) => [
    extension,
    contentType,
  ]),
);

/** How the name of each temporary file begins. */
const temporaryPrefix = ".webextract-";

/** Longest part of a key in the name of a temporary file. */
const longestEnd = 80;

const runAgain = "Run the same command again.";

/**
 * Objects in S3. Temporary files are private and in the program's folder: the next command can send a file that could not be sent. Each write is
 * conditional, so that it never replaces an object that this export did not write.
 */
export class S3Destination implements Destination {
  private readonly taken: TakenNames;

  readonly isRemote = true;
  readonly fileMode = 0o600;

  private constructor(
    path: string,
    private readonly bucket: Bucket,
    private readonly context: Context,
  ) {
    const { key } = bucketAndKey(path);
    const [before, after] = key.split("{n}");
    const counting = after === undefined ? undefined : new RegExp(`^(?<before>${patternOf(before ?? "")})`);
    this.taken = new TakenNames(bucket, counting);
  }

  /**
   * @param path of an export, or the name of an object. Makes no request
   * @throws ResourceError if the SDK is not installed
   */
  static async of(path: string, context: Context): Promise<S3Destination> {
    const client = await s3Client(context);
    const bucket = new Bucket(client, bucketAndKey(path).bucket);
    return new S3Destination(path, bucket, context);
  }

  locate(name: string): string {
    return name;
  }

  workPath(name: string): string {
    const digest = createHash("sha256").update(name).digest("hex").slice(0, 16);
    const end = name
      .slice(name.lastIndexOf("/") + 1)
      .replace(/[^\w.-]/g, "_")
      .slice(-longestEnd);
    return join(this.context.folder, `${temporaryPrefix}${digest}-${end}`);
  }

  async prepare(): Promise<void> {
    await removeAbandonedFiles(this.context.folder, (each) => each.startsWith(temporaryPrefix) && isTemporary(each));
    // A look at an object finds neither out.
    await this.bucket.requireAccess();
  }

  exists(name: string): Promise<boolean> {
    return this.taken.has(keyOf(name));
  }

  async compare(name: string, content: Content): Promise<"same" | "missing" | "changed"> {
    const found = await this.bucket.head(keyOf(name));
    if (found === undefined) {
      return "missing";
    }
    return (await this.contains(found, name, content)) ? "same" : "changed";
  }

  async place(
    from: string,
    name: string,
    content: Content,
    { replaces, orSame }: Placing,
  ): Promise<Placed | undefined> {
    const { bucket, context } = this;
    const found = await bucket.head(keyOf(name));
    if (found !== undefined && (replaces === undefined || !(await this.contains(found, name, replaces)))) {
      return this.placedIf(orSame, found, name, content);
    }
    const condition: Condition = found === undefined ? { IfNoneMatch: "*" } : { IfMatch: found.etag };
    const id = randomUUID();
    const headers = this.headers(name, { [writeKey]: id });
    let sent: SentObject | undefined;
    let failure: unknown;
    try {
      sent = await sendFile({ from, content, key: keyOf(name), headers, condition }, bucket, context);
    } catch (error) {
      failure = error;
    }
    const now = await this.after(name, failure);
    if (now?.metadata[writeKey] === id) {
      await this.verify(name, now, content, sent?.sha256);
      return { etag: now.etag };
    }
    // A response that was lost can look like a conflict with an object that this write itself has made.
    if (failure !== undefined) {
      throw failure;
    }
    if (sent?.isPlaced !== true && now !== undefined) {
      return this.placedIf(orSame, now, name, content);
    }
    if (now?.metadata[writeKey] !== undefined) {
      context.warn(
        `The store accepted two writes of "${name}", each only for the case that there is no other object: it ignores If-None-Match or If-Match. ` +
          "Two exports can overwrite each other there. Give each export names of its own, or use another store.",
      );
    }
    throw changed(name);
  }

  async remove(name: string, content: Content): Promise<boolean> {
    const key = keyOf(name);
    const found = await this.bucket.head(key);
    if (found === undefined) {
      return true;
    }
    return (await this.contains(found, name, content)) && (await this.bucket.delete(key, found.etag));
  }

  async nameIsTaken(name: string): Promise<Error> {
    return new ResourceError(
      `The object "${name}" exists. This export did not write it, or it was changed since, so it was not overwritten. ` +
        `Add {n} (the next free number) or {time} to the path, so that each export writes a new object. Or move the object away, or use another path.`,
    );
  }

  async failure(error: unknown, name: string, soFar = ""): Promise<unknown> {
    if (error instanceof StoreError) {
      return new ResourceError(`${error.message} ${soFar}${[error.advice, runAgain].filter(Boolean).join(" ")}`);
    }
    if (!(error instanceof Error) || !("syscall" in error)) {
      return error;
    }
    return new ResourceError(
      `The temporary file of "${name}" cannot be written: ${error.message}. ${soFar}Make "${this.context.folder}" writable and free space there. ${runAgain}`,
    );
  }

  private async placedIf(
    orSame: boolean | undefined,
    found: StoredObject,
    name: string,
    content: Content,
  ): Promise<Placed | undefined> {
    return orSame === true && (await this.contains(found, name, content)) ? { etag: found.etag } : undefined;
  }

  /** The object after a write. If that cannot be found out, the failure of the write says more. */
  private async after(name: string, failure: unknown): Promise<StoredObject | undefined> {
    try {
      return await this.bucket.head(keyOf(name));
    } catch (error) {
      if (failure instanceof StoreError) {
        const unknown = "It is not known whether the object was written. If so, the next export uses it.";
        throw new StoreError(`${failure.message} ${unknown}`, failure.code, failure.advice);
      }
      throw failure ?? error;
    }
  }

  /** A store that keeps no checksums has to return the object. One that is wrong is removed: the next export could not replace it. */
  private async verify(
    name: string,
    object: StoredObject,
    content: Content,
    sha256: string | undefined,
  ): Promise<void> {
    const expected = [sha256, Buffer.from(content.sha256, "hex").toString("base64")];
    const isRight =
      object.bytes === content.bytes &&
      (object.sha256 === undefined || sha256 === undefined
        ? (await this.digestOf(name, object)) === content.sha256
        : expected.includes(object.sha256));
    if (!isRight) {
      const isRemoved = await this.bucket.delete(keyOf(name), object.etag).catch(() => false);
      const exists = isRemoved ? "It was removed." : "Remove it.";
      throw new StoreError(
        `The object "${name}" does not have the content that was sent: its length or its checksum differs. ${exists}`,
        "checksum",
        "",
      );
    }
  }

  /** An object that was copied has the same content and can have another ETag. */
  private async contains(found: StoredObject, name: string, { bytes, sha256, etag }: Content): Promise<boolean> {
    return (
      found.bytes === bytes &&
      ((found.etag !== "" && found.etag === etag) || (await this.digestOf(name, found)) === sha256)
    );
  }

  private async digestOf(name: string, { etag }: StoredObject): Promise<string> {
    const hash = createHash("sha256");
    for await (const piece of this.bucket.read(keyOf(name), etag)) {
      hash.update(piece);
    }
    return hash.digest("hex");
  }

  private headers(name: string, metadata: Record<string, string>): Headers {
    return { ContentType: contentTypes.get(extname(name)) ?? "application/octet-stream", Metadata: metadata };
  }
}

function keyOf(name: string): string {
  return bucketAndKey(name).key;
}

function changed(name: string): StoreError {
  const message = `The object "${name}" was written or removed by somebody else at the same time. The rows of this export are not in it.`;
  return new StoreError(message, "changed", "");
}
