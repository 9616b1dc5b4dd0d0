import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { claims } from "../../internals/service";
import { operationOf, refusal } from "../../resources/export/s3/faultyProxy";
import { SharedStoreWorld } from "./storeWorld";
import type { TokenService } from "./tokenService";
import { startTokenService } from "./tokenService";

const run = promisify(execFile);
const startToken = "refresh-of-the-team-0123456789";

describe("machines that share a chain of refresh tokens, of which each is accepted once", function () {
  this.timeout(600_000);
  let shared: SharedStoreWorld;
  let service: TokenService;
  let folder: string;
  const program = (): string => join(folder, "test", "service", "process.js");
  before(async function () {
    this.timeout(900_000);
    shared = await SharedStoreWorld.start();
    folder = mkdtempSync(join(tmpdir(), "webextract-process-"));
    // Two folders above the program, as for the sources. The SDK comes from the present folder.
    cpSync(join(__dirname, "../../../package.json"), join(folder, "package.json"));
    const entryPoints = [join(__dirname, "storeProcess.ts")];
    await build({ entryPoints, outfile: program(), bundle: true, platform: "node", logLevel: "error" });
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    await shared.stop();
  });
  beforeEach(async () => {
    await shared.begin();
    service = await startTokenService();
    service.refresh = new Set([startToken]);
  });
  afterEach(async () => {
    shared.end();
    await service.close();
  });

  /** Each one has a home of its own. */
  const machine = (times: number) => {
    const home = mkdtempSync(join(tmpdir(), "webextract-machine-"));
    const args = [program(), service.baseUrl, shared.address, startToken, String(times)];
    const env = { ...process.env, ...shared.environment(), HOME: home, XDG_STATE_HOME: join(home, "state") };
    const started = run(process.execPath, args, { env });
    void started.finally(() => rmSync(home, { recursive: true, force: true })).catch(() => undefined);
    return started;
  };

  it("six of them renew it 60 times, through lost responses and 503, and send none twice", async () => {
    let count = 0;
    shared.proxy.fate = (each) => {
      count += operationOf(each) === "PutObject" ? 1 : 0;
      if (operationOf(each) !== "PutObject") return "pass";
      return count % 11 === 0 ? "lost" : count % 13 === 0 ? refusal(503, "SlowDown") : "pass";
    };
    await Promise.all(Array.from({ length: 6 }, () => machine(10)));
    assert.deepEqual([service.refreshes, service.refused], [60, []]);
  });

  it("goes on after one was killed with its claim, when its time has passed for the store, and loses no token", async () => {
    await machine(1);
    const claimed = new Promise<void>((resolve) => {
      let writes = 0;
      shared.proxy.fate = (each) => {
        writes += operationOf(each) === "PutObject" && each.path.includes("/tokens/") ? 1 : 0;
        if (writes === 0) return "pass";
        // The response to the claim is lost with the machine.
        resolve();
        return "lost";
      };
    });
    const killed = machine(1);
    await claimed;
    killed.child.kill("SIGKILL");
    await assert.rejects(killed);
    shared.proxy.reset();
    shared.letPass(claims.lastMs / 1000 + 5);
    await Promise.all([machine(3), machine(3)]);
    assert.deepEqual([service.refreshes, service.refused], [7, []]);
  });
});
