import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { startEmulator } from "webextract-emulator";
import { ensureSchemathesis } from "../../../scripts/contract/ensureSchemathesis";
import { eachTest } from "../../../test/eachTest";

const run = promisify(execFile);
const root = join(__dirname, "../../..");

describe("the example of tests with pytest", () => {
  let python: string;
  const emulator = eachTest(() => startEmulator({ adminToken: "token" }));
  before(async function () {
    this.timeout(300_000);
    // Its virtual environment has pytest.
    python = join(dirname(await ensureSchemathesis(process.env, () => undefined)), "python");
  });

  async function pytest(env: NodeJS.ProcessEnv): Promise<string> {
    const args = ["-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", join(root, "examples/emulator/pytest")];
    const result = await run(python, args, { env: { ...process.env, ...env } }).catch((error: unknown) => error);
    return String((result as { stdout: string }).stdout);
  }
  const shared = () => ({ WEBEXTRACT_EMULATOR_URL: emulator.url, WEBEXTRACT_EMULATOR_ADMIN_TOKEN: "token" });

  it("passes with an emulator that runs", async () => {
    assert.match(await pytest(shared()), /2 passed/);
    assert.equal(emulator.requests.length, 1, "of the last test");
  }).timeout(60_000);

  it("passes in an account of its own, as a worker of pytest-xdist, which leaves no account", async () => {
    const workers = ["gw0", "gw1"].map((worker) => pytest({ ...shared(), PYTEST_XDIST_WORKER: worker }));
    for (const printed of await Promise.all(workers)) assert.match(printed, /2 passed/);
    assert.deepEqual([emulator.requests, emulator.accounts], [[], []]);
  }).timeout(60_000);

  it("passes with an emulator that it starts", async () => {
    const program = join(root, "emulator/bin/webextract-emulator.js");
    assert.match(await pytest({ WEBEXTRACT_EMULATOR: program, WEBEXTRACT_EMULATOR_URL: "" }), /2 passed/);
  }).timeout(60_000);

  it("passes with an emulator that the main process of pytest-xdist starts for all workers", async () => {
    const folder = mkdtempSync(join(tmpdir(), "webextract-pytest-"));
    // In the place of pytest-xdist: its option, with the worker in the main process.
    const plugin = "def pytest_addoption(parser):\n    parser.addoption('--workers', dest='numprocesses', default=2)\n";
    writeFileSync(join(folder, "workers.py"), plugin);
    const program = join(root, "emulator/bin/webextract-emulator.js");
    const env = { WEBEXTRACT_EMULATOR: program, WEBEXTRACT_EMULATOR_URL: "", PYTEST_XDIST_WORKER: "gw0" };
    assert.match(await pytest({ ...env, PYTHONPATH: folder, PYTEST_PLUGINS: "workers" }), /2 passed/);
    rmSync(folder, { recursive: true });
  }).timeout(60_000);

  it("says why it cannot start an emulator", async () => {
    const printed = await pytest({ WEBEXTRACT_EMULATOR: join(root, "none.js"), WEBEXTRACT_EMULATOR_URL: "" });
    assert.match(printed, /the emulator did not start: .*Cannot find module/s);
  }).timeout(60_000);
});
