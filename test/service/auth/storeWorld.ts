import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { S3 } from "@aws-sdk/client-s3";
import type { Account } from "../../../scripts/objectStore/objectStore";
import { ObjectStore, owner } from "../../../scripts/objectStore/objectStore";
import { setEnvironment } from "../../environment";
import { FaultyProxy } from "../../resources/export/s3/faultyProxy";
import { storeEnvironment } from "../../resources/export/s3/storeKinds";

/** The object store that the machines of a test share, behind a proxy with faults. */
export class SharedStoreWorld {
  readonly address = "s3://team-bucket/state/prod";
  private readonly folder = mkdtempSync(join(tmpdir(), "webextract-shared-store-"));
  private restore: (() => void) | undefined;

  private constructor(
    readonly store: ObjectStore,
    readonly proxy: FaultyProxy,
  ) {}

  static async start(): Promise<SharedStoreWorld> {
    const store = await ObjectStore.start();
    return new SharedStoreWorld(store, await FaultyProxy.start(store.port));
  }

  /** Before each test: an empty bucket, no fault, and the environment of a process that uses the store. */
  begin(): void {
    this.proxy.reset();
    rmSync(this.bucket, { recursive: true, force: true });
    mkdirSync(this.bucket);
    this.restore = setEnvironment(this.environment());
  }

  end(): void {
    this.restore?.();
  }

  environment(account: Account | undefined = owner): NodeJS.ProcessEnv {
    return storeEnvironment(this.proxy.endpoint, account, this.folder);
  }

  async stop(): Promise<void> {
    await this.proxy.stop();
    await this.store.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** As another program does. */
  async direct(request: (client: S3) => Promise<unknown>): Promise<void> {
    const { endpoint } = this.store;
    const client = new S3({ endpoint, region: "us-east-1", credentials: owner, forcePathStyle: true });
    await request(client);
    client.destroy();
  }

  /** Lets time pass for the store: what it has is older. */
  letPass(seconds: number): void {
    for (const key of this.objects().keys()) {
      const path = join(this.bucket, key);
      const time = statSync(path).mtimeMs / 1000 - seconds;
      utimesSync(path, time, time);
    }
  }

  get bucket(): string {
    return join(this.store.buckets, "team-bucket");
  }

  /** The keys of all objects, and their contents. */
  objects(): Map<string, string> {
    const files = readdirSync(this.bucket, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    const paths = files.map(({ parentPath, name }) => join(parentPath, name));
    return new Map(paths.map((path) => [path.slice(this.bucket.length + 1), readFileSync(path, "latin1")]));
  }
}

/** A store in this process that ignores all conditions, as s3rver does. */
export async function startCarelessStore(): Promise<{ endpoint: string; objects: Map<string, Buffer>; stop(): void }> {
  const objects = new Map<string, Buffer>();
  const server = http.createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://store");
      const found = objects.get(pathname);
      if (request.method === "PUT") objects.set(pathname, Buffer.concat(pieces));
      if (request.method === "DELETE") objects.delete(pathname);
      const etag = createHash("md5")
        .update(objects.get(pathname) ?? "")
        .digest("hex");
      if (searchParams.has("list-type")) {
        response.end(`<ListBucketResult><Name>${pathname.split("/")[1]}</Name></ListBucketResult>`);
      } else if (request.method === "GET" && found === undefined) {
        response.writeHead(404).end("<Error><Code>NoSuchKey</Code></Error>");
      } else {
        response.writeHead(200, { etag, "last-modified": new Date().toUTCString() }).end(found);
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, objects, stop };
}
