import assert from "node:assert/strict";
import { configKeys, parseConfig, unknownKeys } from "./internals/config";

const parse = (config: Record<string, string>, environment: NodeJS.ProcessEnv = {}) =>
  parseConfig((key) => config[key], environment);

describe("configuration", () => {
  it("takes the environment where the configuration is silent", () => {
    const { config, problems } = parse(
      { baseUrl: "https://one.test", accessToken: "a" },
      { WEBEXTRACT_BASE_URL: "https://two.test", WEBEXTRACT_API_KEY: "k" },
    );
    assert.deepEqual(problems, []);
    const { baseUrl, accessToken, apiKey } = config.clientOptions(undefined);
    assert.deepEqual([baseUrl, accessToken, apiKey], ["https://one.test", "a", "k"]);
  });

  it("names every problem with its key and what is allowed, and never the value", () => {
    const { problems } = parse(
      {
        baseUrl: "ftp://hunter2.test",
        markScope: "hunter2",
        maxRetries: "hunter2",
        statuses: '["hunter2"]',
        timeoutSeconds: "-1",
      },
      { WEBEXTRACT_ALLOW_INSECURE_HTTP: "hunter2" },
    );
    assert.deepEqual(problems.sort(), [
      "WEBEXTRACT_ALLOW_INSECURE_HTTP must be true or false.",
      "webextract:baseUrl must begin with https://.",
      "webextract:markScope must be task or returned.",
      "webextract:maxRetries must be a number.",
      'webextract:statuses must be lists of words named finished, failed and stopped: {"finished": ["done"]}.',
      "webextract:timeoutSeconds must be a number of at least 0.001.",
    ]);
  });

  it("says how to set the base address where it is missing", () => {
    assert.match(parse({}).problems.join(), /^webextract:baseUrl is missing. Set it with: pulumi config set/);
  });

  it("knows its keys", () => {
    assert.deepEqual(unknownKeys(["baseUrl", "baseURL", "profiles", "constructor"]), ["baseURL", "constructor"]);
    const variables = Object.values(configKeys).map(({ environment }) => environment);
    assert.equal(new Set(variables).size, variables.length);
  });

  it("never lends credentials from the top level to a profile", () => {
    const profiles = JSON.stringify({ other: { accessToken: "b" }, elsewhere: { baseUrl: "https://two.test" } });
    const { config, problems } = parse({ baseUrl: "https://one.test", accessToken: "a", apiKey: "k", profiles });
    assert.deepEqual(problems, []);
    const { baseUrl, accessToken, apiKey } = config.clientOptions("other");
    assert.deepEqual([baseUrl, accessToken, apiKey], ["https://one.test", "b", undefined]);
    assert.equal(config.clientOptions("elsewhere").accessToken, undefined);
    assert.throws(() => config.clientOptions("third"), /no profile "third".*Known: other, elsewhere/);
  });

  it("refuses unknown fields of a profile", () => {
    const profiles = JSON.stringify({ other: { baseUrl: "https://one.test", token: "b" } });
    assert.match(
      parse({ profiles }).problems.join(),
      /^webextract:profiles.other.token is not known. Known: baseUrl, /,
    );
  });

  it("counts what lifts a refusal from the configuration and from the environment", () => {
    const { config } = parse(
      { baseUrl: "https://one.test", forceDestroy: "task-1", movedFrom: "https://old.test/path" },
      { WEBEXTRACT_FORCE_DESTROY: '["task-2"]', WEBEXTRACT_MOVED_FROM: "https://older.test" },
    );
    const { forceDestroy } = config.settings;
    assert.deepEqual(["task-1", "task-2", "task-3"].map(forceDestroy), [true, true, false]);
    assert.deepEqual(config.movedFrom, ["https://old.test", "https://older.test"]);
  });

  it("takes true and false as they are usually written for forceDestroy, and no other such word for a task", () => {
    const forced = (raw: string) => parse({ baseUrl: "https://one.test" }, { WEBEXTRACT_FORCE_DESTROY: raw });
    for (const [raw, expected] of [
      ["TRUE", true],
      ["True", true],
      ["False", false],
      ["task-1, TRUE-2", true],
      ['["task-1", "yes"]', true],
    ] as const) {
      const { config, problems } = forced(raw);
      assert.deepEqual([config.settings.forceDestroy("task-1"), problems], [expected, []], raw);
    }
    const refusal =
      "must be true, false or a list of task ids (yes, no, on, off, 1 and 0 are none of these; a task of such an id goes into a JSON list).";
    for (const raw of ["yes", "No", "1", "0", "ON", "off", "task-1,yes", "true,task-1"]) {
      assert.deepEqual(forced(raw).problems, [`WEBEXTRACT_FORCE_DESTROY ${refusal}`], raw);
    }
    assert.deepEqual(parse({ baseUrl: "https://one.test", forceDestroy: "yes" }).problems, [
      `webextract:forceDestroy ${refusal}`,
    ]);
  });

  it("takes the profiles of the environment beside those of the configuration, which a destroy has from the last up", () => {
    const profiles = JSON.stringify({ eu: { accessToken: "eu-1" } });
    const more = JSON.stringify({ eu: { accessToken: "eu-2" }, us: { accessToken: "us-2" } });
    const { config, problems } = parse({ baseUrl: "https://one.test", profiles }, { WEBEXTRACT_PROFILES: more });
    assert.deepEqual(problems, []);
    assert.deepEqual(
      ["eu", "us"].map((profile) => config.clientOptions(profile).accessToken),
      ["eu-1", "us-2"],
    );
  });

  it("names the way out where a profile is gone that something in the state has", () => {
    const { config } = parse({ baseUrl: "https://one.test" });
    assert.throws(() => config.clientOptions("us"), {
      message:
        'There is no profile "us" in webextract:profiles. Known: none. What was made with it needs it until it is deleted: put it back into webextract:profiles ' +
        'and run "pulumi up" (a refresh or a destroy goes by the configuration of the last up), or name it in WEBEXTRACT_PROFILES, which counts at once.',
    });
  });

  it("lets errors name a setting by its key, in its profile where it is one's own", () => {
    const profiles = JSON.stringify({ us: { accessToken: "b" } });
    const { config } = parse({ baseUrl: "https://one.test", profiles });
    const nameOf = (profile: string | undefined, option: string) => config.clientOptions(profile).settingName?.(option);
    assert.equal(nameOf(undefined, "apiKey"), "webextract:apiKey");
    assert.equal(nameOf("us", "apiKey"), "webextract:profiles.us.apiKey");
    assert.equal(nameOf("us", "concurrency"), "webextract:concurrency");
  });

  it("keeps the default statuses that are not configured", () => {
    const { config } = parse({ baseUrl: "https://one.test", statuses: '{"finished": ["fertig"]}' });
    assert.deepEqual(config.settings.statuses, {
      finished: ["fertig"],
      failed: ["failed", "error"],
      stopped: ["stopped"],
    });
  });
});
