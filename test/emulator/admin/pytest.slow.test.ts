import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { startEmulator } from "webextract-emulator";
import { ensureSchemathesis } from "../../../scripts/contract/ensureSchemathesis";

const run = promisify(execFile);

describe("the example of tests with pytest", () => {
  it("passes", async function () {
    this.timeout(300_000);
    // Its virtual environment has pytest.
    const bin = dirname(await ensureSchemathesis(process.env, () => undefined));
    const emulator = await startEmulator({ adminToken: "token" });
    const env = { ...process.env, WEBEXTRACT_EMULATOR_URL: emulator.url, WEBEXTRACT_EMULATOR_ADMIN_TOKEN: "token" };
    const folder = join(__dirname, "../../../examples/emulator/pytest");
    const args = ["-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", folder];
    const { stdout } = await run(join(bin, "python"), args, { env }).finally(() => emulator.close());
    assert.match(stdout, /2 passed/);
  });
});
