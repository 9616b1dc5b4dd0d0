import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { documented } from "../../bench/document/document";
import { withExtrapolated } from "../../bench/document/extrapolate";
import { ratiosOf } from "../../bench/document/goals";
import { gzipText } from "../../bench/document/gzipText";
import { choices, limitedText, peersText, summaryText } from "../../bench/document/peersText";
import { plotOf } from "../../bench/document/plot";
import { sizesText } from "../../bench/document/sizesText";
import type { Figure } from "../../bench/figure";
import { keepsGoal } from "../../bench/figure";
import type { PeerResult, PeersResult } from "../../bench/peers/result";
import { withAdded } from "../../bench/peers/result";

function run(tasks: number, peers: PeerResult[], requestsPerSecond?: number): PeersResult {
  return { machine: "a machine", measuredAt: "2026-01-01", tries: 1, tasks, requestsPerSecond, peers };
}

function peer(name: string, wallSeconds: number, requests = 0): PeerResult {
  const phase = { wallSeconds, cpuSeconds: wallSeconds * 2, requests, refused: 0 };
  return { peer: name, stateBytes: wallSeconds * 1000, phases: { "first up": phase, "unchanged up": phase } };
}

describe("the page about performance", () => {
  it("contains the saved results", () => {
    for (const [file, content] of Object.entries(documented())) {
      assert.equal(readFileSync(file, "utf8"), content, `run "npm run bench -- docs": ${file}`);
    }
  });

  it("begins with the results of the largest stack", () => {
    const small = run(25, [peer("ExtractionTask", 1), peer("guide-style", 2)]);
    const large = run(500, [peer("ExtractionTask", 30), peer("guide-style", 400)]);
    const limited = run(900, [peer("ExtractionTask", 50)], 20);
    const text = summaryText([large, small, limited]);
    assert.match(text, /^The first `up` of 500 tasks takes 30 s with ExtractionTask, and 400 s with/);
    assert.equal(text.split("\n").length, 3);
    assert.throws(() => summaryText([run(25, [peer("floor", 1)])]), /lack ExtractionTask or guide-style/);
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

  it("extrapolates the missing results of a large run from three smaller ones, and marks them", () => {
    const square = (tasks: number): number => 2 + tasks / 10 + (tasks * tasks) / 1000;
    const small = [25, 100, 200].map((tasks) => run(tasks, [peer("guide-style", square(tasks), tasks * 3)]));
    const large = withExtrapolated([...small, run(500, [peer("ExtractionTask", 9)])]).at(-1)?.peers[1];
    assert.equal(large?.note, "extrapolated");
    assert.ok(Math.abs((large?.phases["first up"]?.wallSeconds ?? 0) - square(500)) < 1e-9);
    assert.equal(large?.phases["first up"]?.requests, 1500);
    const atALimit = run(25, [peer("guide-style", 90, 75)], 20);
    assert.equal(withExtrapolated([...small.slice(1), atALimit, run(500, [])]).at(-1)?.peers.length, 0);
  });

  it("gives the share of a rate limit that each peer uses, and names peers that failed under it", () => {
    const failed: PeerResult = { peer: "guide-style", note: "first up failed", phases: {} };
    const text = limitedText([run(100, [peer("ExtractionTask", 12.5, 200), failed, peer("floor", 3)], 20)]);
    assert.match(text, /\| 100 +\| ExtractionTask +\| 200 +\| 0 +\| 12\.5 s of 10\.0 s +\| 80 % +\|/);
    assert.match(text, /guide-style \(first up failed\)/);
    assert.doesNotMatch(text, /floor/);
  });

  it("keeps a later run of some peers apart: own tables with own dates, no part in ratios and plot", () => {
    const saved = run(100, [peer("ExtractionTask", 3, 200), peer("guide-style", 10, 300)]);
    const later = { ...run(100, [peer("ExtractionTask", 6, 200), peer("curl", 4, 300)]), measuredAt: "2026-02-02" };
    const both = withAdded(saved, later);
    assert.match(
      peersText([both]),
      /These were measured once, 2026-01-01.*3\.0 \/ 6\.0.*guide-style.*In another run, measured once, 2026-02-02.*6\.0 \/ 12\.0.*curl/s,
    );
    assert.deepEqual(ratiosOf(both), ratiosOf(saved));
    assert.equal(plotOf([both], choices), plotOf([saved], choices));
    const limited = withAdded({ ...saved, requestsPerSecond: 20 }, { ...later, requestsPerSecond: 20 });
    assert.match(limitedText([limited]), /10\.0 s of 15\.0 s.*2026-01-01.*In other runs:.*curl.*2026-02-02/s);
  });

  it("replaces a later run of the same peers only", () => {
    const saved = run(100, [peer("ExtractionTask", 3)]);
    const [one, other, again] = [
      run(100, [peer("curl", 4)]),
      run(100, [peer("floor", 5)]),
      run(100, [peer("curl", 6)]),
    ];
    const all = [one, other, again].reduce(withAdded, saved);
    assert.deepEqual(all, { ...saved, added: [other, again] });
  });

  it("says what the goal of gzip counts, and what the whole export would reach", () => {
    const whole = { name: "gzip, the whole export, against gzip -6 alone", value: 0.4, unit: "x" } as const;
    const goal = { kind: "at least", value: 0.6 } as const;
    const added = {
      name: "gzip, without the time to read the rows, against gzip -6 alone",
      value: 1.6,
      unit: "x",
    } as const;
    const textOf = (...figures: Figure[]): string => gzipText([{ bench: "export-formats", tries: 1, figures }]);
    const text = textOf(whole, { ...added, goal });
    assert.match(
      text,
      /at least 0\.6x .* By this time, the speed is 1\.6x .* whole export with gzip has 0\.4x .* no goal, and it would miss 0\.6x\./s,
    );
    assert.match(
      text,
      /75 % is the export without compression/,
      "alone / 0.4 is 2.5, of which alone / 1.6 is a quarter",
    );
    assert.match(textOf({ ...whole, value: 0.7 }, { ...added, goal }), /it would also reach 0\.6x\./);
    assert.throws(() => textOf(whole), /lack "gzip, without the time/);
    assert.throws(() => textOf(whole, added), /has no goal/);
  });

  it("shows each peer that has a label as a line, with the label at its end, and open points for extrapolated values", () => {
    const plot = plotOf(
      [run(25, [peer("a", 2), peer("c", 3)]), run(100, [peer("a", 9), { ...peer("b", 20), note: "extrapolated" }])],
      { a: "way A", b: "way B", c: "way C" },
    );
    assert.equal(plot.match(/<polyline/g)?.length, 4);
    assert.equal(plot.match(/fill="#ffffff" stroke/g)?.length, 2);
    assert.doesNotMatch(plot, /NaN|Infinity|undefined|way C/);
    for (const [, end, x] of plot.matchAll(/,([\d.]+)" fill="none".*?<text x="[\d.]+" y="([\d.]+)"/g)) {
      assert.ok(Math.abs(Number(end) - Number(x)) <= 17, `${x} is not beside ${end}`);
    }
  });

  it("says what each number of tasks costs, with checkpoints and without them", () => {
    const figures: Figure[] = [
      { name: "500 tasks: first up", value: 10.4, unit: "s" },
      { name: "500 tasks: unchanged up", value: 7.56, unit: "s" },
      { name: "500 tasks: refresh", value: 3.45, unit: "s" },
      { name: "500 tasks: first up, requests", value: 1000, unit: "requests" },
      { name: "500 tasks: memory of the program", value: 262, unit: "MB" },
    ];
    const benches = [{ bench: "fleet", tries: 1, machine: "a machine", figures }];
    const peers = [run(25, [peer("ExtractionTask", 3, 50)]), run(500, [peer("ExtractionTask", 30)])];
    const text = sizesText({ benches, peers });
    assert.match(text, /\| 25 +\| ExtractionTask +\| 3 s +\| 3 s +\| +\| 50 +\|/);
    assert.match(text, /\| 500 +\| ExtractionTask, no checkpoints +\| 10 s +\| 8 s +\| 3 s +\| 1,000 +\| 262 MB +\|$/);
    assert.throws(() => sizesText({ benches: [], peers }), /none of the bench fleet/);
  });

  it("has a row for the native plugin once it was measured", () => {
    const fleet: Figure[] = ["first up", "unchanged up", "refresh", "first up, requests", "memory of the program"].map(
      (what) => ({ name: `500 tasks: ${what}`, value: 1, unit: "s" }),
    );
    const ways: Figure[] = [
      { name: "100 tasks: YAML on the plugin, first up", value: 3.6, unit: "s" },
      { name: "100 tasks: YAML on the plugin, unchanged up", value: 1.2, unit: "s" },
      { name: "100 tasks: YAML on the plugin, refresh", value: 1.4, unit: "s" },
      { name: "100 tasks: YAML on the plugin, requests", value: 200, unit: "requests" },
      { name: "100 tasks: YAML on the plugin, memory of the provider", value: 96.2, unit: "MB" },
    ];
    const text = (figures: Figure[]) =>
      sizesText({
        benches: [
          { bench: "fleet", tries: 1, machine: "a machine", figures: fleet },
          { bench: "plugin-ways", tries: 1, machine: "a machine", figures },
        ],
        peers: [run(100, [peer("ExtractionTask", 3, 50)])],
      });
    assert.match(
      text(ways),
      /\| 100 +\| ExtractionTask in YAML, native plugin +\| 4 s +\| 1 s +\| 1 s +\| 200 +\| 96 MB +\|/,
    );
    assert.throws(() => text(ways.slice(1)), /plugin-ways lack "100 tasks: YAML on the plugin, first up"/);
  });
});
