import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { optionProblems, optionsFromEnvironment, ServiceClient } from "../../src/service";
import { defaultTokenStore } from "../../src/service/environment";
import type { FakeServer } from "./fakeServer";
import { json, startFakeServer } from "./fakeServer";

const run = promisify(execFile);
const baseUrl = "https://service.example";

describe("the options", () => {
  it("that cannot be right are all named at once", () => {
    const problems = optionProblems({
      baseUrl: "service.example",
      timeoutSeconds: 0,
      maxRetries: 1.5,
      concurrency: 0,
      requestsPerSecond: Number.NaN,
      credentialCommand: " ",
      refreshPath: "token",
    });
    assert.deepEqual(
      problems.map((problem) => problem.split(" ")[0]),
      [
        "baseUrl",
        "timeoutSeconds",
        "requestsPerSecond",
        "maxRetries",
        "concurrency",
        "credentialCommand",
        "refreshPath",
      ],
    );
    assert.throws(() => new ServiceClient({ baseUrl, pageSize: 0 }), {
      name: "TypeError",
      message: /pageSize must be an integer of at least 1/,
    });
  });

  it("may come from the environment, where empty variables count as unset", () => {
    assert.deepEqual(
      optionsFromEnvironment({
        WEBEXTRACT_BASE_URL: baseUrl,
        WEBEXTRACT_API_KEY: "",
        WEBEXTRACT_LOG: "debug",
        OTHER: "x",
      }),
      {
        baseUrl,
        logLevel: "debug",
      },
    );
    assert.throws(() => optionsFromEnvironment({ WEBEXTRACT_LOG: "loud" }), /WEBEXTRACT_LOG must be one of/);
  });

  it("keep tokens where the system keeps a user's state", () => {
    assert.equal(defaultTokenStore({ XDG_STATE_HOME: "/state" }, "linux"), join("/state", "pulumi-webextract"));
    assert.match(defaultTokenStore({}, "linux"), /\.local.state.pulumi-webextract$/);
    assert.match(defaultTokenStore({}, "darwin"), /Application Support.pulumi-webextract$/);
    assert.match(defaultTokenStore({ LOCALAPPDATA: "C:\\local" }, "win32"), /local.pulumi-webextract$/);
  });
});

describe("the debug log", () => {
  let server: FakeServer;
  beforeEach(async () => {
    server = await startFakeServer((_seen, response, turn) => {
      if (turn === 1) json(response, 500, "");
      else json(response, 200, { requestId: "q-7", data: { message: "body of the answer" } });
    });
  });
  afterEach(() => server.close());
  const send = async (logLevel: "silent" | "debug" | "trace") => {
    const lines: string[] = [];
    const client = new ServiceClient({
      baseUrl: server.baseUrl,
      accessToken: "access-token",
      logLevel,
      log: (line) => lines.push(line),
    });
    const properties = [{ name: "Text", value: "body of the request" }];
    await client.updateActionProperties({ taskId: "t", actions: [{ actionType: "A", actionId: "a", properties }] });
    client.close();
    return lines.map((line) => line.replace(/\d+ ?ms/g, "N ms"));
  };

  it("has one line for each request", async () => {
    assert.deepEqual(await send("debug"), [
      "webextract updateActionProperties task=t status=500 N ms",
      "webextract updateActionProperties task=t status=200 N ms requestId=q-7",
    ]);
  });

  it("says besides why something was repeated at its highest level", async () => {
    assert.deepEqual((await send("trace"))[1], "webextract updateActionProperties outcomeUnknown: again in N ms");
  });

  it("is silent by default", async () => {
    assert.deepEqual(await send("silent"), []);
  });
});

describe("the proxy variables", () => {
  it("are honoured, with NO_PROXY", async () => {
    const proxy = await startFakeServer((_seen, response) => json(response, 200, { requestId: "q" }));
    const program = `
      const { ServiceClient } = require(${JSON.stringify(join(__dirname, "../../src/service"))});
      const client = new ServiceClient({ baseUrl: "http://service.invalid/v1", accessToken: "access-token", allowInsecureHttp: true, maxRetries: 0 });
      client.markExported({ taskId: "t" }).then(() => console.log("answered"), (error) => console.log(error.kind));`;
    const outcome = async (env: NodeJS.ProcessEnv) => {
      const { stdout } = await run(process.execPath, ["-r", "tsx/cjs", "-e", program], { env: { ...env, PATH: "" } });
      return stdout.trim();
    };
    assert.equal(await outcome({ HTTP_PROXY: proxy.baseUrl }), "answered");
    assert.equal(proxy.seen[0]?.url, "http://service.invalid/v1/data/markexported");
    assert.equal(await outcome({ HTTP_PROXY: proxy.baseUrl, NO_PROXY: "service.invalid" }), "unreachable");
    assert.equal(proxy.seen.length, 1);
    await proxy.close();
    assert.equal(await outcome({ HTTP_PROXY: proxy.baseUrl }), "unreachable");
  }).timeout(30_000);
});
