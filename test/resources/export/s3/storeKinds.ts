import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { S3 } from "@aws-sdk/client-s3";
import { ContainerClient, StorageSharedKeyCredential } from "@azure/storage-blob";
import type { CloudServer } from "../../../../scripts/objectStore/cloudServers";
import { azuriteAccount, azuriteKey, startAzurite, startGcsServer } from "../../../../scripts/objectStore/cloudServers";
import type { Account } from "../../../../scripts/objectStore/objectStore";
import { ObjectStore, owner } from "../../../../scripts/objectStore/objectStore";
import type { OwnResponse, SeenRequest } from "./faultyProxy";

/** A store on this machine, as another program uses it. */
export interface TestStore {
  readonly port: number;
  /** Of a process that uses the store at this endpoint, and of no other configuration of its cloud. */
  environment(endpoint: string, folder: string): NodeJS.ProcessEnv;
  /** Makes the bucket, without objects. */
  empty(bucket: string): Promise<void>;
  objects(bucket: string): Promise<Map<string, Buffer>>;
  write(bucket: string, key: string, content: string): Promise<void>;
  delete(bucket: string, key: string): Promise<void>;
  /** The content type of an object. */
  typeOf(bucket: string, key: string): Promise<string | undefined>;
  stop(): Promise<void>;
  guard?(request: SeenRequest): Promise<OwnResponse | undefined>;
}

export interface StoreKind {
  readonly title: string;
  readonly scheme: "s3" | "gs" | "azblob";
  /** The packages that a path needs. */
  readonly sdk: string;
  start(): Promise<TestStore>;
}

/** The environment of a process that uses the store, and of no other configuration of AWS. */
export function storeEnvironment(endpoint: string, account: Account | undefined, folder: string): NodeJS.ProcessEnv {
  return {
    AWS_ACCESS_KEY_ID: account?.accessKeyId,
    AWS_SECRET_ACCESS_KEY: account?.secretAccessKey,
    AWS_SESSION_TOKEN: undefined,
    AWS_PROFILE: undefined,
    AWS_CONFIG_FILE: join(folder, "no-config"),
    AWS_SHARED_CREDENTIALS_FILE: join(folder, "no-credentials"),
    AWS_EC2_METADATA_DISABLED: "true",
    AWS_REGION: "us-east-1",
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
  };
}

/** The same for a command of another process, with the setting that this store needs. */
export function storeVariables({ endpoint }: Pick<ObjectStore, "endpoint">, folder: string): Record<string, string> {
  const set = Object.entries(storeEnvironment(endpoint, owner, folder)).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(set), WEBEXTRACT_S3_FORCE_PATH_STYLE: "true" };
}

/** The variables of a machine that has nothing but access to the store. Makes its home. */
export function machineVariables(store: Pick<ObjectStore, "endpoint">, home: string): Record<string, string> {
  mkdirSync(home);
  return { ...storeVariables(store, home), HOME: home, XDG_STATE_HOME: home };
}

/** Each bucket is a folder, and each object a file. */
export class S3TestStore implements TestStore {
  readonly direct: S3;

  private constructor(readonly store: ObjectStore) {
    const { endpoint } = store;
    this.direct = new S3({ endpoint, region: "us-east-1", credentials: owner, forcePathStyle: true });
  }

  static async start(): Promise<S3TestStore> {
    return new S3TestStore(await ObjectStore.start());
  }

  get port(): number {
    return this.store.port;
  }

  environment(endpoint: string, folder: string): NodeJS.ProcessEnv {
    return storeEnvironment(endpoint, owner, folder);
  }

  async empty(bucket: string): Promise<void> {
    rmSync(join(this.store.buckets, bucket), { recursive: true, force: true });
    mkdirSync(join(this.store.buckets, bucket));
  }

  async objects(bucket: string): Promise<Map<string, Buffer>> {
    const root = join(this.store.buckets, bucket);
    const files = readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes(".sgwtmp"))
      .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1));
    return new Map(files.sort().map((key) => [key, readFileSync(join(root, key))]));
  }

  async write(Bucket: string, Key: string, Body: string): Promise<void> {
    await this.direct.putObject({ Bucket, Key, Body });
  }

  async delete(Bucket: string, Key: string): Promise<void> {
    await this.direct.deleteObject({ Bucket, Key });
  }

  async typeOf(Bucket: string, Key: string): Promise<string | undefined> {
    return (await this.direct.headObject({ Bucket, Key })).ContentType;
  }

  async stop(): Promise<void> {
    this.direct.destroy();
    await this.store.stop();
  }
}

/** A server that keeps everything in memory. */
abstract class CloudTestStore {
  readonly port: number;
  readonly stop: () => Promise<void>;

  constructor(server: CloudServer) {
    this.port = server.port;
    this.stop = server.stop;
  }

  protected abstract addBucket(bucket: string): Promise<void>;
  abstract objects(bucket: string): Promise<Map<string, Buffer>>;
  abstract delete(bucket: string, key: string): Promise<void>;

