import assert from "node:assert/strict";
import type { Behaviour, Seed } from "webextract-emulator";
import { behaviourNames, otherValues, startEmulator } from "webextract-emulator";
import { isLarge } from "../../../test/environment";
import { skipWaits } from "../../../test/service/skipWaits";
import { mostRequests } from "../internals/probe";
import { alike, compare, isHidden, whileRunning } from "./sameService";
import type { Written } from "./writing";
import { probeWriting, seedFor, startSite } from "./writing";

describe("probe --write --start, and an emulator with the behaviours that came out", function () {
  this.timeout(120_000);

  it("finds every default, within the limit of requests", async () => {
    const { wrong, unsure, isSame, requests } = await compare({});
    assert.deepEqual([wrong, unsure, isSame], [[], [], true]);
    assert.ok(requests.sent <= mostRequests);
  });

  // One value of every fourth; all of them in the slow tests.
  for (const name of behaviourNames.filter((_, index) => isLarge || index % 4 === 0)) {
    for (const value of otherValues(name).slice(0, isLarge ? undefined : 1)) {
      const words = `${name}=${value}`;
      it(`finds ${words}, and the emulator responds as the service does`, async () => {
        const running = whileRunning.includes(words) ? { readsUntilFinished: 3 } : {};
        const { wrong, unsure, isSame, requests } = await compare({ ...running, [name]: value });
        assert.ok(requests.sent <= mostRequests);
        assert.deepEqual(wrong, []);
        const isKnown = isHidden(name, value) || alike.includes(words);
        assert.deepEqual(unsure, isKnown && unsure.length > 0 ? [words] : []);
        assert.ok(isSame);
      });
    }
  }
});

/** What one of the values looks like under the other. */
const hiding: readonly Partial<Behaviour>[] = [
  { pageTooLarge: "clamped", dataPageMax: 1000 },
  { pageTooLarge: "clamped", subtaskPageMax: 20 },
  { refreshPath: "tokenRefresh", accessTokenRequests: 7 },
  { credentialAcceptance: "either", accessTokenRequests: 7 },
  { emptyPageEvery: 7, accessTokenRequests: 7 },
  { emptyPageEvery: 7, badGatewayEvery: 6 },
  { emptyPageEvery: 1 },
  { subtaskListLag: 3, badGatewayEvery: 6 },
  { rowsArriveLate: 3, splitting: "never" },
  { taskGone: "serverError", errorStatus: "all400", copyGroup: "optional" },
  { loopsInActions: "repeatedOnly", updatedParameters: "empty" },
  { errorBody: "html", taskGone: "notYours" },
];

describe("probe --write --start of a service whose behaviours hide each other", function () {
  this.timeout(120_000);

  for (const behaviour of hiding.slice(0, isLarge ? undefined : 3)) {
    it(`says nothing that is not so of ${JSON.stringify(behaviour)}`, async () => {
      const { wrong, isSame } = await compare(behaviour);
      assert.deepEqual(wrong, []);
      assert.ok(isSame);
    });
  }

  it("sees that a loop inside an action has no effect, although the list has as many items as it sends", async () => {
    const { values } = await probeTask({ loopsInActions: "ignored" }, (site) => {
      const { tasks = [], ...seed } = seedFor(site);
      const actions = tasks[0]?.actions.map((each) => ({ ...each, loopItems: each.loopItems?.slice(0, 2) }));
      return { ...seed, tasks: tasks.map((task) => ({ ...task, actions: actions ?? [] })) };
    });
    assert.equal(values.loopsInActions, "ignored");
  });

  it("does not say that all rows are there at once if the only one comes late", async () => {
    const { values } = await probeTask({ rowsArriveLate: 3 }, (site) => seedFor(site, { syntheticRows: 1 }));
    assert.notEqual(values.rowsArriveLate, 0);
  });
});

async function probeTask(behaviour: Partial<Behaviour>, seed: (site: string) => Seed): Promise<Written> {
  const site = await startSite();
  const emulator = await startEmulator({ behaviour, seed: seed(site.baseUrl), pageTimeoutMs: 60_000 });
  const waits = skipWaits();
  try {
    return await probeWriting(emulator);
  } finally {
    waits.restore();
    await emulator.close();
    await site.close();
  }
}
