import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { S3 } from "@aws-sdk/client-s3";
import sinon from "sinon";
import type { Account } from "../../../../scripts/objectStore/objectStore";
import { ObjectStore, owner } from "../../../../scripts/objectStore/objectStore";
import { setEnvironment } from "../../../environment";
import type { ConfigKey } from "../../../internals/config";
import { limits } from "../../../internals/resources";
import { World } from "../../life";
import { FaultyProxy } from "./faultyProxy";

export const bucket = "rows-bucket";

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
export function storeVariables({ endpoint }: ObjectStore, folder: string): Record<string, string> {
  const set = Object.entries(storeEnvironment(endpoint, owner, folder)).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(set), WEBEXTRACT_S3_FORCE_PATH_STYLE: "true" };
}

/** 12 rows of 12 MiB, which are sent in parts. */
export function addLargeRows({ emulator }: World): string[] {
  const text = "x".repeat(1024 * 1024);
  const rows = Array.from({ length: 12 }, (_, index) => JSON.stringify({ index, text }));
  emulator.change.insertRows("task-1", rows);
  return rows;
}

/** Gives each test of a `describe` the store, and a world with this configuration. */
export function eachOnStore(begin: (s3: S3World, world: World) => void, config?: StoreConfig): void {
  let s3: S3World;
  before(async function () {
    // The store is built once on a machine that does not have it.
    this.timeout(900_000);
    s3 = await S3World.create();
  });
  after(() => s3.remove());
  beforeEach(async () => begin(s3, await s3.begin(config)));
  afterEach(() => s3.end());
}

type StoreConfig = Partial<Record<ConfigKey, string>>;

/** The real store behind a faulty proxy, for the tests of one file. */
export class S3World {
  readonly box = sinon.createSandbox();
  private worlds: World[] = [];
  private restores: (() => void)[] = [];
  /** The system's temporary folder during a test. Nothing of an export is there. */
  readonly temporary = mkdtempSync(join(tmpdir(), "webextract-s3-"));

  readonly direct: S3;

  private constructor(
    readonly store: ObjectStore,
    readonly proxy: FaultyProxy,
  ) {
    const { endpoint } = store;
    this.direct = new S3({ endpoint, region: "us-east-1", credentials: owner, forcePathStyle: true });
  }

  static async create(): Promise<S3World> {
    const store = await ObjectStore.start();
    return new S3World(store, await FaultyProxy.start(store.port));
  }

  /** Before each test: an empty bucket and no fault. */
  async begin(config: StoreConfig = {}, account: Account | undefined = owner): Promise<World> {
    this.proxy.reset();
    rmSync(join(this.store.buckets, bucket), { recursive: true, force: true });
    mkdirSync(join(this.store.buckets, bucket));
    rmSync(this.temporary, { recursive: true, force: true });
    mkdirSync(this.temporary);
    this.setEnvironment(account);
    this.box.stub(limits, "partBytes").value(5 * 1024 * 1024);
    this.box.stub(limits, "mostTries").value(3);
    const world = await World.create({ config: { s3ForcePathStyle: "true", ...config } });
    this.worlds.push(world);
    return world;
  }

  setEnvironment(account: Account | undefined, others: NodeJS.ProcessEnv = {}): void {
    const store = storeEnvironment(this.proxy.endpoint, account, this.temporary);
    this.restores.unshift(setEnvironment({ ...store, TMPDIR: this.temporary, ...others }));
  }

  /** After each test. */
  async end(): Promise<void> {
    this.box.restore();
    await Promise.all(this.worlds.splice(0).map((world) => world.remove()));
    for (const restore of this.restores.splice(0)) {
      restore();
    }
  }

  async remove(): Promise<void> {
    this.direct.destroy();
    await this.proxy.stop();
    await this.store.stop();
    rmSync(this.temporary, { recursive: true, force: true });
  }

  /** The content of an object. */
  content(key: string): string {
    return this.bytes(key).toString();
  }

  bytes(key: string): Buffer {
    return readFileSync(join(this.store.buckets, bucket, key));
  }

  /** An object of somebody else, who sends it to the store directly. */
  async write(key: string, content: string): Promise<void> {
    await this.direct.putObject({ Bucket: bucket, Key: key, Body: content });
  }

  /** Removes an object without a request to the proxy. */
  async delete(key: string): Promise<void> {
    await this.direct.deleteObject({ Bucket: bucket, Key: key });
  }

  /** Keys of all objects. */
  keys(): string[] {
    const root = join(this.store.buckets, bucket);
    return readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes(".sgwtmp"))
      .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1))
      .sort();
  }

  /** Makes all objects older. */
  letPass(milliseconds: number): void {
    for (const key of this.keys()) {
      const path = join(this.store.buckets, bucket, key);
      const time = (statSync(path).mtimeMs - milliseconds) / 1000;
      utimesSync(path, time, time);
    }
  }

  /** Number of multipart uploads that have not ended. */
  openUploads(): number {
    return this.uploadFolders().length;
  }

  private uploadFolders(): string[] {
    const root = join(this.store.buckets, bucket, ".sgwtmp", "multipart");
    const keys = existsSync(root) ? readdirSync(root) : [];
    return keys.flatMap((key) => readdirSync(join(root, key)).map((upload) => join(root, key, upload)));
  }

  /** Temporary files of exports in the program's folder, and all files in the system's but the folders of the tests. */
  leftovers(folder = this.worlds.at(-1)?.folder ?? ""): string[] {
    const ours = readdirSync(folder).filter((name) => name.startsWith(".webextract-"));
    return [...ours, ...readdirSync(this.temporary).filter((name) => !name.startsWith("webextract-"))];
  }
}
