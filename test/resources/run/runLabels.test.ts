import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import fc, { runs } from "../../fastCheck";
import type { Declared } from "../life";
import { failure, useWorld } from "../life";

const args = { taskId: "task-1", pollSeconds: 0 };
/** The arguments of an up with this label, as the class gives it. */
const under = (runLabel: string, more: object = {}): Record<string, unknown> => ({ ...args, ...more, runLabel });
const noStart = { operation: "startTask", kind: "error", code: "PermissionDenied" } as const;

describe("a run label", () => {
  const world = useWorld({ behaviour: { startWhileRunning: "newRun" } });
  let run: Declared;
  beforeEach(() => {
    run = world.declare("CloudRun");
  });

  const starts = (): number => world.emulator.inspect.runs("task-1").length;
  const lastLotNo = (): string | undefined => world.emulator.inspect.runs("task-1").at(-1)?.lotNo;

  it("starts one run, the same label nothing, no label nothing, and another label one more", async () => {
    assert.equal(await run.up(args), "created");
    assert.equal(await run.up(under("a")), "replaced");
    assert.deepEqual([starts(), run.state.runLabel, run.id], [2, "a", lastLotNo()]);
    assert.equal(await run.up(under("a")), "nothing");
    assert.equal(await run.up(args), "nothing");
    assert.deepEqual([starts(), run.state.runLabel], [2, "a"]);
    assert.equal(await run.up(under("b")), "replaced");
    assert.deepEqual([starts(), run.state.runLabel], [3, "b"]);
    assert.deepEqual(world.warnings, []);
  });

  it("starts nothing with an earlier label, as of a repeated job of yesterday", async () => {
    for (const label of ["a", "b", "c"]) {
      await run.up(under(label));
    }
    for (const label of ["a", "b", "c", "a"]) {
      assert.equal(await run.up(under(label)), "nothing");
    }
    assert.deepEqual([starts(), run.state.runLabel], [3, "c"]);
  });

  it("remembers the last 30 labels", async () => {
    const labels = Array.from({ length: 31 }, (_, day) => `day-${day}`);
    for (const label of labels) {
      await run.up(under(label));
    }
    assert.equal(await run.up(under("day-1")), "nothing");
    assert.equal(await run.up(under("day-0")), "replaced");
    assert.equal(starts(), 32);
  });

  it("counts for the run that the creation starts", async () => {
    assert.equal(await run.up(under("a")), "created");
    assert.equal(await run.up(under("a")), "nothing");
    assert.equal(starts(), 1);
  });

  it("starts one run together with a changed trigger, and a trigger without a label starts one and keeps the label", async () => {
    await run.up(under("a", { triggers: [1] }));
    assert.equal(await run.up(under("b", { triggers: [2] })), "replaced");
    assert.equal(starts(), 2);
    assert.equal(await run.up({ ...args, triggers: [3] }), "replaced");
    assert.deepEqual([starts(), run.state.runLabel], [3, "b"]);
    for (const label of ["a", "b"]) {
      assert.equal(await run.up(under(label, { triggers: [3] })), "nothing");
    }
  });

  it("starts nothing with runOnLabel: false, and starts a run when the option is removed under a label", async () => {
    await run.up(under("a", { runOnLabel: false }));
    assert.equal(await run.up(under("b", { runOnLabel: false })), "nothing");
    assert.deepEqual([starts(), run.state.runLabel], [1, undefined]);
    assert.equal(await run.up(args), "updated");
    assert.equal(starts(), 1);
    assert.equal(await run.up(under("b")), "replaced");
    assert.equal(starts(), 2);
  });

  it("stops the old run first with onDelete stop", async () => {
    world.emulator.change.holdRuns();
    const stopping = { onDelete: "stop" };
    await run.up(under("a", stopping));
    const first = run.id ?? "";
    await run.up(under("b", stopping));
    const statuses = world.emulator.inspect.run(first)?.subtasks.map(({ status }) => status);
    assert.deepEqual(statuses, ["stopped", "stopped", "stopped"]);
  });

  it("starts nothing again after a wait that failed: the next up continues to wait, and the next label starts a run", async () => {
    const waiting = { waitFor: "finished", timeoutSeconds: 0 };
    world.emulator.change.holdRuns();
    await failure(run.up(under("a", waiting)));
    await failure(run.up(under("a", waiting)));
    assert.equal(starts(), 1);
    world.emulator.change.releaseRuns();
    assert.equal(await run.up({ ...under("a", waiting), timeoutSeconds: 20 }), "updated");
    assert.equal(await run.up({ ...under("b", waiting), timeoutSeconds: 20 }), "replaced");
    assert.equal(starts(), 2);
  });

  it("survives a refresh", async () => {
    await run.up(under("a"));
    await run.up(under("b"));
    const { state } = run;
    await run.refresh();
    assert.deepEqual([run.state.runLabel, run.state.__runLabels], [state.runLabel, state.__runLabels]);
    assert.equal(await run.up(under("a")), "nothing");
    assert.equal(await run.up(args), "nothing");
    assert.equal(starts(), 2);
  });

  it("is remembered over a replace by hand", async () => {
    await run.up(under("a"));
    await run.replaceDeleteFirst(args);
    assert.deepEqual([starts(), run.state.runLabel], [2, "a"]);
    assert.notEqual(await run.up(under("a")), "replaced");
    assert.equal(await run.up(args), "nothing");
    await run.replaceDeleteFirst(under("b"));
    assert.equal(await run.up(under("b")), "nothing");
    assert.notEqual(await run.up(under("a")), "replaced");
    assert.equal(starts(), 3);
  });

  describe("if the start fails", () => {
    it("before a first run exists: the next up with the label starts it", async () => {
      world.emulator.fault(noStart);
      await failure(run.up(under("a")));
      assert.equal(await run.up(under("a")), "created");
      assert.equal(starts(), 1);
    });

    it("after the old run was deleted: the same label starts it, once", async () => {
      await run.up(under("a"));
      world.emulator.fault(noStart);
      await failure(run.up(under("b")));
      assert.equal(await run.up(under("b")), "replaced");
      assert.equal(await run.up(under("b")), "nothing");
      assert.equal(await run.up(under("a")), "nothing");
      assert.equal(starts(), 2);
    });

    it("and the next up has no label: nothing is started, the old run stays with a warning, and the label still starts its run", async () => {
      await run.up(under("a"));
      const { id, state } = run;
      world.emulator.fault(noStart);
      await failure(run.up(under("b")));
      assert.equal(await run.up(args), "replaced");
      assert.deepEqual([run.id, run.state], [id, state]);
      assert.deepEqual([starts(), world.warnings.length], [1, 1]);
      assert.match(world.warnings[0] ?? "", /^Run \d+ of task "task-1" stays, and no run is started\./);
      assert.equal(await run.up(args), "nothing");
      assert.equal(await run.up(under("b")), "replaced");
      assert.equal(starts(), 2);
    });

    it("and the trigger that asked for the run still differs: the next up without a label starts it", async () => {
      await run.up({ ...args, triggers: [1] });
      world.emulator.fault(noStart);
      await failure(run.up({ ...args, triggers: [2] }));
      assert.equal(await run.up({ ...args, triggers: [2] }), "replaced");
      assert.equal(starts(), 2);
    });
  });

  describe("if the answer to the start is lost", () => {
    beforeEach(async () => {
      world.emulator.fault({ operation: "startTask", kind: "reset", when: "after" });
      await failure(run.up(under("a")));
    });

    it("no label starts a second run, and the adopted run counts as the run of its label", async () => {
      for (const label of ["a", "b"]) {
        await failure(run.up(under(label)));
      }
      await failure(run.up(args));
      assert.equal(starts(), 1);
      assert.equal(await run.up({ ...args, adoptLotNo: lastLotNo() }), "replaced");
      assert.equal(run.state.runLabel, "a");
      assert.equal(await run.up(under("a")), "nothing");
      assert.equal(await run.up(under("b")), "replaced");
      assert.deepEqual([starts(), run.id], [2, lastLotNo()]);
    });

    it("a new retry under the next label starts one run", async () => {
      assert.equal(await run.up(under("b", { retry: "1" })), "replaced");
      assert.equal(await run.up(under("b", { retry: "1" })), "nothing");
      assert.equal(starts(), 2);
    });
  });

  describe("with adoptLotNo", () => {
    it("counts for the run that the creation takes over", async () => {
      const lotNo = await world.finishedRun();
      await run.up(under("a", { adoptLotNo: lotNo }));
      assert.equal(await run.up(under("a")), "nothing");
      assert.deepEqual([run.id, starts()], [lotNo, 1]);
    });

    it("starts nothing while it names the run, with a warning, and starts a run after it was removed", async () => {
      const lotNo = await world.finishedRun();
      await run.up({ ...args, adoptLotNo: lotNo });
      assert.equal(await run.up(under("a", { adoptLotNo: lotNo })), "nothing");
      assert.deepEqual([starts(), world.warnings.length], [1, 1]);
      assert.match(world.warnings[0] ?? "", /^Task "task-1" gets no run under the label "a".*Remove adoptLotNo/);
      assert.equal(await run.up(under("a")), "replaced");
      assert.deepEqual([starts(), run.id], [2, lastLotNo()]);
    });
  });

  describe("after a kill between the start and the save", () => {
    it("the next up of the same label takes the run over, which counts as its run", async () => {
      await run.up(under("a"));
      const saved = (await world.unsaved(run, () => run.up(under("b")))).asDeleted();
      assert.equal(await saved.up(under("b")), "replaced");
      assert.equal(await saved.up(under("b")), "nothing");
      assert.deepEqual([starts(), saved.id], [2, run.id]);
      assert.equal(await saved.up(under("a")), "nothing");
    });

    it("an up without a label takes the run over too, with its label, and that label starts nothing more", async () => {
      await run.up(under("a"));
      const saved = (await world.unsaved(run, () => run.up(under("b")))).asDeleted();
      await saved.up(args);
      assert.deepEqual([starts(), saved.id, saved.state.runLabel], [2, run.id, "b"]);
      assert.notEqual(await saved.up(under("b")), "replaced");
      assert.equal(await saved.up(under("a")), "nothing");
      assert.equal(starts(), 2);
    });

    it("the run waits for its label if the state still has the old run, as without checkpoints", async () => {
      await run.up(under("a"));
      const saved = await world.unsaved(run, () => run.up(under("b")));
      assert.equal(await saved.up(args), "nothing");
      assert.equal(await saved.refresh(), true);
      assert.equal(await saved.up(under("b")), "replaced");
      assert.deepEqual([starts(), saved.id], [2, run.id]);
    });

    it("another label starts its own run, and a warning names the other run", async () => {
      const saved = await world.unsaved(run, () => run.up(under("a")));
      world.warnings = [];
      await saved.up(under("b"));
      assert.deepEqual([starts(), saved.id], [2, lastLotNo()]);
      assert.match(
        world.warnings.join("\n"),
        new RegExp(`"${run.id}" .* was made .*, and no state holds any other one`),
      );
    });

    it("the label of the other run starts nothing more after the next label has started its run", async () => {
      const saved = await world.unsaved(run, () => run.up(under("a")));
      await saved.up(under("b"));
      assert.notEqual(await saved.up(under("a")), "replaced");
      assert.equal(starts(), 2);
    });

    it("a run that was started without a label is taken over under a label, and counts as its run", async () => {
      const saved = await world.unsaved(run, () => run.up(args));
      await saved.up(under("a"));
      assert.deepEqual([starts(), saved.id, saved.state.runLabel], [1, run.id, "a"]);
      assert.equal(await saved.up(under("a")), "nothing");
    });
  });

  describe("after a kill before the response to the start", () => {
    const atStart = (declared: Declared, given: Record<string, unknown>, when: "before" | "after") =>
      world.killed(declared, () => declared.up(given), { operation: "startTask", when });

    for (const next of [undefined, "a", "b"]) {
      it(`nothing is started ${next === undefined ? "without a label" : `under "${next}"`}, and the adopted run is the run of its label`, async () => {
        await run.up(args);
        const saved = (await atStart(run, under("a"), "after")).asDeleted();
        world.emulator.clearFaults();
        await failure(saved.up(next === undefined ? args : under(next)));
        await failure(saved.up(under("b")));
        assert.equal(starts(), 2);
        await saved.up(under("a", { adoptLotNo: lastLotNo() }));
        for (const given of [args, under("a"), args]) {
          assert.equal(await saved.up(given), "nothing");
        }
        assert.equal(await saved.up(under("b")), "replaced");
        assert.equal(await saved.up(under("a")), "nothing");
        assert.equal(starts(), 3);
      });
    }

    it("a new retry starts the run of the label", async () => {
      await run.up(args);
      const saved = (await atStart(run, under("a"), "before")).asDeleted();
      world.emulator.clearFaults();
      await failure(saved.up(args));
      await saved.up(under("a", { retry: "1" }));
      for (const given of [args, under("a"), args]) {
        assert.notEqual(await saved.up(given), "replaced");
      }
      assert.equal(starts(), 2);
    });
  });

  describe("in any sequence of ups", () => {
    type Up = {
      label?: string;
      fate: "ends" | "killed" | "killedAfterDelete" | "refused" | "refreshed";
      isRepeated: boolean;
    };
    const ups = fc.array(
      fc.record<Up>({
        label: fc.option(fc.constantFrom("a", "b", "c", "d"), { nil: undefined }),
        fate: fc.constantFrom("ends", "ends", "killed", "killedAfterDelete", "refused", "refreshed"),
        isRepeated: fc.boolean(),
      }),
      { minLength: 1, maxLength: 8 },
    );

    it("starts as many runs as there were labels, and no run without one", async () => {
      let round = 0;
      await fc.assert(
        fc.asyncProperty(ups, async (sequence) => {
          rmSync(world.path("tokens/journal"), { recursive: true, force: true }); // It names the run of the last round.
          let now = world.declare("CloudRun", `run-${++round}`);
          const before = starts();
          await now.up(under("first"));
          const done = new Set(["first"]);
          for (const { label, fate, isRepeated } of sequence) {
            const given = label === undefined ? args : under(label);
            if (fate === "refused") {
              world.emulator.fault({ ...noStart, times: 1 });
              const hasFailed = await now.up(given).then(
                () => false,
                () => true,
              );
              assert.equal(hasFailed, label !== undefined && !done.has(label));
              world.emulator.clearFaults();
              continue;
            }
            if (fate === "refreshed" && now.id !== undefined) {
              await now.refresh();
            }
            const started = starts();
            const saved = now;
            const deleted = now.asDeleted();
            if (fate === "killed" || fate === "killedAfterDelete") {
              const other = now.asSaved();
              await world.unsaved(now, () => other.up(given));
              now = fate === "killedAfterDelete" && starts() > started && saved.id !== undefined ? deleted : saved;
              if (isRepeated) {
                await now.up(given);
              }
            } else {
              await now.up(given);
            }
            assert.equal(starts() - started, label === undefined || done.has(label) ? 0 : 1);
            if (label !== undefined) {
              done.add(label);
            }
          }
          assert.equal(starts() - before, done.size);
        }),
        runs(50),
      );
    });
  });
});
