import assert from "node:assert/strict";
import { ServiceClient } from "../../../src/service";
import fc from "../../fastCheck";
import type { UploadSource } from "../../internals/service";
import { failureOfResponse, hideRequestValues, prepare, Redactor } from "../../internals/service";
import { json, startFakeServer } from "../fakeServer";
import { errorOf } from "./errorOf";

const choices = { credentials: "contract", refreshPath: "/token" } as const;

/** The message of the service about a request, as an error shows it. */
function told(message: string, request: ReturnType<typeof prepare>, code = "InvalidParameter"): string {
  const body = Buffer.from(JSON.stringify({ error: { code, message }, requestId: "r-1" }));
  const response = { status: 400, contentType: "application/json", body };
  const hideValues = (text: string) => hideRequestValues(text, request);
  const failure = failureOfResponse(response, {
    request: { name: "getData", mayRepeat: true },
    notExecutedCodes: [],
    hideValues,
  });
  assert.ok(failure?.problem.includes(failure.said ?? "nothing is said"));
  return failure?.problem.replace("the service responded with 400 ", "") ?? "";
}

const properties = (value: string) =>
  prepare(
    "updateActionProperties",
    {
      taskId: "task-1",
      actions: [{ actionType: "NavigateAction", actionId: "open", properties: [{ name: "Url", value }] }],
    },
    choices,
  );

const upload = (open: UploadSource["open"]) => prepare("updateTaskUrls", { taskId: "task-1", file: { open } }, choices);

describe("a message of the service that can contain request values", () => {
  const value = "https://Inner.test/path?key=Zx81";

  for (const [how, said, left] of [
    ["as a whole", `Url of action open is "${value}" in task-1`, 'Url of action open is "[hidden]" in task-1'],
    ["in other letters", `"${value.toUpperCase()}" is bad`, '"[hidden]" is bad'],
    ["as part of a URL", `bad: ${encodeURIComponent(value)}`, "bad: [hidden]"],
    ["as part of a URL in small letters", `bad: ${encodeURIComponent(value).toLowerCase()}`, "bad: [hidden]"],
    ["where the text is cut off", `${"x".repeat(280)} ${value}`, `${"x".repeat(280)} [hidden]`],
  ] as const) {
    it(`is shown without a request value that it repeats ${how}`, () => {
      assert.equal(told(said, properties(value)), `InvalidParameter: "${left}".`);
    });
  }

  it("is shown without a value that contains blanks", () => {
    assert.equal(told("x y z is bad", properties("x y z")), 'InvalidParameter: "[hidden] is bad".');
  });

  it("is shown without a short value that stands alone", () => {
    assert.equal(told("Url 12 is not 120", properties("12")), 'InvalidParameter: "Url [hidden] is not 120".');
  });

  it("is shown with a value of one character, which can be a word of the message", () => {
    const said = "action open is not a loop";
    assert.equal(told(said, properties("a")), `InvalidParameter: "${said}".`);
  });

  it("is shown unchanged if it repeats no value", () => {
    const said = 'action "open" of task-1 is of another type than NavigateAction';
    assert.equal(told(said, properties(value)), `InvalidParameter: "${said}".`);
  });

  it("is shown with an id that equals a value", () => {
    assert.equal(told("open of task-1", properties("task-1")), 'InvalidParameter: "open of task-1".');
  });

  it("is shown without any part of values that are longer than the shown part", () => {
    const values = Array.from({ length: 1000 }, (_, index) => `${"secret-".repeat(300)}${index}`);
    const request = prepare(
      "updateLoopItems",
      { taskId: "task-1", actionId: "each", loopType: "TextList", loopItems: values, isAppend: false },
      choices,
    );
    const said = `${"first ".repeat(20)}${values.slice(0, 100).join(" ")}`;
    const left = told(said, request);
    assert.match(left, /^InvalidParameter: "(first ){20}\[hidden\]/);
    assert.doesNotMatch(left, /secret/);
  });

  it("can end with a value that looks like the replacement", () => {
    assert.equal(told("hidden is bad", properties("hidden")), 'InvalidParameter: "[hidden] is bad".');
  });

  it("is shown without a value that an error code repeats", () => {
    assert.equal(told("bad", properties(value), `Bad ${value}`), 'Bad [hidden]: "bad".');
  });

  it("is shown without loop items", () => {
    const request = prepare(
      "updateLoopItems",
      { taskId: "task-1", actionId: "each", loopType: "TextList", loopItems: ["good", "private.one"], isAppend: false },
      choices,
    );
    assert.equal(
      told("item 2 of each, private.one, is no URL", request),
      'InvalidParameter: "item 2 of each, [hidden], is no URL".',
    );
  });

  it("is shown without possible parts of a URL after an upload, because the file is not opened again", () => {
    const request = upload(() => {
      throw new Error("opened again");
    });
    for (const [said, left] of [
      ["line 1: Inner.test in task-1", "line 1: [hidden] in task-1"],
      ['"https://inner.test/a?key=Zx81" is bad', "[hidden] is bad"],
      ["bad: https%3a%2f%2finner%2ftest", "bad: [hidden]"],
      ["host:8080 and a/b and c=d", "[hidden] and [hidden] and [hidden]"],
      ["the file is too large. Split it.", "the file is too large. Split it."],
    ] as const) {
      assert.equal(told(said, request), `InvalidParameter: "${left}".`);
    }
    assert.equal(told("bad", request, "Invalid.Parameter"), 'Invalid.Parameter: "bad".');
  });
});

describe("a credential in a service's message", () => {
  it("is removed before the message is cut, so that no half of it is left", () => {
    const token = "access-token-0123456789";
    const body = Buffer.from(JSON.stringify({ error: { code: "X", message: `${"x".repeat(290)} ${token}` } }));
    const failure = failureOfResponse(
      { status: 400, contentType: "application/json", body },
      {
        request: { name: "getData", mayRepeat: true },
        notExecutedCodes: [],
        scrub: (text) => text.replaceAll(token, "[secret]"),
      },
    );
    assert.doesNotMatch(failure?.problem ?? "", /access/);
  });

  it("is removed from a content type before that is cut", () => {
    const token = "access-token-0123456789";
    const contentType = `text/html; x=${"x".repeat(280)}${token}`;
    const response = { status: 502, contentType, body: Buffer.from("<html>") };
    const failure = failureOfResponse(response, {
      request: { name: "getData", mayRepeat: true },
      notExecutedCodes: [],
      scrub: (text) => text.replaceAll(token, "[secret]"),
    });
    assert.doesNotMatch(failure?.problem ?? "", /access/);
  });

  it("is removed in each spelling in which a service may repeat it", () => {
    const secrets = new Redactor();
    const word = 'a~b/c+d=e"f?>g*ÿ_z';
    secrets.add(word);
    const percent = encodeURIComponent(word);
    const base64 = Buffer.from(word).toString("base64");
    for (const spelling of [
      word,
      word.toUpperCase(),
      percent,
      percent.toLowerCase(),
      new URLSearchParams({ word }).toString().slice("word=".length),
      JSON.stringify(word),
      base64,
      base64.replace(/=+$/, ""),
      Buffer.from(word).toString("base64url"),
    ]) {
      assert.match(secrets.scrub(`before ${spelling} after`), /^before "?\[secret\]=*"? after$/, spelling);
    }
  });

  it("is removed whatever characters it contains", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 6 }), fc.string(), fc.string(), (word, before, after) => {
        const secrets = new Redactor();
        secrets.add(word);
        assert.ok(!secrets.scrub(`${before} ${word} ${after}`).includes(` ${word} `));
      }),
    );
  });
});

