import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { documented, page } from "../../bench/document/document";
import { ratiosOf } from "../../bench/document/goals";
import { limitedText } from "../../bench/document/peersText";
import { keepsGoal } from "../../bench/figure";
import type { PeerResult, PeersResult } from "../../bench/peers/result";

function run(tasks: number, peers: PeerResult[], requestsPerSecond?: number): PeersResult {
  return { machine: "a machine", measuredAt: "2026-01-01", tries: 1, tasks, requestsPerSecond, peers };
}

function peer(name: string, wallSeconds: number, requests = 0): PeerResult {
  const phase = { wallSeconds, cpuSeconds: wallSeconds * 2, requests, refused: 0 };
  return { peer: name, stateBytes: wallSeconds * 1000, phases: { "first up": phase, "unchanged up": phase } };
}

describe("the page with measurements", () => {
  it("contains the saved results", () => {
    assert.equal(readFileSync(page, "utf8"), documented(), 'run "npm run bench -- docs"');
  });

  it("compares the ratios with their goals; for small stacks, only the number of requests has a goal", () => {
    const peers = [peer("ExtractionTask", 3, 200), peer("guide-style", 10, 300), peer("floor", 2)];
    const first = (tasks: number) =>
      ratiosOf(run(tasks, peers)).find(({ name }) => name === "ExtractionTask against guide-style: first up");
    assert.equal(first(25)?.value, 0.3);
    assert.equal(first(25)?.goal, undefined);
    assert.deepEqual(first(100)?.goal, { kind: "at most", value: 0.25 });
    assert.deepEqual(first(500)?.goal, { kind: "at most", value: 0.12 });
    const floor = ratiosOf(run(100, peers)).find(({ name }) => /floor: first up/.test(name));
    assert.ok(
      Math.abs((floor?.value ?? 0) - 2.5 / 2) < 1e-9,
      "200 requests of 20 ms, eight at once, take half a second",
    );
    const requests = ratiosOf(run(25, peers)).find(({ name }) => /requests/.test(name));
    assert.ok(requests !== undefined && keepsGoal(requests));
  });

  it("gives the share of a rate limit that each peer uses, and names peers that failed under it", () => {
    const failed: PeerResult = { peer: "guide-style", note: "first up failed", phases: {} };
    const text = limitedText([run(100, [peer("ExtractionTask", 12.5, 200), failed, peer("floor", 3)], 20)]);
    assert.match(text, /\| 100 +\| ExtractionTask +\| 200 +\| 0 +\| 12\.5 s of 10\.0 s +\| 80 % +\|/);
    assert.match(text, /guide-style \(first up failed\)/);
    assert.doesNotMatch(text, /floor/);
  });
});
