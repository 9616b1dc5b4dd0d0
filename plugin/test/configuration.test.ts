import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allTests } from "../../test/eachTest";
import { setEnvironment } from "../../test/environment";
import { unknownText } from "../../test/program/inProcess";
import { PluginWorld, secret } from "./pluginClient";

describe("the configuration of the native plugin", () => {
  const world = allTests(() => PluginWorld.create());

  const failuresOf = async (news: Record<string, unknown>) => (await world.checkConfig(news)).failures;
  const baseUrl = "https://service.test";

  it("is refused with all problems, each with its key, and without a credential", async () => {
    const failures = await failuresOf({
      baseUrl: "ftp://x.test",
      maxRetries: "many",
      accessTokn: "secret-1",
      apiKey: secret(""),
    });
    assert.deepEqual(failures.map((each) => each.slice(0, 60)).sort(), [
      ": webextract:accessTokn is not known. Known: baseUrl, access",
      ": webextract:baseUrl must begin with https://.",
      ": webextract:maxRetries must be an integer of at least 0; go",
    ]);
    assert.match((await failuresOf({})).join(), /webextract:baseUrl is missing\. Set it with/);
    const { failures: declared } = await world.checkConfig({}, "declared");
    assert.deepEqual(declared, [
      ": webextract:baseUrl is missing. Give the provider the argument baseUrl, or set WEBEXTRACT_BASE_URL.",
    ]);
  });

  it("is refused with the key that has the value, also if a profile takes it from the top level", async () => {
    const profiles = { a: { apiKey: "k", baseUrl: "ftp://a.test" }, b: { apiKey: "k" } };
    assert.deepEqual((await failuresOf({ baseUrl: "ftp://x.test", pageSize: 0, profiles })).sort(), [
      ": webextract:baseUrl must begin with https://.",
      ': webextract:pageSize must be an integer of at least 1; got "0".',
      ": webextract:profiles.a.baseUrl must begin with https://.",
    ]);
  });

  it("can have values that are no strings, and values that are not known yet", async () => {
    const lists = {
      baseUrl,
      actionTypes: ["A", "B"],
      maxRetries: 3,
      allowInsecureHttp: true,
      profiles: { a: { accessToken: "t" } },
    };
    assert.deepEqual(await failuresOf(lists), []);
    assert.deepEqual(await failuresOf({ baseUrl: unknownText, accessToken: unknownText, version: "0.1.0" }), []);
  });

  it("names the variables that nothing reads, unless the classes of the program have done it", async () => {
    const restore = setEnvironment({ WEBEXTRACT_NIGHTS: "1" });
    const before = process.cwd();
    const folder = mkdtempSync(join(tmpdir(), "runtime-"));
    try {
      process.chdir(folder);
      for (const [runtime, count] of Object.entries({ nodejs: 0, yaml: 1, python: 1 })) {
        writeFileSync("Pulumi.yaml", `name: x\nruntime: ${runtime}\n`);
        world.warnings.length = 0;
        await world.checkConfig({ baseUrl, native: "true" });
        assert.equal(world.warnings.filter((text) => text.includes("WEBEXTRACT_NIGHTS")).length, count, runtime);
      }
    } finally {
      process.chdir(before);
      rmSync(folder, { recursive: true });
      restore();
    }
  });

  it("keeps credentials secret, also if the program gives them in plain text", async () => {
    const { inputs } = await world.checkConfig({ baseUrl, accessToken: "plain-token", tokenStore: "store" });
    assert.deepEqual(inputs, { baseUrl, accessToken: secret("plain-token"), tokenStore: "store" });
  });
});

describe("a provider that the program declares", () => {
  it("refuses a profile, and has the address of its own", async () => {
    const world = await PluginWorld.create({ provider: "other" });
    try {
      const { failures } = await world.check("TaskCopy", { adoptTaskId: "task-1", profile: "a" });
      assert.match(failures.join(), /^profile: is given, and the resource has a provider of its own/);
      const made = await world.create("TaskCopy", await world.checked("TaskCopy", { adoptTaskId: "task-1" }));
      assert.equal(made.state.origin, world.emulator.url);
      const elsewhere = { ...made, state: { ...made.state, origin: "https://before.test" } };
      await assert.rejects(
        world.diff("TaskCopy", elsewhere, made.inputs),
        /webextract:movedFrom https:\/\/before\.test/,
      );
    } finally {
      await world.remove();
    }
  });

  for (const [provider, config, isDeclared] of [
    ["default", {}, false],
    ["default_0_1_0", { version: "0.1.0" }, false],
    ["default_1_0_0_alpha_1_x", { version: "1.0.0-alpha.1+x" }, false],
    ["default_0_1_0_https___plugins_test", { version: "0.1.0" }, false],
    ["default", { version: "0.1.0" }, true],
    ["default_shop", {}, true],
    ["default_shop", { version: "0.1.0" }, true],
    ["default_0_1_0_shop", { version: "0.1.0" }, true],
  ] as const) {
    it(`is ${isDeclared ? "" : "not "}${provider} with ${JSON.stringify(config)}`, async () => {
      const world = await PluginWorld.create({ provider, config });
      try {
        const { failures } = await world.check("TaskCopy", { adoptTaskId: "task-1", profile: "a" });
        assert.equal(/a provider of its own/.test(failures.join()), isDeclared, failures.join());
      } finally {
        await world.remove();
      }
    });
  }

  it("does not change a resource of an earlier address before movedFrom names it", async () => {
    const world = await PluginWorld.create({ provider: "other", config: { movedFrom: "https://before.test" } });
    try {
      const made = await world.create("TaskCopy", await world.checked("TaskCopy", { adoptTaskId: "task-1" }));
      const moved = { ...made, state: { ...made.state, origin: "https://before.test" } };
      assert.equal((await world.diff("TaskCopy", moved, made.inputs)).changes, "some");
    } finally {
      await world.remove();
    }
  });
});
