import assert from "node:assert/strict";
import os, { userInfo } from "node:os";
import { join } from "node:path";
import sinon from "sinon";
import { optionProblems, optionsFromEnvironment, ServiceClient } from "../../src/service";
import { eachTest } from "../eachTest";
import { setEnvironment } from "../environment";
import { defaultTokenStore } from "../internals/service";
import { json, startFakeServer } from "./fakeServer";

const baseUrl = "https://service.example";

describe("the client's options", () => {
  it("are refused with one error that lists all problems", () => {
    const problems = optionProblems({
      baseUrl: "service.example",
      timeoutSeconds: 0,
      maxRetries: 1.5,
      concurrency: 0,
      requestsPerSecond: Number.NaN,
      credentialCommand: "",
      refreshPath: "token",
    });
    assert.deepEqual(
      problems.map((problem) => problem.split(" ")[0]),
      [
        "baseUrl",
        "timeoutSeconds",
        "maxRetries",
        "concurrency",
        "requestsPerSecond",
        "credentialCommand",
        "refreshPath",
      ],
    );
    assert.throws(() => new ServiceClient({ baseUrl, pageSize: 0 }), {
      name: "TypeError",
      message: /pageSize must be an integer of at least 1/,
    });
  });

  it("are all checked, names too", () => {
    const signal = new AbortController().signal;
    const valid = { notExecutedCodes: [], allowInsecureHttp: false, log: () => undefined, interrupted: signal };
    assert.deepEqual(optionProblems({ baseUrl, ...valid, apiKey: undefined }), []);
    const wrong: Record<string, unknown> = {
      notExecutedCodes: "X",
      allowInsecureHttp: "yes",
      mustStoreTokens: 1,
      log: "console",
      interrupted: {},
      refreshPath: null,
      timeoutSecond: 5,
    };
    for (const [name, value] of Object.entries(wrong)) {
      const [problem = "", ...others] = optionProblems({ baseUrl, [name]: value });
      assert.equal(problem.split(" ")[0], name);
      assert.deepEqual(others, []);
    }
    assert.match(
      optionProblems({ baseUrl, ...wrong }).join(" "),
      /timeoutSecond is not .* Did you mean "timeoutSeconds"/i,
    );
    assert.equal(optionProblems({ baseUrl, ...wrong }).length, Object.keys(wrong).length);
  });

  it("have a baseUrl to which a path can be added", () => {
    for (const end of [" ", "?", "#", "/path?", "/path#", "\n", "\t", "\\", "\u0001", " /path", "/a b"]) {
      const problems = optionProblems({ baseUrl: `${baseUrl}${end}` });
      assert.match(problems.join(), /^baseUrl must (not (have|contain)|be a URL)/, JSON.stringify(end));
    }
    assert.match(optionProblems({ baseUrl: ` ${baseUrl}` }).join(), /^baseUrl must not contain/);
    assert.deepEqual(optionProblems({ baseUrl: `${baseUrl}/path/` }), []);
  });

  it("come from environment variables, and empty variables count as unset", () => {
    assert.deepEqual(
      optionsFromEnvironment({
        WEBEXTRACT_BASE_URL: baseUrl,
        WEBEXTRACT_API_KEY: "",
        WEBEXTRACT_LOG: "debug",
        OTHER: "x",
      }),
      { baseUrl, logLevel: "debug" },
    );
    assert.throws(() => optionsFromEnvironment({ WEBEXTRACT_LOG: "loud" }), /WEBEXTRACT_LOG must be one of/);
  });

  it("store tokens in the user's state folder of each operating system by default", () => {
    assert.equal(defaultTokenStore({ XDG_STATE_HOME: "/state" }, "linux"), join("/state", "pulumi-webextract"));
    for (const ignored of [undefined, "", "state"]) {
      assert.match(defaultTokenStore({ XDG_STATE_HOME: ignored }, "linux"), /\.local.state.pulumi-webextract$/);
    }
    assert.match(defaultTokenStore({}, "darwin"), /Application Support.pulumi-webextract$/);
    assert.match(defaultTokenStore({ LOCALAPPDATA: "C:\\local" }, "win32"), /local.pulumi-webextract$/);
  });

  it("need a folder for tokens only with a refresh token, for a user without a home folder", () => {
    sinon.stub(os, "homedir").throws(new Error("no entry"));
    sinon.stub(os, "userInfo").throws(new Error("no entry"));
    const restore = setEnvironment({ XDG_STATE_HOME: undefined, LOCALAPPDATA: undefined });
    try {
      for (const options of [{}, { accessToken: "a-token-of-42" }, { apiKey: "a-key-of-43" }]) {
        assert.deepEqual(optionProblems({ baseUrl, ...options }), []);
        new ServiceClient({ baseUrl, ...options }).close();
      }
      const [problem, ...others] = optionProblems({ baseUrl, refreshToken: "a-token-of-44" });
      assert.match(
        String(problem),
        /^tokenStore is missing: this user has no home folder\. Set WEBEXTRACT_TOKEN_STORE/,
      );
      assert.deepEqual(others, []);
    } finally {
      restore();
      sinon.restore();
    }
  });

  it("keep no tokens in the present folder if the home folder is empty or relative", () => {
    const { HOME } = process.env;
    try {
      for (const home of ["", "home"]) {
        process.env.HOME = home;
        assert.equal(defaultTokenStore({}, "linux"), join(userInfo().homedir, ".local", "state", "pulumi-webextract"));
      }
    } finally {
      process.env.HOME = HOME;
    }
  });
});

describe("the debug log", () => {
  const server = eachTest(() =>
    startFakeServer((_seen, response, turn) => {
      if (turn === 1) json(response, 500, "");
      else json(response, 200, { requestId: "q-7", data: { message: "body of the answer" } });
    }),
  );
  const send = async (logLevel: "silent" | "debug" | "trace", logFormat?: "json") => {
    const lines: string[] = [];
    const client = new ServiceClient({
      baseUrl: server.baseUrl,
      accessToken: "access-token",
      logLevel,
      ...(logFormat && { logFormat }),
      log: (line) => lines.push(line),
    });
    const properties = [{ name: "Text", value: "body of the request" }];
    await client.updateActionProperties({ taskId: "t", actions: [{ actionType: "A", actionId: "a", properties }] });
    client.close();
    const varying = /\d+(?= ?ms)|(?<="ms":)\d+|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
    return lines.map((line) => line.replace(varying, "N"));
  };

  it("has one line for each request", async () => {
    assert.deepEqual(await send("debug"), [
      "N webextract updateActionProperties task=t status=500 Nms",
      "N webextract updateActionProperties task=t status=200 requestId=q-7 Nms",
    ]);
    // The server responds with the error only once.
    assert.deepEqual(await send("debug", "json"), [
      '{"time":"N","operation":"updateActionProperties","task":"t","status":200,"ms":N,"requestId":"q-7"}',
    ]);
  });

  it("gives the reason for a retry at the level trace", async () => {
    assert.deepEqual(
      (await send("trace"))[1],
      "N webextract updateActionProperties outcomeUnknown: next attempt in N ms",
    );
  });

  it("is silent by default", async () => {
    assert.deepEqual(await send("silent"), []);
  });
});
