import assert from "node:assert/strict";
import { Readable } from "node:stream";
import type { UploadSource } from "../../internals/service";
import { failureOfAnswer, prepare, withoutRequestValues } from "../../internals/service";

const choices = { credentials: "contract", refreshPath: "/token" } as const;

/** What is left of a service's message about a request. */
async function told(message: string, request: ReturnType<typeof prepare>, code = "InvalidParameter"): Promise<string> {
  const body = Buffer.from(JSON.stringify({ error: { code, message }, requestId: "r-1" }));
  const answer = { status: 400, contentType: "application/json", body };
  const failure = await withoutRequestValues(failureOfAnswer(answer, []), request);
  assert.ok(failure?.problem.includes(failure.said ?? "nothing is said"));
  return failure?.problem.replace("the service answered 400 ", "") ?? "";
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

describe("what a service says about the values of a request", () => {
  const value = "https://Inner.test/path?key=Zx81";

  for (const [how, said, left] of [
    ["as a whole", `Url of action open is "${value}" in task-1`, 'Url of action open is "[hidden]" in task-1'],
    ["in other letters", `"${value.toUpperCase()}" is bad`, '"[hidden]" is bad'],
    ["in part", "no access to INNER.test for action open", "no access to [hidden] for action open"],
    ["as in a URL", `bad: ${encodeURIComponent(value)}`, "bad: [hidden]"],
    ["cut off", `${"x".repeat(280)} ${value}`, `${"x".repeat(280)} [hidden]`],
  ] as const) {
    it(`is told without them where it repeats one ${how}`, async () => {
      assert.equal(await told(said, properties(value)), `InvalidParameter: "${left}".`);
    });
  }

  it("is told without a value that has blanks in it", async () => {
    assert.equal(await told("x y z is bad", properties("x y z")), 'InvalidParameter: "[hidden] is bad".');
  });

  it("is told without a short value where it stands alone", async () => {
    assert.equal(await told("Url 12 is not 120", properties("12")), 'InvalidParameter: "Url [hidden] is not 120".');
  });

  it("is told as it is where it repeats none", async () => {
    const said = 'action "open" of task-1 is of another type than NavigateAction';
    assert.equal(await told(said, properties(value)), `InvalidParameter: "${said}".`);
  });

  it("keeps ids readable, also where a value holds them", async () => {
    assert.equal(
      await told("open in task-1 failed", properties("open in task-1/failed-too")),
      'InvalidParameter: "open in task-1 [hidden]".',
    );
  });

  it("ends with a value that looks like what takes its place", async () => {
    assert.equal(await told("hidden is bad", properties("hidden")), 'InvalidParameter: "[hidden] is bad".');
  });

  it("is told without them where an error code repeats one", async () => {
    assert.equal(await told("bad", properties(value), `Bad ${value}`), 'Bad [hidden]: "bad".');
  });

  it("is told without loop items", async () => {
    const request = prepare(
      "updateLoopItems",
      { taskId: "task-1", actionId: "each", loopType: "TextList", loopItems: ["good", "private.one"], isAppend: false },
      choices,
    );
    assert.equal(
      await told("item 2 of each, private.one, is no URL", request),
      'InvalidParameter: "item 2 of each, [hidden], is no URL".',
    );
  });

  it("is told without the URLs of a file, which is read once more, in pieces", async () => {
    const request = upload(() => Readable.from([Buffer.from("https://inn"), Buffer.from("er.test/a\n")]));
    assert.equal(
      await told("line 1: Inner.test in task-1", request),
      'InvalidParameter: "line 1: [hidden] in task-1".',
    );
    assert.equal(await told("the file is too large", request), 'InvalidParameter: "the file is too large".');
  });

  it("is not told at all where the file cannot be read once more", async () => {
    const request = upload(() => {
      throw new Error("gone");
    });
    assert.doesNotMatch(await told("line 1: inner.test", request), /inner\.test/);
  });
});

describe("a credential in a service's message", () => {
  it("is taken out before the message is cut, or half of it would stay", () => {
    const token = "access-token-0123456789";
    const body = Buffer.from(JSON.stringify({ error: { code: "X", message: `${"x".repeat(290)} ${token}` } }));
    const failure = failureOfAnswer({ status: 400, contentType: "application/json", body }, [], (text) =>
      text.replaceAll(token, "[secret]"),
    );
    assert.doesNotMatch(failure?.problem ?? "", /access/);
  });
});
