import assert from "node:assert/strict";
import type { Behaviour } from "webextract-emulator";
import { slowIt } from "../../../test/environment";
import { probeAndWork } from "./workWithSettings";

/** What the probe must name for a task, a run and an export with marks to work. The slow tests do the same under every behaviour. */
const needed: [behaviour: Partial<Behaviour>, key: string, value: string][] = [
  [{ refreshPath: "tokenRefresh" }, "webextract:refreshPath", "/token/refresh"],
  [{ credentialAcceptance: "bearerOnUpload" }, "webextract:credentials", "bearer"],
  [
    { statusWords: "unknown" },
    "webextract:statuses",
    JSON.stringify({ finished: ["finished", "completed", "done", "concluded"] }),
  ],
  [{ markScope: "returned" }, "webextract:markScope", "returned"],
  [{ dataPageMax: 200 }, "webextract:pageSize", "200"],
  [{ startResponse: "null" }, "webextract:startsWithoutLotNo", "true"],
];

describe("the settings of probe --write --start", function () {
  this.timeout(120_000);

  for (const [index, [behaviour, key, value]] of needed.entries()) {
    const test = index % 3 === 0 ? it : slowIt;
    test(`make a task, a run and an export with marks work: ${key} under ${JSON.stringify(behaviour)}`, async () => {
      const { settings } = await probeAndWork(behaviour, false);
      assert.equal(settings.find((setting) => setting.key === key)?.value, value);
    });
  }

  for (const behaviour of [{ splitting: "never" }, { rowsArriveLate: 3 }] as const) {
    it(`name finishedWhen under ${JSON.stringify(behaviour)}, and work with it`, async () => {
      const { findings } = await probeAndWork(behaviour, false);
      assert.ok(findings.some(({ argument }) => argument === 'finishedWhen: "rowsSettled" of each CloudRun'));
    });
  }

  it("are said to be none if nothing helps, with the limitation", async () => {
    const { findings } = await probeAndWork({ taskGone: "serverError" }, true);
    const [limit] = findings.filter(({ consequence }) => consequence === "notHandled");
    assert.match(limit?.limitation ?? "", /^A refresh does not see that a task is gone/);
  });
});
