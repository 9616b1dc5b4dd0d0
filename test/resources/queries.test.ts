import assert from "node:assert/strict";
import type { ServiceClient } from "../../src/service";
import { dataQuery } from "../internals/resources";

describe("the functions that read", () => {
  it("return a page of more rows than a call can have arguments", async () => {
    const page = { total: 200_000, objects: () => Array.from({ length: 200_000 }, (_, id) => ({ id })) };
    const client = {
      async *rows() {
        yield page;
      },
    } as unknown as ServiceClient;
    const { rows, total } = await dataQuery.run(client, { taskId: "task-1", maxRows: 200_000 });
    assert.deepEqual([rows.length, total, rows.at(-1)], [200_000, 200_000, { id: 199_999 }]);
  });
});
