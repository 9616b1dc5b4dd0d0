import { createHash, randomUUID } from "node:crypto";
import { extname } from "node:path";
import { isTemporary, removeAbandonedFiles } from "../../../../service/files/temporaryFiles";
import type { Context } from "../../../resource";
import { messageOf, ResourceError } from "../../../resource";
import { patternOf } from "../../outputPath";
import type { Content, Destination, Placed, Placing } from "../destination";
import { RowsLost } from "../destination";
import { endAbandonedUploads, howToAbort, inWords } from "./abandonedUploads";
import type { Condition, Headers, StoredObject } from "./bucket";
import { Bucket } from "./bucket";
import type { SentObject } from "./objectUpload";
import { ObjectUpload } from "./objectUpload";
import { bucketAndKey } from "./s3Path";
import { s3Client } from "./sdk";
import { StoreError } from "./storeError";
import { TakenNames } from "./takenNames";
import { workFolder, workPathIn } from "./workFolder";

/** The name of the metadata that says which write has made the object. */
const writeKey = "webextract-write";

const contentTypes: Readonly<Record<string, string>> = {
  ".ndjson": "application/x-ndjson",
  ".json": "application/json",
  ".csv": "text/csv",
  ".gz": "application/gzip",
  ".zst": "application/zstd",
  ".parquet": "application/vnd.apache.parquet",
};

/** One write of an object. */
interface Write {
  name: string;
  /** Stands in the metadata of the object. */
  id: string;
  upload: ObjectUpload;
}

const runAgain = "Run the same command again.";

/**
 * Objects in S3. Temporary files are private and in a folder of their own. Each write is conditional, so that it never replaces an object that this
 * export did not write.
 */
export class S3Destination implements Destination {
  private readonly taken: TakenNames;
  /** What is sent while the rows are read. */
  private following: Write | undefined;

  readonly fileMode = 0o600;
  readonly movesFile = false;

  private constructor(
    private readonly path: string,
    private readonly bucket: Bucket,
    private readonly folder: string,
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
    return new S3Destination(path, bucket, await workFolder(), context);
  }

  locate(name: string): string {
    return name;
  }

  workPath(name: string): string {
    return workPathIn(this.folder, name);
  }

  /** Not the temporary folder: these files must stay. */
  get keptFolder(): string {
    return this.context.folder;
  }

  /** Begins and aborts an upload: rows that a service returns only once must not be read if they cannot be written. */
  async prepare(name: string): Promise<void> {
    const { bucket, folder, context } = this;
    await removeAbandonedFiles(folder, isTemporary);
    const { key: ofPath } = bucketAndKey(this.path);
    const ending = extname(ofPath);
    const beginning = ofPath.slice(0, ofPath.length - ending.length);
    const isOfPath = new RegExp(`^${patternOf(beginning)}(?:\\.rejected(?:-\\d+)?)?${patternOf(ending)}$`);
    await endAbandonedUploads(bucket, {
      folder,
      prefix: beginning.split("{")[0] ?? "",
      isOfPath: (key) => isOfPath.test(key),
      warn: (message) => context.warn(message),
    });
    const upload = await bucket.createUpload(keyOf(name), this.headers(name, {}));
    try {
      await bucket.abortUpload(upload);
    } catch (error) {
      throw error instanceof StoreError
        ? new StoreError(
            `${error.message} ${inWords(bucket, upload)} is left: ${howToAbort(bucket, upload)}`,
            error.code,
            error.advice,
          )
        : error;
    }
  }

  exists(name: string): Promise<boolean> {
    return this.taken.has(keyOf(name));
  }

  async isFolder(): Promise<boolean> {
    return false;
  }

  async compare(name: string, content: Content): Promise<"same" | "missing" | "changed"> {
    const found = await this.bucket.head(keyOf(name));
    if (found === undefined) {
      return "missing";
    }
    return (await this.contains(found, name, content)) ? "same" : "changed";
  }

  async follow(name: string, piece: Buffer): Promise<RowsLost | undefined> {
    this.following ??= this.newWrite(name);
    const { upload } = this.following;
    await upload.write(piece);
    // The reader looks for an interruption after each page, and its message says so.
    return upload.failure === undefined || this.context.interrupted.aborted ? undefined : rowsLost(upload);
  }

  async abandon(): Promise<void> {
    await this.following?.upload.abandon();
    this.following = undefined;
  }

  async place(
    from: string | undefined,
    name: string,
    content: Content,
    { replaces, orSame }: Placing,
  ): Promise<Placed | undefined> {
    const found = await this.bucket.head(keyOf(name));
    if (found !== undefined && (replaces === undefined || !(await this.contains(found, name, replaces)))) {
      await this.abandon();
      return this.placedIf(orSame, found, name, content);
    }
    const condition: Condition = found === undefined ? { IfNoneMatch: "*" } : { IfMatch: found.etag };
    const { id, upload } = await this.writeOf(from, name, content);
    let sent: SentObject | undefined;
    let failure: unknown;
    try {
      sent = await upload.complete(condition);
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
      `The temporary file of "${name}" cannot be written: ${error.message}. ${soFar}Free space in "${this.folder}", or set TMPDIR to another folder. ${runAgain}`,
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

  /** What was sent while the rows were read; otherwise, or if that has failed, the complete file. */
  private async writeOf(from: string | undefined, name: string, content: Content): Promise<Write> {
    const { following } = this;
    if (following?.name === name) {
      await following.upload.sendRest();
      const isLost = following.upload.failure !== undefined;
      if (isLost && from === undefined && !this.context.interrupted.aborted) {
        throw rowsLost(following.upload);
      }
      // After an interruption, `complete` says so.
      if (!isLost || from === undefined) {
        this.following = undefined;
        return following;
      }
    }
    await this.abandon();
    const write = this.newWrite(name, content.bytes);
    if (from === undefined) {
      // There is no row.
      return write;
    }
    try {
      await write.upload.writeFile(from, content);
    } catch (error) {
      await write.upload.abandon();
      throw error;
    }
    return write;
  }

  private newWrite(name: string, bytes?: number): Write {
    const id = randomUUID();
    const headers = this.headers(name, { [writeKey]: id });
    const object = { key: keyOf(name), headers, workPath: this.workPath(name), bytes };
    return { name, id, upload: new ObjectUpload(this.bucket, object, this.context) };
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
    return { ContentType: contentTypes[extname(name)] ?? "application/octet-stream", Metadata: metadata };
  }
}

function keyOf(name: string): string {
  return bucketAndKey(name).key;
}

function rowsLost({ failure }: ObjectUpload): RowsLost {
  return new RowsLost(messageOf(failure));
}

function changed(name: string): StoreError {
  const message = `The object "${name}" was written or removed by somebody else at the same time. The rows of this export are not in it.`;
  return new StoreError(message, "changed", "");
}
