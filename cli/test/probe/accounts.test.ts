import assert from "node:assert/strict";
import { startEmulator } from "webextract-emulator";
import { skipWaits } from "../../../test/service/skipWaits";
import { hasProblems, mostRequests } from "../internals/probe";
import { group, original, probeWriting, seedFor, startSite, withProbed } from "./writing";

describe("probe --write --start", function () {
  this.timeout(60_000);

  it("works with an API key alone, and names the setting for it", async () => {
    const behaviour = { credentialAcceptance: "apiKeyEverywhere", readsUntilFinished: 3 } as const;
    await withProbed(
      behaviour,
      ({ report }, emulator) => {
        assert.ok(!hasProblems(report), JSON.stringify(report.findings));
        assert.ok(report.settings.some(({ key, value }) => key === "webextract:credentials" && value === "apiKey"));
        const credentials = new Set(
          emulator.requests.filter(({ tookEffect }) => tookEffect).map((each) => each.credential),
        );
        assert.deepEqual([...credentials], ["apiKey"]);
        const broken = report.findings.filter(({ found }) => found.startsWith("No response"));
        assert.deepEqual(broken, []);
      },
      { options: { accessToken: undefined, refreshToken: undefined } },
    );
  });

  it("works with an access token alone", async () => {
    await withProbed(
      {},
      ({ report }) => {
        assert.ok(!hasProblems(report), JSON.stringify(report.findings.filter(({ is }) => is !== "good")));
      },
      { options: { apiKey: undefined } },
    );
  });

  it("names the setting of the contract if the configured one does not fit any more", async () => {
    await withProbed(
      {},
      ({ report }) => {
        assert.ok(!hasProblems(report), JSON.stringify(report.findings.filter(({ is }) => is !== "good")));
        assert.ok(report.settings.some(({ key, value }) => key === "webextract:credentials" && value === "contract"));
      },
      { options: { credentials: "bearer" } },
    );
  });

  it("says what a task without actions, loops and rows does not show, and claims nothing", async () => {
    const site = await startSite();
    const bare = { taskId: original, taskGroupId: group, actions: [] };
    const emulator = await startEmulator({ seed: { ...seedFor(site.baseUrl), tasks: [bare] } });
    const waits = skipWaits();
    try {
      const { report, values, requests } = await probeWriting(emulator);
      const open = report.findings.filter(({ is }) => is === "unclear").map(({ check }) => check);
      for (const check of ["actions of the copy", "properties", "loops of updateLoopItems", "rows after the end"]) {
        assert.ok(open.includes(check), `${check}: ${open}`);
      }
      assert.ok(!hasProblems(report), JSON.stringify(report.findings.filter(({ is }) => is === "problem")));
      assert.ok(!("markScope" in values) && !("loopsInActions" in values));
      assert.ok(requests.sent <= mostRequests);
    } finally {
      waits.restore();
      await emulator.close();
      await site.close();
    }
  });
});
