import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { startEmulator } from "webextract-emulator";
import * as webextract from "../../src/index";
import { ServiceClient } from "../../src/service/index";
import { allTests } from "../eachTest";
import { template } from "../realEngine/world";

describe("arguments of functions", () => {
  const emulator = allTests(() => startEmulator({ seed: template }));
  afterEach(() => {
    pulumi.runtime.setAllConfig({});
    emulator.clearRequests();
  });

  /** What a read answers in a program, in which nothing but the engine is not real. */
  async function answerOf<T>(read: () => pulumi.Output<T> | Promise<T>, config = {}, preview = false): Promise<T> {
    const { accessToken } = emulator.credentials;
    pulumi.runtime.setAllConfig({
      "webextract:baseUrl": emulator.url,
      "webextract:accessToken": accessToken,
      ...config,
    });
    await pulumi.runtime.setMocks(
      { newResource: ({ name, inputs }) => ({ id: name, state: inputs }), call: () => ({}) },
      "project",
      "stack",
      preview,
    );
    let answer: Promise<T> | undefined;
    await pulumi.runtime.runInPulumiStack(async () => {
      const given = read();
      answer = pulumi.Output.isInstance(given) ? (given as unknown as { promise(): Promise<T> }).promise() : given;
      await answer.catch(() => undefined);
    });
    return answer as Promise<T>;
  }

  const plain = { plain: true } as const;
  const refused = async (read: () => pulumi.Output<unknown> | Promise<unknown>): Promise<string> => {
    const error = await answerOf(read).then(
      () => assert.fail("it was not refused"),
      (each: unknown) => each,
    );
    assert.ok(pulumi.RunError.isInstance(error) && error.stack === error.message, String(error));
    assert.deepEqual(emulator.requests, []);
    return error.message;
  };

  it("are refused before any request if one is missing", async () => {
    const missing = "getBatchData: lotNo is missing: it must be a non-empty string. No request was sent.";
    const args = { taskId: "template-1" } as webextract.GetBatchDataArgs;
    assert.equal(await refused(() => webextract.getBatchDataOutput(args, plain)), missing);
    assert.equal(await refused(() => webextract.getBatchData(args, plain)), missing);
    const late = { ...args, lotNo: pulumi.output(undefined) as unknown as pulumi.Output<string> };
    assert.equal(await refused(() => webextract.getBatchDataOutput(late, plain)), missing);
    assert.match(
      await refused(() => webextract.getSubtasksOutput(undefined as never)),
      /^getSubtasks: taskId is missing: it must be a non-empty string/,
    );
  });

  it("are refused when a name is unknown or a value has another type, with the allowed names or types", async () => {
    assert.equal(
      await refused(() => webextract.getDataOutput({ taskid: "template-1" } as never)),
      'getData: taskid is not a valid name; did you mean "taskId"? Valid names: taskId, offset, maxRows; taskId is missing: it must be a non-empty string. No request was sent.',
    );
    assert.equal(
      await refused(() => webextract.getActions({ taskIds: ["template-1", ""], actionTypes: [] }, plain)),
      "getActions: taskIds[1] must be a non-empty string; got an empty string; " +
        "actionTypes must be a non-empty list of strings; got an empty list. No request was sent.",
    );
    assert.equal(
      await refused(() => webextract.getDataOutput("template-1" as never)),
      "getData: the argument must be a map; got a string. No request was sent.",
    );
    assert.match(
      await refused(() => webextract.getDataOutput({ taskId: "template-1" }, { profil: "us" } as never)),
      /^getData: options.profil is not a valid name; did you mean "profile"\? Valid names: plain, profile, parent, dependsOn/,
    );
  });

  it("are refused in a preview too, even with an unknown argument", async () => {
    const later = pulumi.output(pulumi.unknown) as unknown as pulumi.Output<string>;
    const read = () => webextract.getBatchDataOutput({ taskId: later } as never);
    await assert.rejects(answerOf(read, {}, true), /getBatchData: lotNo is missing: it must be a non-empty string/);
    const known = () => webextract.getBatchDataOutput({ taskId: "template-1", lotNo: later }, plain);
    assert.equal(await answerOf(known, {}, true), undefined);
    assert.deepEqual(emulator.requests, []);
  });

  it("can be outputs, also within a list; undefined and null count as not given", async () => {
    const whole = pulumi.output({ taskId: "template-1" }) as unknown as webextract.GetDataArgs;
    assert.deepEqual(await answerOf(() => webextract.getDataOutput(whole, plain)), { rows: [], total: 0 });
    const taskIds = [pulumi.output("template-1")];
    const read = () => webextract.getActionsOutput({ taskIds, actionTypes: ["LoopAction"] }, plain);
    const [task] = await answerOf(read);
    assert.equal(task?.taskId, "template-1");
    const args = { taskId: "template-1", offset: null, maxRows: undefined } as unknown as webextract.GetDataArgs;
    assert.deepEqual(await answerOf(() => webextract.getData(args, plain)), { rows: [], total: 0 });
  });

  it("must name a configured profile, or none when the service is configured without one", async () => {
    const us = { baseUrl: emulator.url, accessToken: emulator.credentials.accessToken };
    const profiles = { "webextract:baseUrl": "", "webextract:profiles": JSON.stringify({ us }) };
    const read = (profile?: string) => () => webextract.getDataOutput({ taskId: "template-1" }, { profile, ...plain });
    assert.deepEqual(await answerOf(read("us"), profiles), { rows: [], total: 0 });
    for (const [profile, message] of [
      ["nope", /^getData: There is no profile "nope" in webextract:profiles. Known: us/],
      [undefined, /^getData: No profile is given, and webextract:baseUrl is not configured. .*known: us/],
    ] as const) {
      await assert.rejects(answerOf(read(profile), profiles), (error) => {
        assert.ok(pulumi.RunError.isInstance(error) && error.stack === error.message, String(error));
        assert.match(error.message, message);
        return true;
      });
    }
  });

  it("take the profile of their parent, and are refused in the promise form if that profile is an output", async () => {
    const us = { baseUrl: emulator.url, accessToken: emulator.credentials.accessToken };
    const profiles = { "webextract:baseUrl": "", "webextract:profiles": JSON.stringify({ us }) };
    const copy = (profile: pulumi.Input<string>) => new webextract.TaskCopy("task", { adoptTaskId: "t", profile });
    const args = { taskId: "template-1" };
    const none = { rows: [], total: 0 };
    const reads: [() => pulumi.Output<unknown> | Promise<unknown>, unknown][] = [
      [() => webextract.getDataOutput(args, { parent: copy("us"), ...plain }), none],
      [() => webextract.getDataOutput(args, { parent: copy(pulumi.output("us")), ...plain }), none],
      [() => webextract.getData(args, { parent: copy("us"), ...plain }), none],
    ];
    for (const [read, expected] of reads) {
      assert.deepEqual(await answerOf(read, profiles), expected);
    }
    const isNope = () => webextract.getDataOutput(args, { parent: copy("us"), profile: "nope", ...plain });
    await assert.rejects(answerOf(isNope, profiles), /There is no profile "nope"/);
    emulator.clearRequests();
    const late = () => webextract.getData(args, { parent: copy(pulumi.output("us")), ...plain });
    await assert.rejects(
      answerOf(late, profiles),
      /getData: a promise cannot wait for .* the profile of options.parent. Use getDataOutput. No request was sent/,
    );
    assert.deepEqual(emulator.requests, []);
  });

  it("have the options of an invoke; provider is refused, and dependsOn requires the output form", async () => {
    const args = { taskId: "template-1" };
    const options = (more: object) => ({ ...plain, ...more }) as webextract.FunctionOutputOptions;
    const component = () => new pulumi.ComponentResource("test:index:Job", "job");
    assert.match(
      await refused(() => webextract.getDataOutput(args, options({ provider: component() }))),
      /^getData: options.provider is not a valid name; valid names: plain, profile, /,
    );
    for (const [more, path] of [
      [{ parent: "job" }, "options.parent"],
      [{ dependsOn: "job" }, "options.dependsOn"],
      [{ dependsOn: [undefined, 3] }, "options.dependsOn[1]"],
      [{ dependsOn: pulumi.output(["job"]) }, "options.dependsOn[0]"],
    ] as const) {
      const message = await refused(() => webextract.getDataOutput(args, options(more)));
      assert.ok(message.startsWith(`getData: ${path} must be a resource; got a `), message);
    }
    assert.match(
      await refused(() => webextract.getData(args, { ...options({ dependsOn: component() }), ...plain })),
      /^getData: a promise cannot wait for options.dependsOn, .*Use getDataOutput/,
    );
  });

  it("need no token in a preview when the service accepts the API key for all operations", async () => {
    const { apiKey } = emulator.credentials;
    emulator.setBehaviour({ credentialAcceptance: "apiKeyEverywhere" });
    const config = { "webextract:accessToken": "", "webextract:credentials": "apiKey", "webextract:apiKey": apiKey };
    const read = () => webextract.getDataOutput({ taskId: "template-1" }, plain);
    assert.deepEqual(await answerOf(read, config, true), { rows: [], total: 0 });
    emulator.setBehaviour({ credentialAcceptance: "contract" });
  });

  it("fail if the service left rows out of its pages, which the result could not show", async () => {
    emulator.change.insertRows(
      "template-1",
      Array.from({ length: 25 }, (_, n) => `{"n":${n}}`),
    );
    const config = { "webextract:pageSize": "10", "webextract:concurrency": "1" };
    const read = (args = {}) => answerOf(() => webextract.getData({ taskId: "template-1", ...args }, plain), config);
    assert.equal((await read()).rows.length, 25);
    emulator.setBehaviour({ emptyPageEvery: 2 });
    await assert.rejects(read(), (error) => {
      assert.ok(pulumi.RunError.isInstance(error) && error.stack === error.message, String(error));
      assert.match(
        error.message,
        /^Task "template-1": the service returned an empty page, although rows are left: .* Rows are missing/,
      );
      return true;
    });
    assert.equal((await read({ maxRows: 10 })).rows.length, 10);
    emulator.setBehaviour({ emptyPageEvery: 0, endOfData: "emptyPage" });
    assert.equal((await read({ offset: 5 })).rows.length, 20);
    emulator.setBehaviour({ endOfData: "restTotal" });
    await emulator.reset();
  });

  it("close their clients when no read is in progress, so that later programs are not slowed down", async () => {
    const { accessToken } = emulator.credentials;
    const config = { "webextract:concurrency": "1" };
    await answerOf(() => webextract.getDataOutput({ taskId: "template-1" }, plain), config);
    await assert.rejects(answerOf(() => webextract.getData({ taskId: "gone" }, plain), config));
    const client = new ServiceClient({
      baseUrl: emulator.url,
      accessToken,
      concurrency: 2,
      timeoutSeconds: 5,
      maxRetries: 0,
    });
    const hold = emulator.hold({ operation: "getSubtasks" });
    const held = client.allSubtasks("template-1");
    await hold.reached;
    // With the limit of the programs, it would wait for the one that is held, and that one would time out.
    const other = client.getData({ taskId: "template-1", offset: 0, size: 1 });
    await Promise.race([other, held]);
    hold.release();
    await held;
    client.close();
  });
});
