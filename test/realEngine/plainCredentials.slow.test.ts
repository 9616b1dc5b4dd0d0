import assert from "node:assert/strict";
import { World } from "./world";

const plain = { apiKey: "plain-api-key-4711", accessToken: "plain-token-4712" };
const path = 'webextract:profiles["my.eu"].accessToken';

describe("credentials that are plain text in the configuration, on the engine", () => {
  let world: World;
  before(async () => {
    world = await World.create({
      program: `
new TaskCopy("copy", { adoptTaskId: "template-1" });
new TaskCopy("other", { adoptTaskId: "template-1", profile: "my.eu" });`,
    });
  });
  after(() => world.remove());

  const set = (...args: string[]): Promise<unknown> => world.project.run(["config", "set", ...args]);
  const warnings = async (): Promise<string[]> => {
    const { diagnostics = [] } = await world.project.previewJson();
    return diagnostics.filter(({ severity }) => severity === "warning").map(({ message }) => message);
  };

  it("are named once with the commands that encrypt them, and no longer after these commands", async () => {
    await set("--plaintext", "webextract:apiKey", plain.apiKey);
    await set("--path", 'webextract:profiles["my.eu"].baseUrl', world.emulator.url);
    await set("--plaintext", "--path", path, plain.accessToken);
    const [warning = "", ...others] = await warnings();
    assert.deepEqual(others, []);
    assert.ok(warning.includes("  pulumi config set --secret webextract:apiKey\n"), warning);
    assert.ok(warning.includes("  pulumi config set --secret webextract:profiles\n"), warning);
    for (const value of Object.values(plain)) {
      assert.ok(!warning.includes(value));
    }
    await set("--secret", "webextract:apiKey", plain.apiKey);
    const profiles = { "my.eu": { baseUrl: world.emulator.url, accessToken: plain.accessToken } };
    await world.project.run(["config", "rm", "webextract:profiles"]);
    await set("--secret", "webextract:profiles", JSON.stringify(profiles));
    assert.deepEqual(await warnings(), []);
  });
});
