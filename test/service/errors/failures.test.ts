import assert from "node:assert/strict";
import { failureOfResponse } from "../../internals/service";

describe("a response that does not come from the service", () => {
  const page = (status: number) =>
    failureOfResponse(
      { status, contentType: "text/html", retryAfter: undefined, body: Buffer.from("<html>") },
      { notExecutedCodes: [] },
    );
  const statuses = Array.from({ length: 400 }, (_, index) => 200 + index);

  it("proves that nothing was executed only if its status says that the server did not accept the request", () => {
    const proven = statuses.filter((status) => page(status)?.outcome === "notExecuted");
    assert.deepEqual(proven, [400, 401, 403, 404, 405, 406, 407, 410, 411, 413, 414, 415, 417, 421, 422, 429, 431]);
  });

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
