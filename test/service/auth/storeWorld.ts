import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { S3 } from "@aws-sdk/client-s3";
import type { Account } from "../../../scripts/objectStore/objectStore";
import { owner } from "../../../scripts/objectStore/objectStore";
import { setEnvironment } from "../../environment";
import { FaultyProxy } from "../../resources/export/s3/faultyProxy";
import type { StoreKind, TestStore } from "../../resources/export/s3/storeKinds";
import { S3TestStore, s3Kind, storeEnvironment } from "../../resources/export/s3/storeKinds";

/** The object store that the machines of a test share, behind a proxy with faults. */
export class SharedStoreWorld {
  readonly address: string;
  private readonly folder = mkdtempSync(join(tmpdir(), "webextract-shared-store-"));
  private restore: (() => void) | undefined;

  private constructor(
    kind: StoreKind,
    private readonly any: TestStore,
    readonly proxy: FaultyProxy,
  ) {
    this.address = `${kind.scheme}://team-bucket/state/prod`;
    proxy.guard = any.guard?.bind(any);
  }

  static async start(kind = s3Kind): Promise<SharedStoreWorld> {
    const store = await kind.start();
    return new SharedStoreWorld(kind, store, await FaultyProxy.start(store.port));
  }

  /** Before each test: an empty bucket, no fault, and the environment of a process that uses the store. */
  async begin(): Promise<void> {
    this.proxy.reset();
    await this.any.empty("team-bucket");
    this.restore = setEnvironment(this.environment());
  }

  end(): void {
    this.restore?.();
  }

  /** @param account of S3 */
  environment(account: Account = owner): NodeJS.ProcessEnv {
    const { endpoint } = this.proxy;
    return this.any instanceof S3TestStore
      ? storeEnvironment(endpoint, account, this.folder)
      : this.any.environment(endpoint, this.folder);
  }

  async stop(): Promise<void> {
    await this.proxy.stop();
    await this.any.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** As another program does, in S3. */
  async direct(request: (client: S3) => Promise<unknown>): Promise<void> {
    if (this.any instanceof S3TestStore) await request(this.any.direct);
  }

  /** Lets time pass for the store: what it has is older. */
  letPass(seconds: number): void {
    if (!(this.any instanceof S3TestStore)) {
      this.proxy.letPass(seconds * 1_000);
      return;
    }
    const bucket = join(this.any.store.buckets, "team-bucket");
    for (const each of readdirSync(bucket, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())) {
      const path = join(each.parentPath, each.name);
      const time = statSync(path).mtimeMs / 1000 - seconds;
      utimesSync(path, time, time);
    }
  }

  /** The keys of all objects, and their contents. */
  async objects(): Promise<Map<string, string>> {
    const found = await this.any.objects("team-bucket");
    return new Map([...found].map(([key, body]) => [key, body.toString("latin1")]));
  }

  async write(key: string, content: string): Promise<void> {
    await this.any.write("team-bucket", key, content);
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
