import assert from "node:assert/strict";
import { ServiceError } from "../../../src/service";
import { course } from "../internals/probe";

const refusal = new ServiceError({
  ...{ operation: "getData", kind: "refused", outcome: "notExecuted", status: 400, code: "Busy" },
  ...{ message: "refused", hint: "" },
});

type Read = number | "refused";

/** What a probe says of a run whose list stays empty: it reads the list `looks` times, and the totals of the rows. */
async function courseOf(looks: number, reads: readonly Read[]): ReturnType<typeof course> {
  const left = [...reads];
  const requests = { left: looks + reads.length, isExactSince: () => true };
  const client = {
    async getSubtasks() {
      requests.left -= 1;
      return { data: [] };
    },
    async getData() {
      requests.left -= 1;
      const total = left.shift();
      if (total === "refused") {
        throw refusal;
      }
      return { data: { total } };
    },
  };
  const run = { looks: [], totals: [], hasEnded: false };
  const trial = { run, sleep: async () => undefined };
  return course({ client, requests, settings: { statuses: {} }, trial, taskId: "t" } as never);
}

describe("probe of a run whose list of subtasks stays empty", () => {
  const unclear: [name: string, looks: number, reads: Read[], found: string][] = [
    ["says nothing of rows that were not read", 3, [], "The list stayed empty for 0 s."],
    ["says nothing of reads that were refused", 5, ["refused", "refused"], "The list stayed empty for 0 s."],
    ["says that no row came", 5, [0, 0], "The list stayed empty for 0 s, and no row came."],
    [
      "says that rows came and did not settle",
      5,
      [40, 40],
      "The list stayed empty for 0 s, although rows came. The rows had not settled.",
    ],
    [
      "says that no row came where some reads were refused",
      5,
      ["refused", 0],
      "The list stayed empty for 0 s, and no row came.",
    ],
  ];
  for (const [name, looks, reads, found] of unclear) {
    it(name, async () => {
      assert.deepEqual(await courseOf(looks, reads), { is: "unclear", found });
    });
  }

  it("says that rows came and settled", async () => {
    const { is, found } = await courseOf(6, [40, 40, 40]);
    assert.deepEqual([is, found], ["problem", "The list stayed empty for 0 s, although rows came."]);
  });
});
