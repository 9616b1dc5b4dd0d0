import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os, { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import sinon from "sinon";
import { configKeys, parseConfig, parseGivenConfig } from "./internals/config";

const parse = (config: Record<string, string>, environment: NodeJS.ProcessEnv = {}) =>
  parseConfig((key) => config[key], environment);

describe("configuration", () => {
  it("takes the environment variable of a key that is not configured", () => {
    const { config, problems } = parse(
      { baseUrl: "https://one.test", accessToken: "a" },
      { WEBEXTRACT_BASE_URL: "https://two.test", WEBEXTRACT_API_KEY: "k" },
    );
    assert.deepEqual(problems, []);
    const { baseUrl, accessToken, apiKey } = config.clientOptions(undefined);
    assert.deepEqual([baseUrl, accessToken, apiKey], ["https://one.test", "a", "k"]);
  });

  it("needs a home folder only for a refresh token and a journal without folders of their own", () => {
    sinon.stub(os, "homedir").throws(new Error("no entry"));
    sinon.stub(os, "userInfo").throws(new Error("no entry"));
    try {
      const account = { baseUrl: "https://one.test", accessToken: "a-token-of-42" };
      const { config, problems } = parse(account);
      assert.deepEqual([problems, config.journal], [[], undefined]);
      assert.match(
        String(config.noJournal),
        /^webextract:journal \(WEBEXTRACT_JOURNAL\) is missing: this user has no home folder\. Set WEBEXTRACT_TOKEN_STORE/,
      );
      assert.match(
        parse({ ...account, refreshToken: "a-token-of-43" }).problems.join(),
        /^webextract:tokenStore is missing/,
      );
      const folders: Record<string, string>[] = [{ journal: "off" }, { journal: "/notes" }, { tokenStore: "/tokens" }];
      for (const folder of folders) {
        assert.equal(parse({ ...account, ...folder }).config.noJournal, undefined);
      }
    } finally {
      sinon.restore();
    }
  });

  it("reports each problem with the key, what is allowed, and a short value that can be no credential", () => {
    const { problems } = parse(
      {
        baseUrl: "ftp://hunter2.test",
        markScope: "both",
        maxRetries: "three",
        pageSize: "a-credential-in-the-wrong-place",
        statuses: '["hunter2"]',
        timeoutSeconds: "-1",
      },
      { WEBEXTRACT_ALLOW_INSECURE_HTTP: "yes" },
    );
    assert.deepEqual(problems.sort(), [
      'WEBEXTRACT_ALLOW_INSECURE_HTTP must be true or false; got "yes".',
      "webextract:baseUrl must begin with https://.",
      'webextract:markScope must be "task" or "returned"; got "both".',
      'webextract:maxRetries must be an integer of at least 0; got "three".',
      "webextract:pageSize must be an integer of at least 1.",
      "webextract:statuses must be a JSON map of finished, failed, stopped to lists of strings.",
      'webextract:timeoutSeconds must be a number of at least 0.001; got "-1".',
    ]);
  });

  it("takes a run label that is fit for diffs and logs; an empty one counts as none", () => {
    const labelled = (label: string) => parse({ baseUrl: "https://one.test" }, { WEBEXTRACT_RUN_LABEL: label });
    for (const label of ["2026-11-21", "2026-11-21T05:00:00+00:00", "nightly/42", "Größe_1.2@main", "a".repeat(100)]) {
      const { config, problems } = labelled(label);
      assert.deepEqual([config.runLabels, problems], [[label], []]);
    }
    assert.deepEqual(labelled("").config.runLabels, []);
    for (const label of [" ", "a b", "a\n", "$(date)", "a".repeat(101)]) {
      const { config, problems } = labelled(label);
      assert.deepEqual([config.runLabels, problems.length], [[], 1]);
      assert.match(
        problems[0] ?? "",
        /^WEBEXTRACT_RUN_LABEL must be 1 to 100 letters, digits or characters of \. _ : \/ \+ @ -, which/,
      );
    }
    const both = parse({ baseUrl: "https://one.test", runLabel: "a" }, { WEBEXTRACT_RUN_LABEL: "b" });
    assert.deepEqual(both.config.runLabels, ["a", "b"]);
  });

  it("shows what Pulumi makes of a run label without quotes", () => {
    const given = (runLabel: string) =>
      parseGivenConfig((key) => ({ baseUrl: "https://one.test", runLabel })[key as string], ["runLabel"], {});
    const [problem = ""] = given("2026-11-29 00:00:00 +0000 UTC").problems;
    assert.match(
      problem,
      /^webextract:runLabel must be 1 to 100 .*; got the date 2026-11-29: write "2026-11-29", in quotes\.$/,
    );
    assert.match(given("7").warning ?? "", /^webextract:runLabel is "7"\. Without quotes, 007 .* would be 7 too\./);
    assert.deepEqual(
      ["20261129", "night-7", "2026-11-29"].flatMap((label) => given(label).warning ?? []),
      [],
    );
  });

  it("names an empty run label, with which no run would start", () => {
    const service = { baseUrl: "https://one.test" };
    assert.equal(parse(service, { WEBEXTRACT_RUN_LABEL: "night" }).config.emptyLabel, undefined);
    assert.match(
      parse(service, { WEBEXTRACT_RUN_LABEL: "" }).config.emptyLabel ?? "",
      /^WEBEXTRACT_RUN_LABEL is set and empty, so no run would start\./,
    );
    assert.match(parse({ ...service, runLabel: "" }).config.emptyLabel ?? "", /^webextract:runLabel is set and empty/);
  });

  it("refuses variables that are almost those of keys, and names others once", () => {
    const given = (variables: NodeJS.ProcessEnv) =>
      parseGivenConfig((key) => ({ baseUrl: "https://one.test" })[key as string], ["baseUrl"], variables);
    for (const [variable, meant] of [
      ["WEBEXTRACT_RUNLABEL", "WEBEXTRACT_RUN_LABEL"],
      ["WEBEXTRACT_TOKENSTORE", "WEBEXTRACT_TOKEN_STORE"],
      ["WEBEXTRACT_APIKEY", "WEBEXTRACT_API_KEY"],
    ] as const) {
      const { problems } = given({ [variable]: "hunter2" });
      assert.deepEqual(problems, [`${variable} is not known; did you mean ${meant}?`]);
    }
    const { problems, warning } = given({ WEBEXTRACT_WEATHER: "hunter2", WEBEXTRACT_EMULATOR_URL: "x", OTHER: "y" });
    assert.deepEqual(problems, []);
    assert.match(warning ?? "", /^Nothing reads WEBEXTRACT_WEATHER of the environment\. Known: WEBEXTRACT_BASE_URL, /);
    assert.equal(given({}).warning, undefined);
  });

  it("refuses paths with a part that only a shell replaces, in each key and profile that has one", () => {
    const problemsOf = (config: Record<string, string>) => parse({ baseUrl: "https://one.test", ...config }).problems;
    for (const path of ["~/state", "~", "~root/state", "$HOME/state", `$${"{HOME}"}/state`, "%USERPROFILE%\\state"]) {
      for (const key of ["journal", "tokenStore", "packagesFolder", "allowedFolders"]) {
        const [problem, ...others] = problemsOf({ [key]: path });
        assert.match(problem ?? "", /which only a shell replaces\. Write the whole path/, `${key} ${path}`);
        assert.ok(problem?.startsWith(`webextract:${key} must be `), problem);
        assert.deepEqual(others, []);
      }
      const profiles = JSON.stringify({ other: { tokenStore: path } });
      assert.match(
        problemsOf({ profiles })[0] ?? "",
        /^webextract:profiles\.other\.tokenStore must be .*shell replaces/,
      );
    }
    assert.deepEqual(problemsOf({ journal: "./~", tokenStore: "./~" }), []);
  });

  it("refuses two stores in one stack, and takes two prefixes of one", () => {
    const problems = (keys: Record<string, string>) => parse({ baseUrl: "https://one.test", ...keys }).problems;
    const [azure, same] = ["azblob://rows/a?storage_account=one", "azblob://rows/b?storage_account=one"] as const;
    assert.deepEqual(problems({ journal: "s3://one/journal", tokenStore: "s3://one/tokens" }), []);
    assert.deepEqual(problems({ journal: azure, tokenStore: same }), []);
    for (const journal of ["s3://two/a", "gs://one/a", azure, "azblob://rows/a?storage_account=two"]) {
      assert.match(
        problems({
          journal,
          tokenStore: journal === azure ? "azblob://rows/a?storage_account=two" : "s3://one/a",
        }).join(),
        /^webextract:journal is in another store than the token store, \S+\. One stack has one store: remove it, or name the same one\.$/,
      );
    }
  });

  it("refuses a misspelt address of a store, which is no folder", () => {
    const wrong = ["S3://team/x", "GS://b/p", "gcs://b/p", "s3:/x", "s3:team", "azblob:/x", "https://a.test/x"];
    for (const key of ["journal", "tokenStore"]) {
      for (const address of [...wrong, "file:///tmp/x", "arn:aws:s3:::b"]) {
        const [problem] = parse({ baseUrl: "https://one.test", [key]: address }).problems;
        assert.match(problem ?? "", new RegExp(`^webextract:${key} must be a folder, or an address such as`), address);
      }
      assert.deepEqual(parse({ baseUrl: "https://one.test", [key]: "C:/state" }).problems, []);
    }
  });

  it("switches the journal off by each word for it, and refuses these words as a token store", () => {
    for (const word of ["off", "OFF", "none", "false"]) {
      assert.equal(parse({ baseUrl: "https://one.test", journal: word }).config.journal, undefined);
      const [problem] = parse({ baseUrl: "https://one.test", tokenStore: word }).problems;
      assert.match(problem ?? "", /^webextract:tokenStore must be a folder/);
    }
  });

  it("refuses as a folder a word for a switch, quotes, and white space at an end", () => {
    const words = [
      "no",
      "0",
      "ON",
      "true",
      "disabled",
      "null",
      " off",
      "off\n",
      " ",
      "notes ",
      "\tnotes",
      '"off"',
      "'off'",
    ];
    for (const value of words) {
      for (const key of ["journal", "tokenStore", "packagesFolder"] as const) {
        const [problem, ...others] = parse({ baseUrl: "https://one.test", [key]: value }).problems;
        assert.match(problem ?? "", new RegExp(`^webextract:${key} must be a folder`), value);
        assert.deepEqual(others, []);
      }
      const profiles = JSON.stringify({ other: { tokenStore: value } });
      const [problem] = parse({ baseUrl: "https://one.test", profiles }).problems;
      assert.match(problem ?? "", /^webextract:profiles\.other\.tokenStore must be a folder/, value);
    }
    for (const value of ["./no", "./off", "notes", "my notes", "node", "offline", "0/1"]) {
      const { config, problems } = parse({ baseUrl: "https://one.test", journal: value });
      assert.deepEqual(problems, []);
      assert.equal(config.journal, resolve(value));
    }
  });

  describe("with a program in a folder of the project", () => {
    let project: string;
    const before = process.cwd();
    beforeEach(() => {
      project = realpathSync(mkdtempSync(join(tmpdir(), "webextract-project-")));
      writeFileSync(join(project, "Pulumi.yaml"), "name: shop\n");
      mkdirSync(join(project, "program", "within"), { recursive: true });
    });
    afterEach(() => {
      process.chdir(before);
      rmSync(project, { recursive: true });
    });

    it("has the folders of the configuration relative to the project, wherever the program is", () => {
      const config = { baseUrl: "https://one.test", journal: "notes", tokenStore: "tokens" };
      for (const folder of [project, join(project, "program"), join(project, "program", "within")]) {
        process.chdir(folder);
        const found = parse(config).config;
        assert.equal(found.journal, join(project, "notes"));
        assert.equal(found.clientOptions(undefined).tokenStore, join(project, "tokens"));
      }
    });

    it("goes on with a folder that only the program's folder has", () => {
      process.chdir(join(project, "program"));
      mkdirSync("notes");
      assert.equal(
        parse({ baseUrl: "https://one.test", journal: "notes" }).config.journal,
        join(project, "program", "notes"),
      );
    });
  });

  it("says how to set a missing base address", () => {
    assert.match(parse({}).problems.join(), /^webextract:baseUrl is missing. Set it with: pulumi config set/);
  });

  it("finds unknown keys, and has an environment variable for each key", () => {
    const given: Record<string, string> = { baseUrl: "https://one.test" };
    const { problems } = parseGivenConfig((key) => given[key], ["baseUrl", "baseURL", "profiles", "constructor"]);
    assert.deepEqual(
      problems.map((problem) => problem.replace(/ Known: .*/, "")),
      ["webextract:baseURL is not known.", "webextract:constructor is not known."],
    );
    const variables = Object.values(configKeys).map(({ environment }) => environment);
    assert.equal(new Set(variables).size, variables.length);
  });

  it("never gives credentials of the top level to a profile", () => {
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

  it("adds up what the configuration and the environment permit", () => {
    const { config } = parse(
      { baseUrl: "https://one.test", forceDestroy: "task-1", movedFrom: "https://old.test/path" },
      { WEBEXTRACT_FORCE_DESTROY: '["task-2"]', WEBEXTRACT_MOVED_FROM: "https://older.test" },
    );
    const { forceDestroy } = config.settings;
    assert.deepEqual(["task-1", "task-2", "task-3"].map(forceDestroy), [true, true, false]);
    const present = "https://one.test";
    for (const [written, is] of [
      [present, true],
      ["https://OLD.test:443/x/../path/", true],
      ["https://old.test", true],
      ["https://older.test", true],
      ["https://old.test/other", false],
      ["https://third.test", false],
    ] as const) {
      assert.equal(config.isPresent(written, present), is, written);
    }
  });

  it("refuses earlier addresses that match no state, and maps in place of lists", () => {
    const problemsOf = (values: Record<string, string>) => parse({ baseUrl: "https://one.test", ...values }).problems;
    for (const movedFrom of ["old.test", "localhost:8080", "https://old.test, old.test"]) {
      assert.deepEqual(problemsOf({ movedFrom }), [
        "webextract:movedFrom (WEBEXTRACT_MOVED_FROM) must be a list of URLs such as https://host.",
      ]);
    }
    for (const name of ["movedFrom", "notExecutedCodes", "actionTypes", "allowedFolders"]) {
      assert.match(
        problemsOf({ [name]: '{"https://a.test":1}' }).join(),
        new RegExp(`^webextract:${name} must be a list`),
      );
    }
    assert.equal(parse({ baseUrl: "https://one.test", journal: "Off" }).config.journal, undefined);
  });

  it("accepts true, false and lists for forceDestroy", () => {
    const forced = (raw: string) => parse({ baseUrl: "https://one.test" }, { WEBEXTRACT_FORCE_DESTROY: raw });
    for (const [raw, expected] of [
      ["TRUE", true],
      ["True", true],
      ["False", false],
      ["task-1, TRUE-2", true],
      ['["task-1", "yes"]', true],
      [" true ", true],
      ["[]", false],
      ["[639308323497]", false],
    ] as const) {
      const { config, problems } = forced(raw);
      assert.deepEqual([config.settings.forceDestroy("task-1"), problems], [expected, []], raw);
    }
    assert.equal(forced("[639308323497]").config.settings.forceDestroy("639308323497"), true);
    const refused = ["yes", "1", "all", '"true"', '{"a":1}', '["task-1"', "[true]", "[639308323497897245]", "a,,b"];
    for (const raw of refused) {
      const [problem = "", ...others] = forced(raw).problems;
      assert.match(
        problem,
        /^WEBEXTRACT_FORCE_DESTROY must be true, false or a list of task ids, as JSON or with commas/,
      );
      assert.deepEqual(others, [], raw);
    }
  });

  it("does not show a value in place of the profiles: a single word can be a credential", () => {
    const { problems } = parse({ baseUrl: "https://one.test", profiles: "tok-1" }, { WEBEXTRACT_PROFILES: "tok-2" });
    assert.deepEqual(problems, [
      "webextract:profiles must be a JSON map of profiles.",
      "WEBEXTRACT_PROFILES must be a JSON map of profiles.",
    ]);
  });

  it("adds the profiles of the environment to those of the configuration", () => {
    const profiles = JSON.stringify({ eu: { accessToken: "eu-1" } });
    const more = JSON.stringify({ eu: { accessToken: "eu-2" }, us: { accessToken: "us-2" } });
    const { config, problems } = parse({ baseUrl: "https://one.test", profiles }, { WEBEXTRACT_PROFILES: more });
    assert.deepEqual(problems, []);
    assert.deepEqual(
      ["eu", "us"].map((profile) => config.clientOptions(profile).accessToken),
      ["eu-1", "us-2"],
    );
  });

  it("says what to do when a profile is gone that a resource of the state needs", () => {
    const { config } = parse({ baseUrl: "https://one.test" });
    assert.throws(() => config.clientOptions("us"), {
      message:
        'There is no profile "us" in webextract:profiles. Known: none. Resources that were made with it need it until they are deleted. Add it to webextract:profiles again ' +
        'and run "pulumi up" (a refresh or a destroy uses the configuration of the last up), or set it in WEBEXTRACT_PROFILES, which takes effect at once.',
    });
  });

  it("names an option in errors by its key, and by its profile where a profile can have it", () => {
    const profiles = JSON.stringify({ us: { accessToken: "b" } });
    const { config } = parse({ baseUrl: "https://one.test", profiles });
    const nameOf = (profile: string | undefined, option: string) => config.clientOptions(profile).settingName?.(option);
    assert.equal(nameOf(undefined, "apiKey"), "webextract:apiKey");
    assert.equal(nameOf("us", "apiKey"), "webextract:profiles.us.apiKey");
    assert.equal(nameOf("us", "concurrency"), "webextract:concurrency");
  });

  it("names a value of the environment by its variable", () => {
    const environment = {
      WEBEXTRACT_ACCESS_TOKEN: "two words",
      WEBEXTRACT_BASE_URL: "ftp://one.test",
      WEBEXTRACT_PROFILES: JSON.stringify({ us: { apiKey: "two words" }, eu: { apiKey: "two words" } }),
    };
    const config = { refreshToken: "two words", profiles: JSON.stringify({ eu: { apiKey: "two words" } }) };
    const names = parse(config, environment).problems.map((problem) => problem.split(" ")[0]);
    assert.deepEqual(names, [
      "WEBEXTRACT_BASE_URL",
      "WEBEXTRACT_ACCESS_TOKEN",
      "webextract:refreshToken",
      "WEBEXTRACT_PROFILES.us.apiKey",
      "webextract:profiles.eu.apiKey",
    ]);
  });

  it("keeps the default of each status set that is not configured", () => {
    const { config } = parse({ baseUrl: "https://one.test", statuses: '{"finished": ["fertig"]}' });
    assert.deepEqual(config.settings.statuses, {
      finished: ["fertig"],
      failed: ["failed", "error"],
      stopped: ["stopped"],
    });
  });

  it("takes a status from the set that had it by default, and refuses one in two sets", () => {
    const parsed = (statuses: object) => parse({ baseUrl: "https://one.test", statuses: JSON.stringify(statuses) });
    assert.deepEqual(parsed({ failed: ["Done"], stopped: ["error", "ended"] }).config.settings.statuses, {
      finished: ["finished", "completed"],
      failed: ["Done"],
      stopped: ["error", "ended"],
    });
    assert.deepEqual(parsed({ failed: ["done", "DONE"], finished: ["ended", "Done"] }).problems, [
      'webextract:statuses gives the status "done" two meanings.',
    ]);
  });
});
