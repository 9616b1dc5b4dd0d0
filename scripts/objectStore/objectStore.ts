import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ensureObjectStore } from "./ensureObjectStore";

/** An account of the store. */
export interface Account {
  accessKeyId: string;
  secretAccessKey: string;
}

/** May do everything. */
export const owner: Account = { accessKeyId: "store-owner", secretAccessKey: "owner-secret-4f1d9c" };
/** May do what the policy of a bucket allows. */
export const guest: Account = { accessKeyId: "store-guest", secretAccessKey: "guest-secret-a07b35" };

/** A Java program needs minutes on a busy machine. */
const startedWithinMs = 300_000;
const lookEveryMs = 20;
const mostStarts = 5;

/** A running S3-compatible store with two accounts. Each folder in `buckets` is a bucket, and each file in it an object. */
export class ObjectStore {
  private constructor(
    private readonly process: ChildProcess,
    private readonly folder: string,
    readonly port: number,
  ) {}

  static async start(): Promise<ObjectStore> {
    const program = await ensureObjectStore();
    const folder = mkdtempSync(join(tmpdir(), "webextract-store-"));
    mkdirSync(join(folder, "accounts"));
    mkdirSync(join(folder, "buckets"));
    mkdirSync(join(folder, "versions"));
    const { accessKeyId: access, secretAccessKey: secret } = guest;
    const accounts = { accessAccounts: { [access]: { access, secret, role: "user" } } };
    writeFileSync(join(folder, "accounts", "users.json"), JSON.stringify(accounts));
    const { process, port } = await startOnPort(program, (free) => startProgram(program, folder, free));
    return new ObjectStore(process, folder, port);
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get buckets(): string {
    return join(this.folder, "buckets");
  }

  /** Without a request: a folder is a bucket. */
  addBucket(name: string): void {
    mkdirSync(join(this.buckets, name));
  }

  /** Removes everything that is in the store. */
  async stop(): Promise<void> {
    if (this.process.exitCode === null) {
      this.process.kill("SIGKILL");
      await once(this.process, "exit");
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/**
 * Starts a server that cannot choose a port and tell it.
 * @param title for the error
 * @param start gets a port that was free
 */
export async function startOnPort(
  title: string,
  start: (port: number) => ChildProcess,
): Promise<{ process: ChildProcess; port: number }> {
  for (let starts = 1; ; starts++) {
    const port = await freePort();
    const started = start(port);
    // A test that crashes must not leave it behind.
    const kill = (): boolean => started.kill("SIGKILL");
    process.once("exit", kill);
    started.once("exit", () => process.removeListener("exit", kill));
    if (await isListening(started, port)) {
      return { process: started, port };
    }
    if (starts === mostStarts) {
      throw new Error(`${title} does not start`);
    }
  }
}

function startProgram(program: string, folder: string, port: number): ChildProcess {
  const options = ["--port", `127.0.0.1:${port}`, "--iam-dir", join(folder, "accounts"), "--keep-alive", "--quiet"];
  const env = { ...process.env, ROOT_ACCESS_KEY: owner.accessKeyId, ROOT_SECRET_KEY: owner.secretAccessKey };
  const backend = ["posix", "--versioning-dir", join(folder, "versions"), join(folder, "buckets")];
  return spawn(program, [...options, ...backend], { env, stdio: "ignore" });
}

/** False if it has ended, for example because another program has taken the port. */
async function isListening(store: ChildProcess, port: number): Promise<boolean> {
  const until = Date.now() + startedWithinMs;
  while (store.exitCode === null && Date.now() < until) {
    if (await accepts(port)) {
      return store.exitCode === null;
    }
    await pause(lookEveryMs);
  }
  store.kill("SIGKILL");
  return false;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("close", () => undefined);
    socket.once("connect", () => socket.destroy());
  });
}

/** Outside of the range from which the system takes ports: else another program could get it before the store does. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 30_000);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
