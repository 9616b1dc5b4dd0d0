import assert from "node:assert/strict";
import { configKeys, parseConfig, unknownKeys } from "../../src/pulumi/config";

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

  it("keeps the default statuses that are not configured", () => {
    const { config } = parse({ baseUrl: "https://one.test", statuses: '{"finished": ["fertig"]}' });
    assert.deepEqual(config.settings.statuses, {
      finished: ["fertig"],
      failed: ["failed", "error"],
      stopped: ["stopped"],
    });
  });
});
