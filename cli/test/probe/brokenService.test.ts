import assert from "node:assert/strict";
import type { Emulator, Fault } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { isServiceError } from "../../../src/service";
import { skipWaits } from "../../../test/service/skipWaits";
import { mostRequests, questions } from "../internals/probe";
import type { WritingOptions, Written } from "./writing";
import { original, probeWriting, seedFor, startSite } from "./writing";

describe("probe --write --start of a service that breaks", function () {
  this.timeout(180_000);
  let site: Awaited<ReturnType<typeof startSite>>;
  let emulator: Emulator;
  let waits: ReturnType<typeof skipWaits>;
  beforeEach(async () => {
    site = await startSite();
    emulator = await startEmulator({ seed: seedFor(site.baseUrl), pageTimeoutMs: 60_000 });
    waits = skipWaits();
  });
  afterEach(async () => {
    waits.restore();
    await emulator.close();
    await site.close();
  });

  const sent = (operation: string) => emulator.requests.filter((entry) => entry.operation === operation);
  const effects = (operation: string) => sent(operation).filter(({ tookEffect }) => tookEffect).length;
  /** Copies and starts that name a task that exists. */
  const real = (operation: string) =>
    sent(operation).filter((entry) => {
      const { taskId = "" }: { taskId?: string } = { ...entry.query, ...(entry.body as object) };
      return taskId === original || emulator.inspect.task(taskId) !== undefined;
    });
  const findingOf = ({ report }: Written, check: string) => report.findings.find((each) => each.check === check);
  const probeUnder = async (faults: Fault[], options?: WritingOptions): Promise<Written> => {
    for (const fault of faults) emulator.fault(fault);
    const written = await probeWriting(emulator, options);
    assert.ok(effects("copyTask") <= 1, "one copy");
    assert.ok(effects("startTask") <= 1, "one run");
    // A request that was refused for its token may be sent again: the refusal proves that nothing was done.
    assert.ok(real("startTask").filter(({ status }) => status !== 401).length <= 1);
    assert.ok(emulator.requests.length <= mostRequests);
    assert.match(written.files["report.md"] ?? "", /^\| proxies on the way \|/m);
    return written;
  };

  it("says that the run failed, and does not call that handled", async () => {
    const failing = await startEmulator({ seed: seedFor("http://127.0.0.1:1") });
    try {
      const written = await probeWriting(failing);
      const course = findingOf(written, "course of the run");
      assert.match(course?.found ?? "", / The run failed\.$/);
      assert.equal(course?.consequence, "look");
    } finally {
      await failing.close();
    }
  });

  it("makes one copy at most, and reports what it knows, with a 500 for each tenth request", async () => {
    for (const first of [0, 4, 8]) {
      emulator.clearRequests();
      const before = emulator.inspect.taskIds().length;
      const faults = Array.from({ length: 8 }, (_, n): Fault => {
        return { operation: "*", kind: "status", status: 500, skip: first + n * 9, times: 1 };
      });
      const { report } = await probeUnder(faults);
      assert.ok(emulator.inspect.taskIds().length <= before + 1);
      assert.ok(report.findings.length >= 8, `${report.findings.length} findings`);
      emulator.clearFaults();
    }
  });

  for (const when of ["before", "after"] as const) {
    it(`does not repeat a copy whose response is lost ${when} its effect, and says what it knows`, async () => {
      const written = await probeUnder([{ operation: "copyTask", taskId: original, kind: "reset", when } as Fault]);
      assert.deepEqual([real("copyTask").length, effects("startTask")], [1, 0]);
      assert.equal(written.trial.lost, "copy");
      const copy = findingOf(written, "the copy");
      assert.equal(copy?.consequence, "notHandled");
      assert.match(copy?.found ?? "", /A copy may exist\. It is not sent again\./);
      assert.ok(written.report.notAsked.some(({ about, why }) => about === "properties" && why === "needs the copy"));
    });

    it(`does not repeat a start whose response is lost ${when} its effect`, async () => {
      const written = await probeUnder([{ operation: "startTask", kind: "reset", when, skip: 2 } as Fault]);
      assert.deepEqual([effects("copyTask"), real("startTask").length, written.trial.lost], [1, 1, "run"]);
      assert.match(
        findingOf(written, "response to a start")?.found ?? "",
        /may have started\. It is not started again\./,
      );
    });
  }

  it("begins if the first request has an error of the service, and only the responses to the next attempts are lost", async () => {
    emulator.setBehaviour({ taskGone: "serverError" });
    const { report } = await probeUnder([{ operation: "getData", kind: "reset", skip: 1, times: 2 } as Fault]);
    assert.equal(real("copyTask").length, 1);
    assert.ok(report.findings.length > 20);
  });

  it("sends a copy again only after a response that proves that nothing was done", async () => {
    await probeUnder([{ operation: "copyTask", taskId: original, kind: "error", code: "TooManyRequests" } as Fault]);
    assert.deepEqual([real("copyTask").length, effects("copyTask")], [2, 1]);
  });

  it("goes on with a new access token when one expires", async () => {
    const { report } = await probeUnder([]);
    emulator.reset();
    emulator.setBehaviour({ accessTokenRequests: 20 });
    const renewed = await probeUnder([], { options: { accessToken: undefined } });
    const kinds = (all: typeof report.findings) => all.map(({ check, is }) => `${check}: ${is}`);
    assert.deepEqual(kinds(renewed.report.findings), kinds(report.findings));
  });

  it("reports what it knows if the access token expires and there is no other", async () => {
    emulator.setBehaviour({ accessTokenRequests: 20 });
    const { report } = await probeUnder([], { options: { refreshToken: undefined, apiKey: undefined } });
    const broken = report.findings.filter(
      ({ found }) => found === "No response that the package can use (credential).",
    );
    assert.ok(broken.length > 0);
    assert.ok(report.findings.length >= 8);
  });

  it("is the end of the command if the copy is refused, and nothing exists then", async () => {
    const failure = await probeWriting(emulator, {
      options: { accessToken: "wrong", apiKey: undefined, refreshToken: undefined },
    }).catch((error: unknown) => error);
    assert.ok(isServiceError(failure, "credential"));
    assert.equal(effects("copyTask"), 0);
  });

  it("ends at its limit of requests, and says which questions were not asked", async () => {
    const { report, requests } = await probeWriting(emulator, { most: 40, startsRun: false });
    assert.ok(requests.sent <= 40);
    assert.ok(
      report.findings.some(({ found }) =>
        found.startsWith("Not asked to the end: the limit of 40 requests is reached"),
      ),
    );
  });

  it("keeps requests for each question, however often the requests of others are sent again", async () => {
    // Each response to a read of actions is lost once.
    const faults = Array.from({ length: 40 }, (_, n): Fault => {
      return { operation: "getActions", kind: "status", status: 503, skip: n * 2, times: 1 };
    });
    const { report, requests, trial } = await probeUnder(faults, { most: 123 });
    const found = (name: string) => report.findings.find(({ check }) => check === name)?.found ?? "";
    assert.ok((trial.run?.looks.length ?? 0) > 0, found("course of the run"));
    assert.match(found("rows after the end"), /^Totals/);
    assert.match(found("rows after a remove"), /^No row is left/);
    assert.ok(requests.sent <= 123);
    const ofWrites = questions.filter(({ onlyWithoutWrites }) => onlyWithoutWrites === undefined);
    assert.ok(ofWrites.reduce((sum, { most = 1 }) => sum + most, 0) < mostRequests);
  });

  it("looks at a run that takes long for a quarter of an hour", async () => {
    emulator.setBehaviour({ readsUntilFinished: 100 });
    const pauses: number[] = [];
    const { trial } = await probeWriting(emulator, {
      sleep: async (milliseconds) => void pauses.push(milliseconds / 1000),
    });
    const looks = pauses.slice(0, trial.run?.looks.length);
    const total = looks.reduce((sum, each) => sum + each, 0);
    assert.ok(total > 700 && total < 900, `${looks}`);
  });
});
