import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { ServiceClient } from "../../../src/service";
import type { TokenService } from "./tokenService";
import { startTokenService } from "./tokenService";

const run = promisify(execFile);

describe("tokens shared between processes and machines", function () {
  this.timeout(180_000);
  let service: TokenService;
  let folder: string;
  beforeEach(async () => {
    service = await startTokenService();
    folder = mkdtempSync(join(tmpdir(), "webextract-shared-"));
  });
  afterEach(async () => {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });
  let built: string;
  /** The program of each process, as one file: the start of a process with tsx takes three times as long. */
  const program = (): string => join(built, "test", "service", "processClient.js");
  before(async () => {
    built = mkdtempSync(join(tmpdir(), "webextract-client-"));
    // Two folders above the file, as for the sources.
    cpSync(join(__dirname, "../../../package.json"), join(built, "package.json"));
    const entryPoints = [join(__dirname, "processClient.ts")];
    await build({ entryPoints, outfile: program(), bundle: true, platform: "node", logLevel: "error" });
  });
  after(() => rmSync(built, { recursive: true, force: true }));

  const startProcess = (store: string, ...options: string[]) =>
    run(process.execPath, [program(), service.baseUrl, store, ...options]);
  const inProcess = async (...args: Parameters<typeof startProcess>) => (await startProcess(...args)).stdout;
  const callWith = async (options: { tokenStore: string; refreshToken: string }) => {
    const client = new ServiceClient({ baseUrl: service.baseUrl, maxRetries: 0, ...options });
    try {
      await client.startTask({ taskId: "t" });
      return client.describeCredentials().source;
    } finally {
      client.close();
    }
  };

  it("processes that start at the same time with the same refresh token make one refresh", async () => {
    const sources = await Promise.all([1, 2, 3, 4].map(() => inProcess(join(folder, "store"))));
    assert.equal(service.refreshes, 1);
    assert.deepEqual(sources.sort(), ["refreshToken", "storedToken", "storedToken", "storedToken"]);
  });

  it("six processes continue after the process that holds the lock was killed, with one refresh", async () => {
    const store = join(folder, "store");
    const first = startProcess(store);
    await new Promise<void>((resolve) => {
      // The killed process gets no response.
      service.onRefresh = () => {
        service.onRefresh = undefined;
        resolve();
        return true;
      };
    });
    first.child.kill("SIGKILL");
    await assert.rejects(first);
    const [lock = ""] = readdirSync(store).filter((name) => name.endsWith(".lock"));
    // As old as a lock that its process has not renewed for a while. Before the others begin: on a busy machine, one of them could hold the lock by now.
    utimesSync(join(store, lock), new Date(0), new Date(0));
    const sources = Promise.all(Array.from({ length: 6 }, () => inProcess(store)));
    assert.deepEqual((await sources).sort(), ["refreshToken", ...Array(5).fill("storedToken")]);
    assert.equal(service.refreshes, 1);
  });

  it("a program that handles a signal once is not ended by the lock of the store", async () => {
    assert.equal(await inProcess(join(folder, "store"), "--signal"), "refreshToken");
  });

  it("an ephemeral runner continues with the tokens of the last runner if the store is saved and restored around the run", async () => {
    await callWith({ tokenStore: join(folder, "runner-1"), refreshToken: "refresh-0" });
    cpSync(join(folder, "runner-1"), join(folder, "cache"), { recursive: true });
    service.access.clear();
    cpSync(join(folder, "cache"), join(folder, "runner-2"), { recursive: true });
    assert.equal(await callWith({ tokenStore: join(folder, "runner-2"), refreshToken: "refresh-0" }), "refreshToken");
    assert.equal(service.refreshes, 2);
  });

  it("an ephemeral runner without the saved store gets an error that says that the token was rotated elsewhere", async () => {
    await callWith({ tokenStore: join(folder, "runner-1"), refreshToken: "refresh-0" });
    service.access.clear();
    await assert.rejects(callWith({ tokenStore: join(folder, "runner-2"), refreshToken: "refresh-0" }), {
      kind: "credential",
      message: /rotated elsewhere \(another machine, job or token store used it\)/,
    });
  });
});
