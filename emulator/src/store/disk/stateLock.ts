import { createHash } from "node:crypto";
import { existsSync, mkdirSync, realpathSync, unlinkSync } from "node:fs";
import type { Server } from "node:net";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";

/** Keeps other emulators of this machine away from a state file. */
export interface StateLock {
  /** The state file; if the given name is a link, the file to which it leads. SQLite names its log after the name by which it opens a file. */
  readonly file: string;
  release(): Promise<void>;
}

/**
 * Takes the lock of a state file. The lock is a listening socket, so it ends with the process, however that ends, and leaves nothing to clean up.
 * @throws Error if another emulator uses the file.
 */
export async function lockState(name: string): Promise<StateLock> {
  const file = existsSync(name) ? realpathSync(name) : name;
  const address = addressOf(file);
  const server = (await listen(address)) ?? ((await isAbandoned(address)) ? await listen(address) : undefined);
  if (server === undefined) {
    throw new Error(`another emulator uses the state file ${name}: stop it, or use another file`);
  }
  // The lock alone must not keep the process alive.
  server.unref();
  return { file, release: () => new Promise((released) => void server.close(() => released())) };
}

/** One address for each file. Linux and Windows have addresses that are not files. */
function addressOf(file: string): string {
  const folder = dirname(resolve(file));
  mkdirSync(folder, { recursive: true });
  const real = join(realpathSync(folder), basename(file));
  const name = `webextract-emulator-${createHash("sha256").update(real).digest("hex").slice(0, 32)}`;
  if (process.platform === "linux") return `\0${name}`;
  return process.platform === "win32" ? `\\\\.\\pipe\\${name}` : join(tmpdir(), name);
}

/** Resolves with undefined if the address is in use. */
function listen(address: string): Promise<Server | undefined> {
  return new Promise((listening, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") listening(undefined);
      else reject(error);
    });
    server.listen(address, () => listening(server));
  });
}

/** Removes the socket file of a process that was killed. Only systems without other addresses have such files. */
async function isAbandoned(address: string): Promise<boolean> {
  if (!existsSync(address)) return false;
  const connected = await new Promise<boolean>((tried) => {
    const socket = connect(address, () => tried(true)).once("error", () => tried(false));
    socket.once("close", () => socket.destroy());
  });
  if (!connected) unlinkSync(address);
  return !connected;
}
