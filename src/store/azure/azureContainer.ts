import { createHash, randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import type * as Sdk from "@azure/storage-blob";
import { limits } from "../limits";
import type { FileToSend, SmallObject, StoreContext, StoredObject, Target, Upload } from "../objectStore";
import { ObjectStore, smallSignal } from "../objectStore";
import { partsOf } from "../storeAddress";
import type { Facts } from "../storeError";
import type { AzureAccount } from "./account";
import { azureAccount } from "./account";
import { azureFacts } from "./azureError";
import { azureClient } from "./sdk";

/** Codes that say that the condition does not hold: there is another blob, or none. */
const conflicts = ["ConditionNotMet", "TargetConditionNotMet", "BlobAlreadyExists", "BlobNotFound"];

/** In a response to HEAD, which has no body, the code can be missing. */
const missing = ["BlobNotFound", "ContainerNotFound", "404"];

/** The requests of this package to one container of Azure Blob Storage. */
export class AzureContainer extends ObjectStore {
  readonly operations = ["List Blobs", "Get Blob", "Put Blob", "Delete Blob"] as const;
  private readonly container: Sdk.ContainerClient;
  private readonly account: AzureAccount;

  constructor(address: string, context: StoreContext) {
    super(address, context);
    this.account = azureAccount(partsOf(address).options);
    this.container = azureClient(context, this.path(""));
  }

  /** The service itself is known, in each cloud of Azure. */
  get isUnproven(): boolean {
    return !/^https:\/\/[^/]+\.blob\.(?:core\.|storage\.azure\.net)/.test(this.account.url);
  }

  protected async page(prefix: string, continuationToken?: string, most?: number, signal = patient()) {
    const pages = this.container
      .listBlobsFlat({ prefix, abortSignal: signal })
      .byPage({ continuationToken, maxPageSize: most });
    const { segment, continuationToken: next } = (await pages.next()).value as Sdk.ContainerListBlobFlatSegmentResponse;
    return { keys: segment.blobItems.map(({ name }) => name), next: next || undefined };
  }

  async head(key: string): Promise<StoredObject | undefined> {
    const looking = this.blob(key).getProperties({ abortSignal: patient() });
    const found = await this.without(missing, "Get Blob Properties", key, looking);
    return found && { etag: bare(found.etag), bytes: found.contentLength ?? 0, metadata: found.metadata ?? {} };
  }

  async get(key: string, signal?: AbortSignal): Promise<SmallObject | undefined> {
    const abortSignal = smallSignal(signal);
    const getting = this.blob(key)
      .download(0, undefined, { abortSignal })
      .then(async ({ etag, date, lastModified, readableStreamBody }) => {
        const pieces = await (readableStreamBody as Readable).toArray();
        return { etag: bare(etag), body: Buffer.concat(pieces), age: Number(date) - Number(lastModified) };
      });
    return await this.without(missing, "Get Blob", key, getting);
  }

  /** A file goes as a block, whose checksum the store compares. */
  protected async insert(body: Buffer, target: Target): Promise<string | undefined> {
    const { key, metadata, replaces, signal } = target;
    if (metadata !== undefined) {
      const upload = await this.beginUpload(undefined, target);
      // There is no empty block.
      if (body.length > 0) await upload.part(body);
      return (await upload.complete()) ? "" : undefined;
    }
    const options = { conditions: conditionsOf(replaces), abortSignal: signal };
    const done = await this.without(conflicts, "Put Blob", key, this.blob(key).upload(body, body.length, options));
    return done && bare(done.etag);
  }

  protected async beginUpload(_: FileToSend | undefined, target: Target): Promise<Upload> {
    const { key, contentType, metadata, replaces, signal } = target;
    const blob = this.blob(key);
    const id = randomUUID();
    const blocks: string[] = [];
    const abortSignal = (): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(limits.tryMs)]);
    return {
      part: async (body) => {
        // All ids of a blob must have one length.
        const block = Buffer.from(`${id}-${String(blocks.length).padStart(5, "0")}`).toString("base64");
        const transactionalContentMD5 = createHash("md5").update(body).digest();
        const options = { transactionalContentMD5, abortSignal: abortSignal() };
        await this.named("Put Block", key, blob.stageBlock(block, body, body.length, options));
        blocks.push(block);
      },
      complete: async () => {
        const about = { metadata, blobHTTPHeaders: { blobContentType: contentType }, abortSignal: abortSignal() };
        const completing = blob.commitBlockList(blocks, { conditions: conditionsOf(replaces), ...about });
        return (await this.without(conflicts, "Put Block List", key, completing)) !== undefined;
      },
      // Azure has no request for it, and removes blocks without a list after a week.
      abort: async () => undefined,
      remedy: "",
    };
  }

  protected async open(key: string, etag: string): Promise<Readable> {
    const found = await this.blob(key).download(0, undefined, { conditions: conditionsOf(etag) });
    return found.readableStreamBody as Readable;
  }

  async remove(key: string, etag: string): Promise<boolean> {
    const removing = this.blob(key).delete({ conditions: conditionsOf(etag), abortSignal: patient() });
    return (await this.without(conflicts, "Delete Blob", key, removing)) !== undefined;
  }

  private blob(key: string): Sdk.BlockBlobClient {
    return this.container.getBlockBlobClient(key);
  }

  protected factsOf(error: unknown): Facts {
    return azureFacts(error, this.account, this.bucket, this.sharedPrefix);
  }
}

/** The SDK waits for a response for ever. */
function patient(): AbortSignal {
  return AbortSignal.timeout(limits.idleMs);
}

function conditionsOf(replaces: string | undefined): Sdk.BlobRequestConditions {
  return replaces === undefined ? { ifNoneMatch: "*" } : { ifMatch: `"${replaces || "none"}"` };
}

function bare(etag: string | undefined): string {
  return (etag ?? "").replaceAll('"', "");
}
