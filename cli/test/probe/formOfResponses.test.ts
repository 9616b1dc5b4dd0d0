import assert from "node:assert/strict";
import { startEmulator } from "webextract-emulator";
import { slowIt } from "../../../test/environment";
import { startFakeServer } from "../../../test/service/fakeServer";
import { skipWaits } from "../../../test/service/skipWaits";
import { hasProblems } from "../internals/probe";
import type { Written } from "./writing";
import { probeWriting, seedFor, startSite } from "./writing";

/** Probes the emulator behind a server that sends its responses in another form. */
async function probedAs(form: (body: string) => string): Promise<Written> {
  const site = await startSite();
  const emulator = await startEmulator({ seed: seedFor(site.baseUrl), pageTimeoutMs: 60_000 });
  const service = await startFakeServer(async ({ method, url, headers, body }, response) => {
    const { host, connection, "content-length": length, "transfer-encoding": encoding, ...own } = headers;
    const sent = method === "GET" ? undefined : body;
    const came = await fetch(emulator.url + url, { method, headers: own as Record<string, string>, body: sent });
    response.writeHead(came.status, { "content-type": "application/json" });
    response.end(form(await came.text()));
  });
  const waits = skipWaits();
  try {
    return await probeWriting(emulator, { options: { baseUrl: service.baseUrl } });
  } finally {
    waits.restore();
    await service.close();
    await emulator.close();
    await site.close();
  }
}

describe("probe --write --start at a service that writes its responses in another form", function () {
  this.timeout(60_000);

  const forms: [name: string, form: (body: string) => string, found: RegExp][] = [
    [
      "a lotNo as a number",
      (body) => body.replace(/"lotNo":"(\d+)"/, '"lotNo":$1'),
      /^A lotNo \(18 digits\) and the status/,
    ],
    [
      "a start without a status",
      (body) => body.replace(/("lotNo":"\d+"),"status":"\w+"/, "$1"),
      /^A lotNo \(18 digits\) and no status\.$/,
    ],
    ["a byte order mark", (body) => `\uFEFF${body}`, /^A lotNo \(18 digits\) and the status/],
  ];
  for (const [name, form, found] of forms) {
    const test = name === forms[0]?.[0] ? it : slowIt;
    test(`finds what the package handles: ${name}`, async () => {
      const { report, trial } = await probedAs(form);
      assert.match(report.findings.find(({ check }) => check === "response to a start")?.found ?? "", found);
      assert.match(trial.run?.lotNo ?? "", /^\d{18}$/);
      assert.ok(!hasProblems(report), JSON.stringify(report.findings.filter(({ is }) => is === "problem")));
      const rows = report.findings.find(({ check }) => check === "rows of the batch");
      assert.notEqual(rows?.is, "unclear", rows?.found);
      assert.deepEqual(
        report.findings.filter(({ found: words }) => words.startsWith("No response")),
        [],
      );
    });
  }
});
