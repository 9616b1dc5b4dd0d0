import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { S3 } from "@aws-sdk/client-s3";
import sinon from "sinon";
import type { Account, ObjectStore } from "../../../../scripts/objectStore/objectStore";
import { owner } from "../../../../scripts/objectStore/objectStore";
import { setEnvironment } from "../../../environment";
import type { ConfigKey } from "../../../internals/config";
import { limits } from "../../../internals/resources";
import { World } from "../../life";
import { FaultyProxy } from "./faultyProxy";
import type { StoreKind, TestStore } from "./storeKinds";
import { S3TestStore, s3Kind, storeEnvironment } from "./storeKinds";

export const bucket = "rows-bucket";

/** 12 rows of 12 MiB, which are sent in parts. */
export function addLargeRows({ emulator }: World): string[] {
  const text = "x".repeat(1024 * 1024);
  const rows = Array.from({ length: 12 }, (_, index) => JSON.stringify({ index, text }));
  emulator.change.insertRows("task-1", rows);
  return rows;
}

/** Gives each test of a `describe` the store, and a world with this configuration. */
export function eachOnStore(
  { kind = s3Kind, config }: { kind?: StoreKind; config?: StoreConfig },
  begin: (s3: S3World, world: World) => void,
): void {
  let s3: S3World;
  before(async function () {
    // The store is built once on a machine that does not have it.
    this.timeout(900_000);
    s3 = await S3World.create(kind);
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

  private constructor(
    readonly any: TestStore,
    readonly proxy: FaultyProxy,
  ) {
    proxy.guard = any.guard?.bind(any);
  }

  static async create(kind = s3Kind): Promise<S3World> {
    const store = await kind.start();
    return new S3World(store, await FaultyProxy.start(store.port));
  }

  /** Of the tests of S3 alone. */
  private get ofS3(): S3TestStore {
    if (!(this.any instanceof S3TestStore)) throw new Error("This world has another store.");
    return this.any;
  }

  get store(): ObjectStore {
    return this.ofS3.store;
  }

  get direct(): S3 {
    return this.ofS3.direct;
  }

  /** Before each test: an empty bucket and no fault. */
  async begin(config: StoreConfig = {}, account: Account | undefined = owner): Promise<World> {
    this.proxy.reset();
    await this.any.empty(bucket);
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
    const { endpoint } = this.proxy;
    const store =
      this.any instanceof S3TestStore
        ? storeEnvironment(endpoint, account, this.temporary)
        : this.any.environment(endpoint, this.temporary);
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
    await this.proxy.stop();
    await this.any.stop();
    rmSync(this.temporary, { recursive: true, force: true });
  }

  /** The keys of all objects, in any store. */
  async names(): Promise<string[]> {
    return [...(await this.any.objects(bucket)).keys()].sort();
  }

  /** The content of an object, in any store. */
  async raw(key: string): Promise<Buffer> {
    return (await this.any.objects(bucket)).get(key) ?? assert.fail(`there is no ${key}`);
  }

  async text(key: string): Promise<string> {
    return (await this.raw(key)).toString();
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
    await this.any.write(bucket, key, content);
  }

  /** Removes an object without a request to the proxy. */
  async delete(key: string): Promise<void> {
    await this.any.delete(bucket, key);
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
    if (!(this.any instanceof S3TestStore)) {
      this.proxy.letPass(milliseconds);
      return;
    }
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
    // The other stores show none.
    if (!(this.any instanceof S3TestStore)) return [];
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
