import assert from "node:assert/strict";
import type { Emulator, Fault } from "webextract-emulator";
import { documentedBehaviour, startEmulator } from "webextract-emulator";
import { skipWaits } from "../../../test/service/skipWaits";
import { behaviourValues, unissued } from "../internals/probe";
import { probed, shopTask } from "./probing";
import type { Written } from "./writing";
import { probeWriting, seedFor, startSite, withProbed } from "./writing";

const settingsOf = ({ report }: Written) => Object.fromEntries(report.settings.map(({ key, value }) => [key, value]));
const foundIn = ({ report }: Written, name: string) =>
  report.findings.find(({ check }) => check === name)?.found ?? assert.fail(name);

describe("probe --write --start of a service with all documented behaviours", function () {
  this.timeout(60_000);

  it("has each question answered, reads a run of a minute at least five times, and says nothing that is not so", async () => {
    const site = await startSite();
    // The waits of the probe take no time here, so its requests would reach the limit of a second.
    const behaviour = { ...documentedBehaviour, requestsPerSecond: 0 };
    const emulator = await startEmulator({ behaviour, seed: seedFor(site.baseUrl), pageTimeoutMs: 60_000 });
    const waits = skipWaits();
    try {
      emulator.change.holdRuns();
      let seconds = 0;
      const written = await probeWriting(emulator, {
        async sleep(milliseconds) {
          seconds += milliseconds / 1000;
          if (seconds < 60) return;
          emulator.change.releaseRuns();
          await emulator.settled();
        },
      });
      const { report, trial, values } = written;
      const open = report.findings.filter(({ is, found }) => is === "unclear" || /not asked/i.test(found));
      assert.deepEqual(open, []);
      assert.ok((trial.run?.looks.length ?? 0) >= 6, foundIn(written, "course of the run"));
      const wrong = [...behaviourValues(report)].filter(([name, fitting]) => {
        // Reads are no measure of the seconds of this run.
        return (
          name !== "readsUntilFinished" && !fitting.includes(String({ ...emulator.behaviour }[name as "errorBody"]))
        );
      });
      assert.deepEqual(wrong, []);
      const unseen = Object.keys(behaviour).filter((name) => !(name in values));
      // The probe sends no password.
      assert.deepEqual(unseen, ["expiresIn", "passwordLogin", "plansNeeded", "requestsPerSecond", "responseBytes"]);
    } finally {
      waits.restore();
      await emulator.close();
      await site.close();
    }
  });
});

/** A refusal with a code that nobody knows, and whose words could mean that something was done. */
function unknownCode(code: string, fault: Pick<Fault, "operation" | "skip">): Fault {
  const body = JSON.stringify({ error: { code, message: "no" }, requestId: `request-${code}` });
  return { ...fault, kind: "status", status: 400, body } as Fault;
}

describe("probe --write and codes that nobody knows", function () {
  this.timeout(60_000);
  let emulator: Emulator;
  let waits: ReturnType<typeof skipWaits>;
  beforeEach(async () => {
    emulator = await startEmulator({ seed: seedFor("http://127.0.0.1:1") });
    waits = skipWaits();
  });
  afterEach(async () => {
    waits.restore();
    await emulator.close();
  });

  for (const taskGone of ["invalidTaskId", "serverError"] as const) {
    it(`names each for notExecutedCodes, of random ids and malformed ones, under taskGone=${taskGone}`, async () => {
      emulator.setBehaviour({ taskGone });
      emulator.fault(unknownCode("NoGroupInProgress", { operation: "copyTask" }));
      // After the copy without a group and the copy.
      emulator.fault(unknownCode("SourceConflict", { operation: "copyTask", skip: 1 }));
      emulator.fault(unknownCode("MalformedLocked", { operation: "startTask", skip: 1 }));
      const written = await probeWriting(emulator, { startsRun: false });
      const codes = settingsOf(written)["webextract:notExecutedCodes"];
      assert.equal(codes, "NoGroupInProgress,SourceConflict,MalformedLocked");
      const found = foundIn(written, "task that does not exist, for each operation");
      assert.match(found, /400 SourceConflict \(copyTask\)/);
      assert.match(found, /400 MalformedLocked \(startTask of a malformed id\)/);
    });
  }

  it("asks about ids of the shape of the copy's that no task has", async () => {
    await withProbed(
      {},
      (_written, { requests, inspect }) => {
        const asked = requests.flatMap(({ operation, body }) =>
          operation === "removeData" ? [(body as { taskId: string }).taskId] : [],
        );
        const unknown = asked.filter((taskId) => inspect.task(taskId) === undefined);
        assert.equal(unknown.length, 1);
        assert.match(unknown.join(), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      },
      { startsRun: false },
    );
  });

  it("asks about a random id only if its shape has so many that none can be another task's", () => {
    assert.equal(unissued("10423"), "webextract-probe-no-task");
    assert.equal(unissued("shop-task-83"), "webextract-probe-no-task");
    assert.match(unissued("638755274101861606"), /^\d{18}$/);
    assert.match(unissued("0cbe2b6ca5fd4f0e8d53b4b0c1f2a3d4"), /^[0-9a-f]{32}$/);
    assert.notEqual(unissued("638755274101861606"), "638755274101861606");
  });
});

describe("probe that only reads", () => {
  it("says with which code a service refuses a random id, and a malformed one", async () => {
    const { findings } = await probed({
      taskId: shopTask,
      prepare: (emulator) => emulator.fault(unknownCode("NoSuchThing", { operation: "getData", skip: 1 })),
    });
    const { found = "" } = findings.find(({ check }) => check === "task that does not exist") ?? {};
    assert.match(found, /^A refusal, 400 NoSuchThing, .* A malformed id: 400 InvalidTaskId\.$/);
  });

  for (const accessToken of [undefined, "expired"]) {
    it(`says of an access token only what was tried: ${accessToken ?? "none"}`, async () => {
      const { findings } = await probed({
        behaviour: { credentialAcceptance: "apiKeyEverywhere" },
        options: { accessToken },
      });
      const { found } = findings.find(({ check }) => check === "credential of reads") ?? {};
      const rest = accessToken === undefined ? ". No access token is configured." : ", and not the access token.";
      assert.equal(found, `The service accepts the API key${rest}`);
    });
  }
});
