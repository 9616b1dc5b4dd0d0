import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { FileToSend, SmallObject, StoreContext, StoredObject, Target, Upload } from "../objectStore";
import { ObjectStore, smallSignal } from "../objectStore";
import type { Facts } from "../storeError";
import { gcsFacts, gone } from "./gcsError";
import type { GcsClient } from "./sdk";
import { gcsClient } from "./sdk";

/** What the service says of an object. */
interface Resource {
  generation?: string;
  size?: string;
  metadata?: Record<string, string>;
}

interface List {
  items?: { name: string }[];
  nextPageToken?: string;
}

const conflict = "412";

/** The requests of this package to one bucket of Google Cloud Storage. The generation of an object is its ETag here. */
export class GcsBucket extends ObjectStore {
  readonly operations = ["objects.list", "objects.get", "objects.insert", "objects.delete"] as const;
  private readonly client: GcsClient;
  private readonly objects: string;

  constructor(address: string, context: StoreContext) {
    super(address, context);
    this.client = gcsClient(context);
    this.objects = `storage/v1/b/${this.bucket}/o`;
  }

  get isUnproven(): boolean {
    return this.client.isEmulated;
  }

  protected async page(prefix: string, after?: string, most?: number, signal?: AbortSignal) {
    const params = { prefix, ...(after && { pageToken: after }), ...(most && { maxResults: most }) };
    const { data } = await this.client.request<List>({ url: this.objects, params, signal });
    return { keys: (data.items ?? []).map(({ name }) => name), next: data.nextPageToken };
  }

  async head(key: string): Promise<StoredObject | undefined> {
    const looking = this.client.request<Resource>({ url: this.object(key) });
    const found = (await this.without([gone], "objects.get", key, looking))?.data;
    return found && { etag: found.generation ?? "", bytes: Number(found.size ?? 0), metadata: found.metadata ?? {} };
  }

  async get(key: string, signal?: AbortSignal): Promise<SmallObject | undefined> {
    const request = { url: this.object(key), params: { alt: "media" }, responseType: "arraybuffer" } as const;
    const getting = this.client.request<ArrayBuffer>({ ...request, signal: smallSignal(signal) });
    const found = await this.without([gone], "objects.get", key, getting);
    if (found === undefined) return undefined;
    const [date, written] = ["date", "last-modified"].map((name) => Date.parse(found.headers.get(name) ?? ""));
    const etag = found.headers.get("x-goog-generation") ?? "";
    return { etag, body: Buffer.from(found.data), age: Number(date) - Number(written) };
  }

  /** The description and the content in one request, which the store refuses if it gets another content. */
  protected async insert(body: Buffer, { key, contentType = "application/octet-stream", ...target }: Target) {
    const { metadata, replaces, signal } = target;
    const boundary = randomUUID();
    const md5Hash = createHash("md5").update(body).digest("base64");
    const data = Buffer.concat([
      Buffer.from(`--${boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n`),
      Buffer.from(`${JSON.stringify({ contentType, metadata, md5Hash })}\r\n`),
      Buffer.from(`--${boundary}\r\nContent-Type: ${contentType}\r\n\r\n`),
      body,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]);
    const sending = this.client.request<Resource>({
      ...{ method: "POST", url: `upload/${this.objects}`, data, signal },
      params: { uploadType: "multipart", name: key, ifGenerationMatch: replaces ?? "0" },
      headers: { "content-type": `multipart/related; boundary=${boundary}` },
    });
    return (await this.without([conflict], "objects.insert", key, sending))?.data.generation;
  }

  /** The condition is that of the last part, which makes the object. */
  protected async beginUpload({ from, content }: FileToSend, target: Target): Promise<Upload> {
    const { key, contentType = "", metadata, replaces, signal } = target;
    const md5 = createHash("md5");
    await pipeline(createReadStream(from), md5);
    const beginning = this.client.request({
      ...{ method: "POST", url: `upload/${this.objects}`, signal },
      params: { uploadType: "resumable", name: key, ifGenerationMatch: replaces ?? "0" },
      headers: { "content-type": "application/json", "x-upload-content-type": contentType },
      data: JSON.stringify({ contentType, metadata, md5Hash: md5.digest("base64") }),
    });
    const url = (await this.named("objects.insert", key, beginning)).headers.get("location") ?? "";
    let [offset, last] = [0, Buffer.alloc(0)];
    /** The store can take the beginning of a part only, and ignores what it has already. */
    const put = async (body: Buffer): Promise<boolean> => {
      for (const [begin, end] = [offset, offset + body.length]; offset < end; ) {
        const headers = { "content-range": `bytes ${offset}-${end - 1}/${content.bytes}` };
        const data = body.subarray(offset - begin);
        const sending = this.client.request({ method: "PUT", url, headers, data, signal });
        const taken = await this.without([conflict], "objects.insert", key, sending);
        if (taken?.status !== 308) return taken !== undefined;
        const next = Number(/-(\d+)$/.exec(taken.headers.get("range") ?? "")?.[1] ?? -1) + 1;
        const isStuck = next <= offset && Promise.reject(new Error("it took nothing of a part"));
        if (isStuck) await this.named("objects.insert", key, isStuck);
        offset = next;
      }
      return true;
    };
    return {
      part: async (body) => {
        // The last part makes the object.
        if (offset + body.length >= content.bytes) last = Buffer.from(body);
        else await put(body);
      },
      complete: () => put(last),
      abort: async () => {
        const ending = this.client.request({ method: "DELETE", url });
        await this.without(["499", "NoSuchBucket", "410"], "objects.insert", key, ending);
      },
      remedy: "Google Cloud Storage removes its parts within a week.",
    };
  }

  protected async open(key: string, generation: string): Promise<Readable> {
    const params = { alt: "media", generation };
    return (await this.client.request<Readable>({ url: this.object(key), params, responseType: "stream" })).data;
  }

  async remove(key: string, etag: string): Promise<boolean> {
    const params = { ifGenerationMatch: etag || "0" };
    const removing = this.client.request({ method: "DELETE", url: this.object(key), params });
    return (await this.without([conflict, gone], "objects.delete", key, removing)) !== undefined;
  }

  private object(key: string): string {
    return `${this.objects}/${encodeURIComponent(key)}`;
  }

  protected factsOf(error: unknown, operation: string): Facts {
    return gcsFacts(error, operation, [this.client.endpoint, this.bucket, this.sharedPrefix]);
  }
}
