import assert from "node:assert/strict";
import type { OperationName } from "../../../src/service";
import { failureOfResponse } from "../../internals/service";

/** The operations that must not be executed twice; the two updates, if they append. Written by hand. */
const once: readonly OperationName[] = [
  ...(["copyTask", "startTask", "updateLoopItems", "updateTaskParameters"] as const),
  ...(["markExported", "removeData", "refreshToken"] as const),
];
const statuses = Array.from({ length: 800 }, (_, index) => 200 + index);
/** The statuses with which a server refuses a request before it executes it or hands it on. */
const beforeExecution = [407, 411, 413, 414, 417, 421, 429, 431];

const usualStatuses = [
  200, 204, 302, 400, 401, 403, 404, 405, 408, 409, 413, 422, 429, 444, 499, 500, 502, 504, 599, 999,
];

/** The failure of a response with this body. */
function failureOf(name: OperationName, status: number, body: unknown, headers: { challenge?: string } = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const contentType = typeof body === "string" ? "text/html" : "application/json";
  const response = { status, contentType, body: Buffer.from(text), ...headers };
  return failureOfResponse(response, { request: { name, mayRepeat: !once.includes(name) }, notExecutedCodes: [] });
}

/** The statuses with which this body proves that the operation was not executed. */
function proving(name: OperationName, body: unknown, among = statuses): number[] {
  return among.filter((status) => failureOf(name, status, body)?.outcome === "notExecuted");
}

const envelope = (code: string) => ({ error: { code, message: `it is ${code}` }, requestId: "0HMD469L0I8R0:00000001" });
const older = (code: string) => ({ error: code, error_Description: `it is ${code}` });

/** The codes with which the service refuses an operation, by hand. */
function codesOf(name: OperationName): string[] {
  const ofAll = ["Invalid.Token", "PermissionDenied", "TooManyRequests", "InvalidParameter"];
  const usual = [...ofAll, "InvalidParameter.Required", "RequestModelNull", "MemberNotAllowed"];
  if (name === "refreshToken") return [...usual, "Invalid.Grant"];
  const ofActions = name.startsWith("update") ? ["TaskSettingsNotFound"] : [];
  const ofTasks = ["TaskNotBelongToYou", "GroupNotFound", "TaskUpdateFail"];
  return [...usual, ...ofActions, ...ofTasks, "InvalidTaskId", "TaskExecuting"];
}

const allCodes = [...codesOf("refreshToken"), ...codesOf("updateLoopItems")];
/** Codes of a gateway, of a path, of a failure, and of what an earlier sending of the same request can have caused. */
const foreignCodes = [
  ...[
    "NotFound",
    "Not_Found",
    "MethodNotAllowed",
    "BadRequest",
    "Bad Request",
    "GatewayTimeout",
    "Conflict",
    "Forbidden",
  ],
  ...["EndpointNotFound", "NoSuchPath", "UnsupportedMethod", "UpstreamUnavailable", "ProxyRefused", "RequestTimedOut"],
  ...["ServerError", "InternalException", "CopyFailed", "UnknownState", "SystemBusy", "Cancelled", "1", "40013", "-"],
  ...["TaskAlreadyStarted", "DuplicateRequest", "TaskIsRunning", "CopyInProgress", "Task.Locked", "RepeatedRequest"],
];
/** What a service may call a refusal tomorrow. */
const newCodes = [
  "Oops",
  "constructor",
  "GroupIsFull",
  "TaskNotExist",
  "TemplateNotAllowed",
  "Quota.Exceeded",
  "Task_Archived",
];

/** What others than the service have sent in its place. */
const foreignBodies: Record<string, unknown> = {
  "no body": "",
  "a page": "<html><head><title>404 Not Found</title></head><body><center>nginx/1.22.1</center></body></html>",
  "the service's response to a path that it does not have": envelope("NotFound"),
  "a sentence as an error": { error: "upstream request timeout" },
  "a code of a gateway": { code: 1, message: "client closed the request" },
  "a known code without the form of the service": { code: "InvalidTaskId", message: "no such task" },
  "an error without a requestId": { error: { code: "InvalidTaskId", message: "no such task" } },
  "an error without a code": { error: { message: "it is not done" }, requestId: "q" },
  "a list": [envelope("InvalidTaskId")],
  "half an error": '{"error":{"code":"InvalidTaskId","message":"no su',
};