  async empty(bucket: string): Promise<void> {
    await this.addBucket(bucket);
    for (const key of (await this.objects(bucket)).keys()) await this.delete(bucket, key);
  }
}

class GcsTestStore extends CloudTestStore implements TestStore {
  environment(endpoint: string): NodeJS.ProcessEnv {
    return { STORAGE_EMULATOR_HOST: endpoint, GOOGLE_APPLICATION_CREDENTIALS: undefined };
  }

  private async request(path: string, init: RequestInit = {}): Promise<Response> {
    return await fetch(`http://127.0.0.1:${this.port}${path}`, init);
  }

  protected async addBucket(bucket: string): Promise<void> {
    await this.request("/storage/v1/b", { method: "POST", body: JSON.stringify({ name: bucket }) });
  }

  async objects(bucket: string): Promise<Map<string, Buffer>> {
    const { items = [] } = (await (await this.request(`/storage/v1/b/${bucket}/o`)).json()) as {
      items?: { name: string }[];
    };
    const found = items.map(async ({ name }) => {
      const answer = await this.request(`${pathIn(bucket, name)}?alt=media`);
      return [name, Buffer.from(await answer.arrayBuffer())] as const;
    });
    return new Map(await Promise.all(found));
  }

  async write(bucket: string, key: string, body: string): Promise<void> {
    const query = `uploadType=media&name=${encodeURIComponent(key)}`;
    await this.request(`/upload/storage/v1/b/${bucket}/o?${query}`, { method: "POST", body });
  }

  async delete(bucket: string, key: string): Promise<void> {
    await this.request(pathIn(bucket, key), { method: "DELETE" });
  }

  async typeOf(bucket: string, key: string): Promise<string | undefined> {
    return ((await (await this.request(pathIn(bucket, key))).json()) as { contentType?: string }).contentType;
  }

  /** fake-gcs-server 1.56 ignores the condition of a delete, which Google Cloud Storage keeps. */
  async guard({ method, path, query }: SeenRequest): Promise<OwnResponse | undefined> {
    const condition = query.get("ifGenerationMatch");
    if (method !== "DELETE" || condition === null) return undefined;
    const [, bucket = "", ...key] = path.split("/");
    const found = await this.request(pathIn(bucket, key.join("/")));
    if (!found.ok) return { status: 404 };
    const { generation } = (await found.json()) as { generation: string };
    return generation === condition ? undefined : { status: 412 };
  }
}

function pathIn(bucket: string, key: string): string {
  return `/storage/v1/b/${bucket}/o/${encodeURIComponent(key)}`;
}

class AzureTestStore extends CloudTestStore implements TestStore {
  environment(endpoint: string): NodeJS.ProcessEnv {
    return {
      AZURE_STORAGE_ACCOUNT: azuriteAccount,
      AZURE_STORAGE_KEY: azuriteKey,
      AZURE_STORAGE_SAS_TOKEN: undefined,
      AZURE_STORAGE_CONNECTION_STRING: undefined,
      AZURE_STORAGE_DOMAIN: endpoint.slice("http://".length),
    };
  }

  container(bucket: string): ContainerClient {
    const credential = new StorageSharedKeyCredential(azuriteAccount, azuriteKey);
    return new ContainerClient(`http://127.0.0.1:${this.port}/${azuriteAccount}/${bucket}`, credential);
  }

  protected async addBucket(bucket: string): Promise<void> {
    await this.container(bucket).createIfNotExists();
  }

  async objects(bucket: string): Promise<Map<string, Buffer>> {
    const found = new Map<string, Buffer>();
    for await (const { name } of this.container(bucket).listBlobsFlat()) {
      found.set(name, await this.container(bucket).getBlobClient(name).downloadToBuffer());
    }
    return found;
  }

  async write(bucket: string, key: string, content: string): Promise<void> {
    await this.container(bucket).getBlockBlobClient(key).upload(content, Buffer.byteLength(content));
  }

  async delete(bucket: string, key: string): Promise<void> {
    await this.container(bucket).getBlobClient(key).deleteIfExists();
  }

  async typeOf(bucket: string, key: string): Promise<string | undefined> {
    return (await this.container(bucket).getBlobClient(key).getProperties()).contentType;
  }
}

export const s3Kind: StoreKind = {
  title: "S3",
  scheme: "s3",
  sdk: "@aws-sdk/client-s3",
  start: () => S3TestStore.start(),
};

/** The other two. The server of the first is fake-gcs-server, that of the second Azurite. */
export const cloudKinds: readonly StoreKind[] = [
  {
    title: "Google Cloud Storage",
    scheme: "gs",
    sdk: "@google-cloud/storage",
    start: async () => new GcsTestStore(await startGcsServer()),
  },
  {
    title: "Azure Blob Storage",
    scheme: "azblob",
    sdk: "@azure/storage-blob",
    start: async () => new AzureTestStore(await startAzurite()),
  },
];
