import assert from "node:assert/strict";
import type { Emulator } from "webextract-emulator";
import { allTests } from "../../test/eachTest";
import { seed, shopTask } from "./probe/probing";
import type { Ended } from "./webextract";
import { CliWorld } from "./webextract";

describe("webextract probe", () => {
  const world = allTests(() => CliWorld.create({ seed }));
  let emulator: Emulator;
  before(async () => {
    emulator = world.emulator;
    emulator.change.startRun(shopTask);
    await emulator.settled();
  });
  beforeEach(() => emulator.clearRequests());

  it("writes a report in Markdown, and names the settings that fit", async () => {
    const { code, stdout, stderr } = await world.run(`probe --task ${shopTask}`);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^# Report of webextract probe\n/);
    assert.match(stdout, /^- ✔ path of the token refresh: .* \(`refreshPath=token`\)$/m);
    assert.match(stdout, /```sh\npulumi config set webextract:actionTypes 'LoopAction'\n```/);
    assert.match(stdout, /With the usual types, it shows actions of the types LoopAction, NavigateAction\./);
    assert.match(stdout, /^- which rows a mark includes: needs a write \(`markScope`, `webextract:markScope`\)$/m);
    assert.ok(emulator.requests.length <= 60);
  });

  it("lists what it can ask only about a task, without --task", async () => {
    const { code, stdout } = await world.run("probe");
    assert.equal(code, 0);
    assert.match(stdout, /^- subtasks of a run: needs --task \(`splitting`/m);
    assert.ok(!world.operations().includes("getSubtasks"));
  });

  it("shows no host, id, credential, property, item or row, in Markdown and as JSON", async () => {
    const { accessToken, apiKey, refreshToken } = emulator.credentials;
    const { subtasks, lotNo } = emulator.inspect.runs(shopTask)[0] ?? assert.fail();
    const [row = {}] = emulator.inspect.rows(shopTask);
    const secrets = [
      ...[shopTask, accessToken, apiKey, refreshToken, lotNo, subtasks[0]?.subTaskId ?? assert.fail()],
      ...[emulator.url, "127.0.0.1", new URL(emulator.url).port, world.folder],
      ...["open-the-shop", "each-shelf", "secret shelf", "shop.test", "Field.margin", "Wait"],
      ...Object.entries(row)
        .flatMap(([name, value]) => [`${name}:`, String(value)])
        .filter((text) => text.length > 3),
    ];
    for (const behaviour of [{}, { actionShape: "flat", errorBody: "legacy", subtaskPageMax: 7 }] as const) {
      emulator.setBehaviour(behaviour);
      for (const line of [`probe --task ${shopTask}`, `probe --task ${shopTask} --json`]) {
        const { stdout, stderr } = await world.run(line);
        for (const secret of secrets) {
          assert.ok(!`${stdout}${stderr}`.includes(secret), `${line}: ${secret}`);
        }
        assert.ok(stdout.length > 1000);
      }
    }
    emulator.setBehaviour({ actionShape: "list", errorBody: "envelope", subtaskPageMax: 0 });
  });

  it("has a JSON document with versions, findings, settings, and what was not asked", async () => {
    const { code, stderr, json } = await world.run(`probe --task ${shopTask} --json`);
    assert.deepEqual([code, stderr], [0, ""]);
    const { versions, task, problems, findings, settings, notAsked, ...rest } = json();
    assert.deepEqual([Object.keys(versions), task, problems, rest], [["package", "node", "platform"], true, 0, {}]);
    const path = findings.find(({ check }: { check: string }) => check === "path of the token refresh");
    assert.deepEqual(Object.keys(path), ["is", "found", "behaviours", "check"]);
    assert.deepEqual(path.behaviours, ["refreshPath=token"]);
    const command = "pulumi config set webextract:actionTypes 'LoopAction'";
    assert.deepEqual(settings, [{ key: "webextract:actionTypes", value: "LoopAction", command }]);
    assert.deepEqual(notAsked[0], {
      about: "which rows a mark includes",
      why: "needs a write",
      behaviours: ["markScope"],
      setting: "webextract:markScope",
    });
  });

  it("ends with exit code 1 if the present settings do not fit", async () => {
    emulator.setBehaviour({ refreshPath: "tokenRefresh" });
    const { accessToken, refreshToken } = emulator.credentials;
    const tokens = { WEBEXTRACT_ACCESS_TOKEN: accessToken, WEBEXTRACT_REFRESH_TOKEN: refreshToken };
    const wrong = await world.run("probe --json", tokens);
    assert.deepEqual([wrong.code, wrong.json().problems], [1, 1]);
    const right = await world.run("probe", { ...tokens, WEBEXTRACT_REFRESH_PATH: "/token/refresh" });
    assert.equal(right.code, 0, right.stdout);
    emulator.setBehaviour({ refreshPath: "token" });
  });

  it("has no report if the service, the credential or the task is not there", async () => {
    const ends = async (
      line: string,
      env: Record<string, string | undefined> = {},
    ): Promise<[number | null, string]> => {
      const { code, stdout, stderr }: Ended = await world.run(line, env);
      assert.equal(stdout, "");
      assert.doesNotMatch(stderr, /^ +at /m);
      return [code, stderr];
    };
    const [away, why] = await ends("probe --base-url http://127.0.0.1:1");
    assert.equal(away, 5);
    assert.match(why, /^error: getData .*no connection to 127\.0\.0\.1:\d+ \(ECONNREFUSED/);
    const noKey = { WEBEXTRACT_API_KEY: undefined };
    assert.equal((await ends("probe", { ...noKey, WEBEXTRACT_ACCESS_TOKEN: "wrong-token" }))[0], 3);
    assert.equal((await ends("probe", { ...noKey, WEBEXTRACT_ACCESS_TOKEN: undefined }))[0], 3);
    assert.equal(
      (await ends("probe", { WEBEXTRACT_ACCESS_TOKEN: "wrong-token", WEBEXTRACT_API_KEY: "wrong-key" }))[0],
      3,
    );
    assert.equal((await ends("probe --task no-such-task"))[0], 4);
    assert.equal((await ends("probe", { WEBEXTRACT_BASE_URL: undefined }))[0], 2);
  });

  it("takes a page of a portal in place of the service for what it is", async () => {
    emulator.fault({ operation: "getData", kind: "status", status: 200, body: "<html>Log in</html>" });
    const { code, stderr } = await world.run("probe");
    assert.equal(code, 1);
    assert.match(stderr, /Check that .* is the address of the service itself/);
  });
});
