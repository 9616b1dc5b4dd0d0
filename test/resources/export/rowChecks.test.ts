import assert from "node:assert/strict";
import { readdirSync, rmSync, statSync } from "node:fs";
import { isLarge } from "../../environment";
import { KillableProcess } from "../killing";
import type { Declared } from "../life";
import { failure, useWorld } from "../life";

type Rows = Record<string, unknown>[];

/** Values that must not reach an error, a warning or the state. */
const secretText = "value-of-a-row";

const good: Rows = [1, 2, 3, 4].map((n) => ({ id: `${n}`, price: `${n}.50`, note: secretText }));
const bad: Rows = [...good.slice(0, 2), { id: "1", price: "$5", note: "" }];

describe("DataExport with checks", () => {
  const world = useWorld();

  const files = (): string[] => readdirSync(world.path("out")).sort();
  /** A finished run with these rows. */
  const batch = (rows: Rows): string => {
    const { change } = world.emulator;
    change.holdRuns();
    const lotNo = change.startRun("task-1");
    const texts = rows.map((row) => JSON.stringify(row));
    change.insertRows("task-1", texts, lotNo);
    change.setSubtaskStatus(lotNo, "finished");
    change.releaseRuns();
    return lotNo;
  };
  const checks = { minRows: 3, fields: { price: { filled: 1, type: "number" }, id: { unique: true } } };
  const of = (lotNo: string, more: object = {}): Record<string, unknown> => ({
    taskId: "task-1",
    scope: "batch",
    lotNo,
    path: "out/rows.ndjson",
    checks,
    ...more,
  });
  const text = (rows: Rows): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

  it("tells in its outputs what they have found", async () => {
    const each = world.declare("DataExport");
    await each.up(of(batch(good)));
    assert.deepEqual(each.state.checked, {
      rows: 4,
      failed: [],
      fields: { price: { filled: 1, empty: 0, wrongType: 0 }, id: { filled: 1, empty: 0, repeated: 0 } },
    });
    assert.equal(world.content("out/rows.ndjson"), text(good));
    assert.deepEqual(files(), ["rows.ndjson"]);
  });

  it("parses no row without checks", async () => {
    const each = world.declare("DataExport");
    await each.up(of(batch(good), { checks: undefined }));
    assert.equal(each.state.checked, undefined);
  });

  it("keeps rows that do not pass in a file of their own, and exports again at the next up", async () => {
    const each = world.declare("DataExport");
    const lotNo = batch(bad);
    const message = await failure(each.up(of(lotNo)));
    assert.equal(
      message,
      'The rows of task "task-1" did not pass 2 checks:\n' +
        '  checks.fields.price.type: 1 of 3 values are not of type "number" (row 3)\n' +
        "  checks.fields.id.unique: 1 of 3 values have occurred before (row 3)\n" +
        'The 3 rows are in "out/rows.rejected.ndjson". Correct the task or the checks. The next up exports again.',
    );
    assert.deepEqual([each.id, files()], [undefined, ["rows.rejected.ndjson"]]);
    assert.equal(world.content("out/rows.rejected.ndjson"), text(bad));
    await failure(each.up(of(lotNo)));
    assert.deepEqual(files(), ["rows.rejected.ndjson"]);
    await each.up(of(lotNo, { checks: { minRows: 3 } }));
    assert.deepEqual(files(), ["rows.ndjson", "rows.rejected.ndjson"]);
    assert.equal(statSync(world.path("out/rows.ndjson")).mode, statSync(world.path("out/rows.rejected.ndjson")).mode);
  });

  it("leaves the last file and its state in place, and overwrites nothing", async () => {
    const each = world.declare("DataExport");
    await each.up(of(batch(good)));
    const saved = { ...each.state };
    world.write("out/rows.rejected.ndjson", "of somebody else");
    for (const [rows, name] of [
      [bad, "rows.rejected-2.ndjson"],
      [[...bad, ...bad], "rows.rejected-3.ndjson"],
    ] as const) {
      const message = await failure(each.up(of(batch([...rows]))));
      assert.match(message, /The file of the last export, "out\/rows\.ndjson", is unchanged\./);
      assert.ok(message.includes(`"webextract compare out/rows.ndjson out/${name} --key id"`), message);
      assert.deepEqual(each.state, saved);
      assert.equal(world.content("out/rows.ndjson"), text(good));
      assert.equal(world.content(`out/${name}`), text([...rows]));
    }
    assert.equal(world.content("out/rows.rejected.ndjson"), "of somebody else");
    await each.refresh();
    const next = batch(good.slice(1));
    assert.equal(await each.up(of(next)), "updated");
    assert.deepEqual([each.state.rowCount, each.state.lotNo], [3, next]);
  });

  it("says how filled a field is now, and was in the last file that passed", async () => {
    const each = world.declare("DataExport");
    const checked = { fields: { price: { filled: 0.9, type: "number" }, constructor: { filled: 0 } } };
    await each.up(of(batch([{ price: "1" }, { price: "2" }]), { checks: { ...checked, onFail: "warn" } }));
    const emptied = [{ price: "" }, { price: "x" }, { price: " " }];
    const message = await failure(each.up(of(batch(emptied), { checks: checked })));
    assert.match(
      message,
      /fields\.price\.filled: 2 of 3 rows have no value \(rows 1, 3\); at least 90% must have one; filled: 33\.33% now, 100% in the last accepted file\n.*price\.type: 1 of 1 values are not of type "number" \(row 2\)\n/,
    );
    await each.up(of(batch(emptied), { checks: { ...checked, onFail: "warn" } }));
    const again = await failure(each.up(of(batch(emptied), { checks: checked })));
    assert.doesNotMatch(again, /accepted/);
    const odd = await failure(
      each.up(of(batch(emptied), { checks: checked, path: "out/it's $HOME.csv", format: "csv" })),
    );
    assert.ok(odd.includes(`"webextract compare out/rows.ndjson 'out/it'\\''s $HOME.rejected.csv'"`), odd);
    const unclear = await failure(each.up(of(batch(emptied), { checks: checked, path: "out/rows" })));
    assert.doesNotMatch(unclear, /compare/);
  });

  it("rejects rows in the format and under the name of the file that they would have become", async () => {
    for (const [format, path, rejected] of [
      ["csv", "out/{lotNo}.csv", ".rejected.csv"],
      ["json", "out/n-{n}.json", "n-1.rejected.json"],
      ["ndjson", "out/rows", "rows.rejected"],
    ] as const) {
      const lotNo = batch(bad);
      await failure(world.declare("DataExport").up(of(lotNo, { format, path })));
      const name = rejected.startsWith(".") ? `${lotNo}${rejected}` : rejected;
      assert.ok(files().includes(name), files().join());
      assert.ok(world.content(`out/${name}`).includes("$5"));
    }
    assert.equal(files().length, 3);
  });

  it("exports with a warning if onFail is warn", async () => {
    const each = world.declare("DataExport");
    const lotNo = batch(bad);
    const args = of(lotNo, { checks: { ...checks, minRows: 4, onFail: "warn" } });
    await each.up(args);
    const failed = ["minRows", "fields.price.type", "fields.id.unique"];
    assert.deepEqual((each.state.checked as { failed: string[] }).failed, failed);
    assert.deepEqual(files(), ["rows.ndjson"]);
    assert.equal(world.warnings.length, 1);
    assert.match(
      world.warnings[0] ?? "",
      /did not pass 3 checks:.*The rows are in "out\/rows.ndjson", because onFail/s,
    );
    assert.equal(await each.up(args), "nothing");
  });

  it("makes no request if only the checks change", async () => {
    const each = world.declare("DataExport");
    const lotNo = batch(good);
    await each.up(of(lotNo));
    const { checked } = each.state;
    world.operations();
    assert.equal(await each.up(of(lotNo, { checks: { minRows: 100 } })), "updated");
    assert.deepEqual(world.operations(), []);
    assert.deepEqual([each.state.checked, each.state.checks], [checked, { minRows: 100 }]);
    assert.match(await failure(each.up(of(batch(good), { checks: { minRows: 100 } }))), /checks\.minRows: there are 4/);
  });

  it("writes no file of rejected rows if there are none", async () => {
    const message = await failure(world.declare("DataExport").up(of(batch([]))));
    assert.match(
      message,
      /checks\.minRows: there are 0 rows; at least 3 are required\n.*price: there are no rows\n.*id: there are no rows\nNo row was read\. /,
    );
    assert.deepEqual(files(), []);
  });

  it("compares the number of rows with the last export that passed", async () => {
    const each = world.declare("DataExport");
    const many: Rows = Array.from({ length: 10 }, (_, id) => ({ id }));
    const drop = (onFail?: string) => ({ checks: { minRows: 1, maxDrop: 0.3, onFail } });
    await each.up(of(batch(many), { checks: undefined }));
    assert.match(
      await failure(each.up(of(batch(many.slice(4)), drop()))),
      /checks\.maxDrop: there are 6 rows, 40% fewer than the 10 of the last export that passed; at most 30% fewer are allowed/,
    );
    // Neither an export with a warning nor a refresh changes what the next one is compared with.
    await each.up(of(batch(many.slice(5)), drop("warn")));
    await each.refresh();
    assert.deepEqual(each.state.checked, { rows: 5, failed: ["maxDrop"], lastPassed: 10 });
    await failure(each.up(of(batch(many.slice(4)), drop())));
    await each.up(of(batch(many.slice(3)), drop()));
    assert.deepEqual(each.state.checked, { rows: 7, failed: [], lastPassed: 10 });
    await each.up(of(batch(many.slice(5)), drop()));
    assert.deepEqual(each.state.checked, { rows: 5, failed: [], lastPassed: 7 });
    await each.up(of(batch(many), { maxRows: 4, ...drop() }));
    assert.deepEqual(each.state.checked, { rows: 4, failed: [], lastPassed: 4 });
    await each.up({ taskId: "task-1", scope: "all", path: "out/all", checks: { maxDrop: 0 } });
    assert.equal("lastPassed" in (each.state.checked as object), false);
  });

  it("does not compare with the rows of a run that was not over", async () => {
    const each = world.declare("DataExport");
    const many: Rows = Array.from({ length: 10 }, (_, id) => ({ id }));
    const withDrop = { checks: { maxDrop: 0.3 } };
    await each.up(of(batch(many), withDrop));
    world.emulator.change.holdRuns();
    const lotNo = world.emulator.change.startRun("task-1");
    world.emulator.change.insertRows("task-1", ["{}", "{}", "{}", "{}", "{}", "{}", "{}", "{}"], lotNo);
    await each.up(of(lotNo, withDrop));
    assert.deepEqual([each.state.pending, (each.state.checked as { rows: number }).rows], [["run at work"], 8]);
    world.emulator.change.setSubtaskStatus(lotNo, "finished");
    await failure(each.up(of(batch(many.slice(4)), withDrop)));
  });

  it("compares with rows that passed although their file is gone, or the command of pipe failed", async () => {
    const each = world.declare("DataExport");
    const drop = { checks: { maxDrop: 0.3 }, verifyFile: true };
    const many: Rows = Array.from({ length: 10 }, (_, id) => ({ id }));
    const refused = async (last: number): Promise<void> => {
      const message = await failure(each.up(of(batch(many.slice(8)), drop)));
      assert.match(message, new RegExp(`checks\\.maxDrop: there are 2 rows, [\\d.]+% fewer than the ${last} of`));
    };
    const fails = { ...drop, pipe: [process.execPath, "-e", "process.exit(1)"] };
    await failure(each.up(of(batch(many), fails)));
    assert.deepEqual(each.state.pending, ["pipe"]);
    await refused(10);
    await each.up(of(batch(many.slice(1)), drop));
    // The same rows are exported again, so the comparison is still with those before.
    await failure(each.up(of(batch(many.slice(2)), fails)));
    await refused(9);
    await each.up(of(batch(many), drop));
    rmSync(world.path("out/rows.ndjson"));
    await each.refresh();
    assert.deepEqual(each.state.pending, ["file missing"]);
    await refused(10);
  });

  it("names a field that no row has, and the one that was probably meant", async () => {
    const given = { fields: { Prices: { type: "number" }, zzzzzz: {}, gone: { filled: 0 } } };
    const message = await failure(world.declare("DataExport").up(of(batch(good), { checks: given })));
    assert.deepEqual(message.split("\n").slice(1, -1), [
      '  checks.fields.Prices: no row has this field; did you mean "price"?',
      "  checks.fields.zzzzzz: no row has this field",
    ]);
  });

  it("counts all rows of the file after a kill in the middle", async () => {
    world.configure({ pageSize: "2" });
    const each = world.declare("DataExport");
    const lotNo = batch([...bad, ...good]);
    const given = of(lotNo, { checks: { ...checks, onFail: "warn" } });
    const saved = await world.killed(each, () => each.up(given), { operation: "getBatchData", skip: 2 });
    await saved.up(given);
    assert.deepEqual(saved.state.checked, {
      rows: 7,
      failed: ["fields.price.type", "fields.id.unique"],
      fields: { price: { filled: 1, empty: 0, wrongType: 1 }, id: { filled: 1, empty: 0, repeated: 3 } },
    });
  });

  it("rejects the same rows into one file after a kill at any step, and leaves the last good file", async () => {
    world.configure({ pageSize: "2" });
    const [before, after] = [batch(good), batch(bad)];
    let wasKilled = true;
    for (let killBefore = 0; wasKilled; killBefore += isLarge ? 1 : 4) {
      const each = world.declare("DataExport", `rows-${killBefore}`);
      const names = { path: `out/${killBefore}.ndjson`, rejected: `out/${killBefore}.rejected.ndjson` };
      const { path } = names;
      await each.up(of(before, { path }));
      const saved = each.keep();
      const process = new KillableProcess({ killBefore, onRequest: () => "answered" });
      try {
        await failure(each.up(of(after, { path })));
      } finally {
        process.restore();
      }
      wasKilled = process.dead;
      if (wasKilled) {
        saved.restore();
      }
      await failure(each.up(of(after, { path })));
      assert.deepEqual([world.content(path), world.content(names.rejected)], [text(good), text(bad)]);
      await each.up(of(after, { path, checks: { minRows: 3 } }));
      assert.equal(world.content(path), text(bad));
      const named = files().filter((name) => name.startsWith(`${killBefore}.`) && /^[\w.]+\.ndjson$/.test(name));
      assert.deepEqual(named, [`${killBefore}.ndjson`, `${killBefore}.rejected.ndjson`]);
    }
  });

  it("puts no value of a row into an error, a warning or the state", async () => {
    const fields = {
      note: { type: "date", unique: true, filled: 1 },
      [secretText.slice(1)]: {},
    };
    const lotNo = batch([...good, { note: "" }]);
    const message = await failure(world.declare("DataExport").up(of(lotNo, { checks: { fields } })));
    assert.match(message, /did not pass 4 checks/);
    const each = world.declare("DataExport");
    await each.up(of(lotNo, { checks: { fields, onFail: "warn" } }));
    for (const told of [message, ...world.warnings, JSON.stringify(each.state.checked)]) {
      assert.equal(told.includes(secretText), false, told);
    }
  });

  describe("and markExported", () => {
    const marked = (): number => world.emulator.inspect.exportedCount("task-1");
    const marking = (given: object, more: object = {}): Record<string, unknown> => ({
      taskId: "task-1",
      scope: "notExported",
      path: "out/{n}.ndjson",
      markExported: true,
      checks: given,
      ...more,
    });

    it("marks nothing unless the rows pass", async () => {
      batch(bad);
      const each = world.declare("DataExport");
      const message = await failure(each.up(marking(checks)));
      assert.match(message, /The 3 rows are in "out\/1\.rejected\.ndjson"\. Nothing was marked/);
      assert.deepEqual([marked(), files()], [0, ["1.rejected.ndjson"]]);
      await each.up(marking({ minRows: 3 }));
      assert.deepEqual([marked(), files()], [3, ["1.ndjson", "1.rejected.ndjson"]]);
    });

    /** The next export has one row after four. */
    const refusesFewer = async (each: Declared, maxRows?: number): Promise<void> => {
      batch(good.slice(3));
      const message = await failure(each.up(marking({ maxDrop: 0.2 }, { maxRows, triggers: "next" })));
      assert.match(message, /checks\.maxDrop: there are 1 rows, 75% fewer than the 4 of the last export that passed/);
    };
    const failures = {
      "was lost": { kind: "reset", when: "after" },
      "was refused": { kind: "error", code: "PermissionDenied" },
    } as const;

    const comparesAfterFailedMarks = (maxRows?: number): void => {
      for (const [what, fault] of Object.entries(failures)) {
        it(`compares with rows that passed although their mark ${what}`, async () => {
          batch(good);
          const each = world.declare("DataExport");
          world.emulator.fault({ operation: "markExported", ...fault });
          await failure(each.up(marking({ maxDrop: 0.2 }, { maxRows })));
          assert.deepEqual(each.state.checked, { rows: 4, failed: [] });
          world.emulator.clearFaults();
          // Somebody else marks the rows that are not marked.
          await world.declare("DataExport", "other").up(marking({ minRows: 0 }, { maxRows }));
          await refusesFewer(each, maxRows);
        });
      }
    };
    comparesAfterFailedMarks();

    describe("with markScope returned", () => {
      beforeEach(() => {
        world.configure({ markScope: "returned", pageSize: "10" });
        world.emulator.setBehaviour({ markScope: "returned" });
      });
      comparesAfterFailedMarks(10);

      it("does not compare with a part of the rows", async () => {
        await world.finishedRun();
        const each = world.declare("DataExport");
        world.emulator.fault({ operation: "markExported", kind: "reset", when: "after" });
        await failure(each.up(marking({ maxDrop: 0.2, onFail: "warn" })));
        assert.deepEqual(
          [each.state.rowCount, each.state.complete, each.state.checked],
          [10, false, { rows: 10, failed: [] }],
        );
        await each.up(marking({ maxDrop: 0, onFail: "warn" }, { triggers: "next" }));
        await each.up(marking({ maxDrop: 0, onFail: "warn" }, { triggers: "after" }));
        assert.deepEqual(each.state.checked, { rows: 0, failed: ["maxDrop"], lastPassed: 15 });
      });

      it("marks nothing unless the rows pass", async () => {
        batch(bad);
        const each = world.declare("DataExport");
        await failure(each.up(marking(checks, { maxRows: 10 })));
        assert.deepEqual([marked(), files(), each.id], [0, ["1.rejected.ndjson"], undefined]);
        await each.up(marking({ minRows: 3 }, { maxRows: 10 }));
        assert.deepEqual([marked(), files()], [3, ["1.ndjson", "1.rejected.ndjson"]]);
        assert.equal(each.state.complete, true);
      });

      it("refuses rows of several responses, of which it would have to mark the first before the read of the others", async () => {
        await world.finishedRun();
        const each = world.declare("DataExport");
        assert.match(await failure(each.up(marking({ minRows: 1 }))), /^maxRows must be at most 10 .* checks /);
        assert.equal(marked(), 0);
        await each.up(marking({ minRows: 10 }, { maxRows: 10 }));
        assert.deepEqual([marked(), each.state.rowCount], [10, 10]);
        await each.up(marking({ minRows: 100, onFail: "warn" }));
        assert.deepEqual([marked(), each.state.rowCount], [25, 15]);
      });
    });
  });

  it("refuses what no rows could pass, all of it in the preview", async () => {
    const problems = await world.providers.problems(
      "DataExport",
      of("1", {
        maxRows: 5,
        checks: {
          minRows: 10,
          maxRows: 8,
          maxDrop: 2,
          onFail: "stop",
          fields: { price: { filled: -1, type: "text", unike: true } },
        },
      }),
    );
    assert.deepEqual(problems, [
      "checks.maxDrop must be a number from 0 to 1; got another number",
      "checks.fields.price.unike is not a valid name; valid names: filled, type, unique",
      "checks.fields.price.filled must be a number from 0 to 1; got another number",
      'checks.fields.price.type must be "number" or "integer" or "date" or "url"; got another string',
      'checks.onFail must be "fail" or "warn"; got another string',
      "checks.minRows is greater than checks.maxRows, so no export could pass",
      "checks.minRows is greater than maxRows, so no export could pass",
    ]);
  });
});