describe("a response that is no success proves that nothing was executed", () => {
  for (const name of [...once, "getData"] as const) {
    describe(name, () => {
      for (const [index, [what, body]] of Object.entries(foreignBodies).entries()) {
        it(`only with a status of a request that was not handed on, if it is ${what}`, () => {
          // Each status with the first bodies, and some with the others: all with all would take a minute.
          const among = index < 3 ? statuses : usualStatuses;
          assert.deepEqual(
            proving(name, body, among),
            beforeExecution.filter((status) => among.includes(status)),
          );
        });
      }

      it("with each known code of the operation, in both forms of an error, with 200 and 4xx", () => {
        for (const [index, code] of codesOf(name).entries()) {
          const among = index === 0 ? statuses : usualStatuses;
          const able = among.filter((status) => status === 200 || (status >= 400 && status < 500));
          // A 408 says that the outcome is unknown, and these codes do not say otherwise.
          const isPlain = /^(InvalidParameter|RequestModelNull|GroupNotFound|TaskUpdateFail)/.test(code);
          const expected = able.filter((status) => status !== 408 || !isPlain);
          assert.deepEqual(proving(name, index % 2 === 0 ? envelope(code) : older(code), among), expected, code);
        }
      });

      it("with an unknown code only if it is the service's refusal of a task's operation, with 400 and a requestId", () => {
        const expected = statuses.filter((status) => beforeExecution.includes(status) || status === 400);
        for (const [index, code] of newCodes.entries()) {
          const among = index === 0 ? statuses : usualStatuses;
          const able = (name === "refreshToken" ? beforeExecution : expected).filter((status) =>
            among.includes(status),
          );
          assert.deepEqual(proving(name, envelope(code), among), able, code);
          const { error } = envelope(code);
          const halves = [older(code), { error }, { error: { code }, requestId: "q" }, { ...error, requestId: "q" }];
          for (const half of [...halves, { error: { message: "no" }, requestId: "q" }]) {
            assert.deepEqual(
              proving(name, half, among),
              beforeExecution.filter((status) => among.includes(status)),
              JSON.stringify(half),
            );
          }
        }
      });

      it("not with a code of other operations, nor with one of a gateway, a path, a failure or an earlier sending", () => {
        const foreign = [...allCodes.filter((code) => !codesOf(name).includes(code)), ...foreignCodes];
        const expected = usualStatuses.filter((status) => beforeExecution.includes(status));
        for (const body of foreign.flatMap((code) => [envelope(code), older(code)])) {
          const isServerError = JSON.stringify(body).includes("ServerError");
          assert.deepEqual(proving(name, body, usualStatuses), isServerError ? [429] : expected, JSON.stringify(body));
        }
      });

      it("with a 401 that asks for another access token", () => {
        assert.equal(failureOf(name, 401, "", { challenge: 'Bearer error="invalid_token"' })?.outcome, "notExecuted");
        assert.equal(failureOf(name, 401, "", { challenge: 'Basic realm="bearer"' })?.outcome, "unknown");
        assert.equal(failureOf(name, 403, "", { challenge: "Bearer" })?.outcome, "unknown");
      });
    });
  }
});

describe("a response that does not come from the service", () => {
  const page = (status: number) => failureOf("getData", status, "<html>");

  it("is a success only with status 200, and causes a retry if a retry can help", () => {
    assert.deepEqual(
      statuses.filter((status) => page(status) === undefined),
      [200],
    );
    const repeatable = statuses.filter((status) => page(status)?.repeat === "repeatable");
    assert.deepEqual(repeatable, [408, ...statuses.filter((status) => status >= 500)]);
    assert.deepEqual(
      statuses.filter((status) => page(status)?.repeat === "anyOperation"),
      [429],
    );
  });
});

describe("a stored response", () => {
  const stored = (given: { age?: number; earlierIds?: Set<string> }) => {
    const { age, ...reading } = given;
    const response = { status: 400, contentType: "", age, body: Buffer.from(JSON.stringify(envelope("GroupIsFull"))) };
    const request = { name: "copyTask", mayRepeat: false } as const;
    return failureOfResponse(response, { request, notExecutedCodes: [], ...reading })?.outcome;
  };

  it("proves nothing by an unknown code: it is about another request", () => {
    assert.equal(stored({}), "notExecuted");
    assert.equal(stored({ earlierIds: new Set(["0HMD469L0I8R0:00000002"]) }), "notExecuted");
    assert.equal(stored({ earlierIds: new Set(["0HMD469L0I8R0:00000001"]) }), "unknown");
    assert.equal(stored({ age: 3 }), "unknown");
  });
});

describe("an error of the service", () => {
  const request = { name: "copyTask", mayRepeat: false } as const;
  const response = { status: 400, contentType: "application/json" };

  it("is read if a byte order mark comes first", () => {
    const body = Buffer.from(`\ufeff${JSON.stringify(envelope("InvalidTaskId"))}`);
    const failure = failureOfResponse({ ...response, body }, { request, notExecutedCodes: [] });
    assert.deepEqual([failure?.kind, failure?.outcome, failure?.code], ["notFound", "notExecuted", "InvalidTaskId"]);
  });

  for (const hours of [-1, 0, 1]) {
    it(`has a Retry-After as a date by the clock of the service, which is ${hours} h ahead`, () => {
      const now = Date.now() + hours * 3_600_000;
      const date = new Date(now).toUTCString();
      const retryAfter = new Date(now + 7000).toUTCString();
      const limited = { ...response, status: 429, date, retryAfter, body: Buffer.alloc(0) };
      assert.equal(failureOfResponse(limited, { request, notExecutedCodes: [] })?.retryAfter, 7000);
    });
  }
});
