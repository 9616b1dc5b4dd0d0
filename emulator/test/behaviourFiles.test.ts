import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultBehaviour, documentedBehaviour } from "webextract-emulator";
import { emulator } from "./emulatorProcess";

describe("webextract-emulator --behaviours", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "emulator-behaviours-"));
  });
  after(() => rmSync(folder, { recursive: true }));

  const fileOf = (content: string): string => {
    const file = join(folder, "behaviours.yaml");
    writeFileSync(file, content);
    return file;
  };

  it("behaves as the file says, and an option --behaviour goes before it", async () => {
    const file = fileOf('behaviour:\n  errorBody: "legacy" # or html\n  expiredToken: "status403"\n');
    const running = emulator("--port", "0", "--behaviours", file, "--behaviour", "expiredToken=status400");
    const url = await running.says(/webextract:baseUrl (http:\S+)/);
    const response = await fetch(`${url}/data/all`, { headers: { authorization: "Bearer wrong" } });
    assert.equal(response.status, 400);
    assert.equal(((await response.json()) as { error: unknown }).error, "Invalid.Token");
    running.process.kill("SIGTERM");
    await running.ended;
  });

  it("has all documented behaviours under their name", async () => {
    const running = emulator("--port", "0", "--behaviours", "documented");
    const url = await running.says(/webextract:baseUrl (http:\S+)/);
    const response = await fetch(`${url}/__emulator/behaviour`);
    assert.deepEqual(await response.json(), { ...defaultBehaviour(), ...documentedBehaviour });
    running.process.kill("SIGTERM");
    await running.ended;
  });

  for (const [content, problem] of [
    ["behaviour:\n  errorBdy: legacy\n", /line 2, column 3: behaviour\.errorBdy is not known/],
    ["behaviour:\n  errorBody: none\n", /line 2, column 14: behaviour\.errorBody must be one of envelope, legacy/],
    ["errorBody: legacy\n", /line 1, column 1: errorBody is not known here: indent it below a line behaviour:/],
    ["faults: []\n", /the file has no behaviour: a map of behaviours and their values/],
    ["behaviour: {}\nfaults: [{operation: getData, kind: reset}]\n", /the file has faults: use --faults/],
  ] as const) {
    it(`refuses ${JSON.stringify(content)}, with the place`, async () => {
      const running = emulator("--port", "0", "--behaviours", fileOf(content));
      await running.says(problem);
      assert.equal(await running.ended, 1);
    });
  }
});