describe("foreign text", () => {
  it("does not reach a report through the names of headers about a rate", async () => {
    const server = await startFakeServer((_seen, response) => {
      for (const name of ["X-RateLimit-Limit-Requests", "RateLimit", "X-RateLimit-acct-7f3a", "Retry-After"]) {
        response.setHeader(name, "1");
      }
      json(response, 200, { data: {}, requestId: "q" });
    });
    const names: unknown[] = [];
    const watch = {
      before: () => undefined,
      after: (_: string, seen: { rateHeaders?: unknown }) => names.push(seen.rateHeaders),
    };
    const client = new ServiceClient({ baseUrl: server.baseUrl, accessToken: "access-1", watch });
    await client.markExported({ taskId: "t" });
    client.close();
    await server.close();
    assert.deepEqual(names, [["x-ratelimit-limit-requests", "ratelimit", "x-ratelimit-…", "retry-after"]]);
  });

  it("is one line without escape sequences in errors and in the log", async () => {
    const lines: string[] = [];
    const server = await startFakeServer((_seen, response) => {
      json(response, 400, { error: { code: "Bad\u001b[2J", message: "no\r\nway" }, requestId: "q\n1" });
    });
    const log = (line: string) => lines.push(line);
    const client = new ServiceClient({ baseUrl: server.baseUrl, accessToken: "access", logLevel: "trace", log });
    const taskId = "t\n\u001b[31mred\u202e";
    const error = await errorOf(client.removeData({ taskId }));
    client.close();
    await server.close();
    assert.equal(error.taskId, taskId);
    for (const text of [error.message, error.code, error.said, error.requestId, ...lines]) {
      assert.doesNotMatch(String(text), /[\p{Cc}\p{Cf}]/u);
    }
    assert.equal(lines.length, 1);
  });
});
