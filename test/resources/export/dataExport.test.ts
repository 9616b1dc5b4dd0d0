import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync } from "node:fs";
import fs from "node:fs/promises";
import sinon from "sinon";
import { isLarge } from "../../environment";
import { unknownText } from "../../program/inProcess";
import { failure, useWorld } from "../life";

/** Each is changed by what JSON.parse and JSON.stringify would make of it. */
const rows = [
  '{"id":12345678901234567890,"price":1.10,"b":1,"a":2}',
  '{"title":"Grün ☃ \u2028 \\u2028","1":"x","empty":"","none":null}',
  '{"tags":["a, b",{"n":1.0}],"title":"\\"quoted\\"\\nline","on":true}',
];
const sha256Of = (content: string): string => createHash("sha256").update(content).digest("hex");

describe("DataExport", () => {
  const world = useWorld();

  const all = { taskId: "task-1", scope: "all", path: "out/rows.ndjson" };
  const files = (folder = "out"): string[] => readdirSync(world.path(folder)).sort();

  describe("writes", () => {
    it("nothing if the service's lotNo would choose another folder or key, and reads nothing", async () => {
      const hostile = [
        ".",
        "..",
        "../../x",
        "/abs",
        "a/b",
        "a\\b",
        "C:x",
        "",
        " ",
        "a b",
        "a\nb",
        "\0",
        "\u001b[2J",
        "\u202e",
        "ä",
        "$&",
        "{n}",
      ];
      for (const lotNo of hostile) {
        for (const path of ["out/{lotNo}.ndjson", "{lotNo}/rows.ndjson", "s3://bucket/{lotNo}.ndjson"]) {
          const each = world.declare("DataExport");
          const problem = await failure(each.up({ ...all, scope: "batch", lotNo, path }));
          assert.match(
            problem,
            lotNo === "" ? /lotNo must be a non-empty string/ : /lotNo is ".*", which cannot replace/,
          );
          assert.match(problem, /^[\x20-\x7e\näÄ…]*$/);
        }
        const pipe = ["cat", "rows/{lotNo}"];
        const args = { ...all, scope: "batch", lotNo, pipe };
        assert.deepEqual(await world.providers.paths("DataExport", args), ["lotNo"]);
      }
      assert.deepEqual(world.operations(), []);
      for (const lotNo of ["639308323497897245", "run_1.b-2", "...", "-"]) {
        const args = { ...all, scope: "batch", lotNo, path: "out/{lotNo}.ndjson" };
        assert.deepEqual(await world.providers.paths("DataExport", args), []);
      }
    });

    it("rows byte for byte as they were sent, and describes the file in its outputs", async () => {
      world.emulator.change.insertRows("task-1", rows);
      const each = world.declare("DataExport");
      await each.up(all);
      const content = rows.map((row) => `${row}\n`).join("");
      assert.equal(world.content("out/rows.ndjson"), content);
      const { rowCount, file, bytes, sha256, complete, marked } = each.state;
      assert.deepEqual(
        { rowCount, file, bytes, sha256, complete, marked },
        {
          rowCount: 3,
          file: "out/rows.ndjson",
          bytes: Buffer.byteLength(content),
          sha256: sha256Of(content),
          complete: true,
          marked: false,
        },
      );
      assert.deepEqual(files(), ["rows.ndjson"]);
    });

    describe("the rows of a batch that is still running, with complete false", () => {
      let batch: Record<string, unknown>;
      let lotNo: string;
      beforeEach(() => {
        world.emulator.change.holdRuns();
        lotNo = world.emulator.change.startRun("task-1");
        world.emulator.change.insertRows("task-1", rows, lotNo);
        batch = { ...all, scope: "batch", lotNo };
      });
      const ends = (status: "finished" | "failed" | "stopped"): void =>
        world.emulator.change.setSubtaskStatus(lotNo, status);

      it("and again on each up into the same file, until the run has finished, failed or was stopped", async () => {
        for (const [index, path] of ["out/rows.ndjson", "out/rows-{n}.ndjson", "times/{time}"].entries()) {
          ends("finished");
          world.emulator.change.setSubtaskStatus(lotNo, "extracting");
          const each = world.declare("DataExport");
          await each.up({ ...batch, path });
          const { file } = each.state;
          assert.deepEqual([each.state.rowCount, each.state.complete], [3 + 2 * index, false]);
          world.emulator.change.insertRows("task-1", ['{"more":1}'], lotNo);
          assert.equal(await each.up({ ...batch, path }), "updated");
          assert.deepEqual([each.state.rowCount, each.state.complete, each.state.file], [4 + 2 * index, false, file]);
          world.emulator.change.insertRows("task-1", ['{"more":2}'], lotNo);
          await each.refresh();
          ends((["finished", "failed", "stopped"] as const)[index] ?? "finished");
          assert.equal(await each.up({ ...batch, path }), "updated");
          assert.deepEqual([each.state.rowCount, each.state.complete, each.state.file], [5 + 2 * index, true, file]);
          assert.equal(sha256Of(world.content(String(file))), each.state.sha256);
          assert.equal(await each.up({ ...batch, path }), "nothing");
        }
        assert.deepEqual([files(), files("times").length], [["rows-1.ndjson", "rows.ndjson"], 1]);
      });

      it("and says in the diff that it will be exported again, unless an argument changes", async () => {
        const each = world.declare("DataExport");
        await each.up(batch);
        const provider = world.providers.provider("DataExport");
        const saved = { ...each.state };
        const before = world.providers.warnings.length;
        assert.deepEqual(await provider.diff(String(each.id), saved, { ...batch, lotNo: "1" }), { changes: true });
        assert.equal(world.providers.warnings.length, before);
        assert.deepEqual(await provider.diff(String(each.id), saved, batch), { changes: true });
        const told = world.providers.warnings.filter((warning) => warning.includes("exported again"));
        assert.deepEqual(told, [
          `Batch ${lotNo} of task "task-1" is exported again, because subtasks were running when its rows were read into "out/rows.ndjson".`,
        ]);
      });

      it("and not again if the file has maxRows rows", async () => {
        const each = world.declare("DataExport");
        await each.up({ ...batch, maxRows: 2 });
        assert.deepEqual([each.state.rowCount, each.state.complete, world.warnings], [2, false, []]);
        assert.equal(await each.up({ ...batch, maxRows: 2 }), "nothing");
      });

      it("and the next batch gets a file of its own if the path counts up", async () => {
        const each = world.declare("DataExport");
        const path = "out/{n}.ndjson";
        await each.up({ ...batch, path });
        ends("finished");
        const next = world.emulator.change.startRun("task-1");
        world.emulator.change.setSubtaskStatus(next, "finished");
        await each.up({ ...batch, lotNo: next, path });
        assert.deepEqual([files(), each.state.complete], [["1.ndjson", "2.ndjson"], true]);
      });

      it("and overwrites no file that somebody has edited", async () => {
        const each = world.declare("DataExport");
        await each.up(batch);
        world.write("out/rows.ndjson", "edited");
        ends("finished");
        await failure(each.up(batch));
        assert.equal(world.content("out/rows.ndjson"), "edited");
        rmSync(world.path("out/rows.ndjson"));
        await each.up(batch);
        assert.deepEqual([each.state.rowCount, each.state.complete], [3, true]);
      });
    });

    it("rows that are not exported as not complete if a response was lost, which may have had others", async () => {
      await world.finishedRun();
      world.configure({ maxRetries: "1" });
      for (const [index, notExported] of (["untilMarked", "handedOutOnce"] as const).entries()) {
        world.emulator.setBehaviour({ notExported, notExportedCounts: "notReturned" });
        world.emulator.fault({ operation: "getNotExportedData", kind: "reset", when: "after" });
        const each = world.declare("DataExport");
        await each.up({ ...all, scope: "notExported", path: "out/{n}.ndjson" });
        assert.deepEqual([each.state.rowCount, each.state.complete], [index === 0 ? 25 : 0, false]);
        assert.match(
          world.warnings.join("\n"),
          /"task-1": a response to the read was lost, and it may have contained other rows/,
        );
        world.warnings.length = 0;
      }
    });

    it("no batch while the service does not tell whether its run has ended", async () => {
      const lotNo = await world.finishedRun();
      world.configure({ maxRetries: "0" });
      const each = world.declare("DataExport");
      for (const fault of [{ kind: "status", status: 503 }, { kind: "reset" }] as const) {
        world.emulator.fault({ operation: "getSubtasks", ...fault });
        assert.match(
          await failure(each.up({ ...all, scope: "batch", lotNo })),
          /^getSubtasks .* It is safe to try again/,
        );
      }
      assert.equal(existsSync(world.path("out/rows.ndjson")), false);
      await each.up({ ...all, scope: "batch", lotNo });
      assert.equal(each.state.complete, true);
    });

    it("a batch for an account that is not allowed to read subtasks", async () => {
      const lotNo = await world.finishedRun();
      world.emulator.fault({ operation: "getSubtasks", kind: "error", code: "PermissionDenied" });
      const each = world.declare("DataExport");
      await each.up({ ...all, scope: "batch", lotNo });
      assert.deepEqual([each.state.rowCount, each.state.complete], [25, true]);
    });

    it("the same bytes as one JSON array", async () => {
      world.emulator.change.insertRows("task-1", rows);
      const each = world.declare("DataExport");
      await each.up({ ...all, path: "out/rows.json", format: "json" });
      const content = `[\n${rows.join(",\n")}\n]\n`;
      assert.equal(world.content("out/rows.json"), content);
      assert.deepEqual([each.state.sha256, each.state.bytes], [sha256Of(content), Buffer.byteLength(content)]);
      assert.equal(JSON.parse(content).length, 3);
      assert.deepEqual(files(), ["rows.json"]);
    });

    it("a CSV of all fields of all rows, with the digits of each number", async () => {
      world.emulator.change.insertRows("task-1", rows);
      const each = world.declare("DataExport");
      await each.up({ ...all, path: "out/rows.csv", format: "csv" });
      const content = world.content("out/rows.csv");
      assert.equal(
        content,
        [
          "id,price,b,a,title,1,empty,none,tags,on",
          "12345678901234567890,1.10,1,2,,,,,,",
          ",,,,Grün ☃ \u2028 \u2028,x,,,,",
          ',,,,"""quoted""\nline",,,,"[""a, b"",{""n"":1.0}]",true',
          "",
        ].join("\n"),
      );
      assert.deepEqual([each.state.rowCount, each.state.sha256], [3, sha256Of(content)]);
    });

    it("an empty file in each format if there is no row", async () => {
      for (const [format, content] of [
        ["ndjson", ""],
        ["json", "[]\n"],
        ["csv", ""],
      ] as const) {
        const path = `out/rows.${format}`;
        const each = world.declare("DataExport");
        await each.up({ ...all, path, format });
        assert.equal(world.content(path), content);
        assert.deepEqual([each.state.rowCount, each.state.complete], [0, true]);
      }
    });

    it("only the rows of its batch, under a name that contains the lotNo", async () => {
      const first = world.emulator.change.insertRows("task-1", ['{"n":1}']);
      await world.finishedRun();
      const each = world.declare("DataExport");
      await each.up({ taskId: "task-1", scope: "batch", lotNo: first, path: "out/rows-{lotNo}.ndjson" });
      assert.equal(each.state.file, `out/rows-${first}.ndjson`);
      assert.equal(world.content(`out/rows-${first}.ndjson`), '{"n":1}\n');
    });

    it("all pages, and fewer with maxRows", async () => {
      world.configure({ pageSize: "10" });
      await world.finishedRun();
      const each = world.declare("DataExport");
      await each.up(all);
      assert.deepEqual([each.state.rowCount, each.state.complete], [25, true]);
      await each.up({ ...all, maxRows: 12 });
      assert.deepEqual([each.state.rowCount, each.state.complete], [12, false]);
      assert.equal(world.content("out/rows.ndjson").split("\n").length, 13);
      assert.deepEqual(world.warnings, []);
    });

    it("a warning if the service returned fewer rows than it reports, also with maxRows", async () => {
      world.emulator.setBehaviour({ notExported: "untilMarked" });
      world.configure({ pageSize: "10" });
      await world.finishedRun();
      for (const maxRows of [undefined, 100]) {
        const each = world.declare("DataExport");
        await each.up({ taskId: "task-1", scope: "notExported", path: "out/{n}.ndjson", maxRows });
        assert.deepEqual([each.state.rowCount, each.state.complete], [10, false]);
      }
      assert.equal(world.warnings.length, 2);
    });
  });

  describe("names files so that none is lost:", () => {
    beforeEach(() => {
      world.emulator.change.insertRows("task-1", rows);
    });

    it("{n} is the next free number, {time} is UTC", async () => {
      const each = world.declare("DataExport");
      await each.up({ ...all, path: "out/rows-{n}.ndjson" });
      await each.up({ ...all, path: "out/rows-{n}.ndjson", triggers: [2] });
      assert.deepEqual(files(), ["rows-1.ndjson", "rows-2.ndjson"]);
      assert.equal(each.state.file, "out/rows-2.ndjson");
      await each.up({ ...all, path: "times/{time}" });
      assert.match(files("times").join(), /^\d{8}T\d{6}Z$/);
    });

    it("an existing file is the export's own only if it contains these rows, as after a kill before the state was saved", async () => {
      const lotNo = await world.finishedRun();
      for (const format of ["ndjson", "json", "csv"]) {
        const args = { ...all, scope: "batch", lotNo, format, path: `killed/{lotNo}.${format}` };
        const saved = await world.unsaved(world.declare("DataExport"), () => world.declare("DataExport").up(args));
        await saved.up(args);
        assert.equal(saved.state.file, `killed/${lotNo}.${format}`);
        world.write(`killed/${lotNo}.${format}`, "edited");
        await failure(world.declare("DataExport", "other").up(args));
        assert.equal(world.content(`killed/${lotNo}.${format}`), "edited");
      }
      assert.deepEqual(files("killed").sort(), [`${lotNo}.csv`, `${lotNo}.json`, `${lotNo}.ndjson`]);
    });

    it("no rows replace no file with rows, in each format, unless checks.minRows is 0", async () => {
      world.emulator.change.addTask({ taskId: "empty-1", taskGroupId: "group-1", actions: [] });
      for (const format of isLarge ? ["ndjson", "json", "csv", "parquet"] : ["csv"]) {
        for (const checks of [
          undefined,
          { maxRows: 100, onFail: "warn" },
          { minRows: 1, onFail: "warn" },
          { minRows: 0, maxDrop: 1 },
        ]) {
          const path = `out/${format}-${JSON.stringify(checks ?? "").length}`;
          const each = world.declare("DataExport");
          const args = { ...all, path, format, checks };
          const none = { ...args, taskId: "empty-1" };
          await each.up(args);
          const [content, before] = [world.content(path), { ...each.state }];
          if (checks?.minRows === 0) {
            await each.up(none);
            assert.deepEqual([each.state.rowCount, world.content(path) === content], [0, false]);
            // There is no row to lose now.
            await each.up({ ...none, checks: undefined, triggers: [1] });
          } else {
            await failure(each.up(none));
            assert.deepEqual([each.state, world.content(path)], [before, content]);
            rmSync(world.path(path));
            await each.up(none);
            assert.equal(each.state.rowCount, 0);
          }
        }
      }
    });

    it("its own file is replaced under another spelling of its path", async () => {
      const each = world.declare("DataExport");
      await each.up({ ...all, path: "out/spelled.ndjson", maxRows: 2 });
      for (const path of ["./out/spelled.ndjson", "out/../out/spelled.ndjson", world.path("out/spelled.ndjson")]) {
        await each.up({ ...all, path });
        assert.deepEqual([each.state.file, each.state.rowCount], [path, 3]);
      }
      assert.deepEqual(
        files("out").filter((name) => name.startsWith("spelled")),
        ["spelled.ndjson"],
      );
    });

    it("its own file is not replaced if somebody changes it during the read, in each format", async () => {
      for (const format of ["ndjson", "csv"]) {
        const path = `out/own.${format}`;
        const each = world.declare("DataExport");
        const args = { ...all, path, format };
        await each.up(args);
        const hold = world.emulator.hold({ operation: "getData" });
        const step = failure(each.up({ ...args, maxRows: 2 }));
        await hold.reached;
        world.write(path, "edited during the read");
        hold.release();
        assert.match(await step, /exists\. This export did not write it, or it was changed since/);
        assert.deepEqual([world.content(path), each.state.rowCount], ["edited during the read", 3]);
        assert.deepEqual(
          files().filter((name) => name.endsWith(".tmp")),
          [],
        );
        rmSync(world.path(path));
        await each.up(args);
      }
    });

    it("a file that was removed and made by somebody else during the read is not replaced", async () => {
      const each = world.declare("DataExport");
      await each.up(all);
      rmSync(world.path("out/rows.ndjson"));
      const hold = world.emulator.hold({ operation: "getData" });
      const step = failure(each.up({ ...all, triggers: [1] }));
      await hold.reached;
      world.write("out/rows.ndjson", "theirs");
      hold.release();
      await step;
      assert.equal(world.content("out/rows.ndjson"), "theirs");
    });

    it("a file that it did not write is not overwritten", async () => {
      world.write("mine.ndjson", "mine");
      const each = world.declare("DataExport");
      const args = { ...all, path: "mine.ndjson" };
      await failure(each.up(args));
      assert.deepEqual([each.id, world.content("mine.ndjson")], [undefined, "mine"]);
      rmSync(world.path("mine.ndjson"));
      await each.up(args);
      world.write("mine.ndjson", "edited");
      await failure(each.up({ ...args, triggers: [1] }));
      assert.equal(world.content("mine.ndjson"), "edited");
    });

    it("of two exports to one name, one is refused and the other's file is complete", async () => {
      const steps = await world.command(() =>
        Promise.allSettled([all, { ...all, format: "json" }].map((args) => world.declare("DataExport").up(args))),
      );
      assert.deepEqual(steps.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
      assert.deepEqual(files(), ["rows.ndjson"]);
    });

    it("all exports of one up get different names if the path counts up, in each format", async () => {
      const paths = ["out/{n}.rows", "times/{time}", "both/{time}-{n}", "folders/{n}/rows"];
      const exports = paths.flatMap((path) => ["ndjson", "json", "csv"].map((format) => ({ ...all, path, format })));
      const declared = [...exports, ...exports].map((args) => ({ args, each: world.declare("DataExport") }));
      await world.command(() => Promise.all(declared.map(({ args, each }) => each.up(args))));
      for (const { args, each } of declared) {
        assert.equal(sha256Of(world.content(String(each.state.file))), each.state.sha256, args.path);
      }
      assert.equal(new Set(declared.map(({ each }) => each.state.file)).size, declared.length);
      assert.deepEqual(
        files(),
        [1, 2, 3, 4, 5, 6].map((n) => `${n}.rows`),
      );
      assert.equal(files("times").length, 6);
      assert.match(files("times").join(), /^(\d{8}T\d{6}Z(-[2-6])?,?)+$/);
    });

    it("a name that counts up moves on if somebody else takes it during the read, with links and without", async () => {
      const noLinks = Object.assign(new Error("no links here"), { code: "EPERM" });
      for (const folder of ["links", "none"]) {
        const link = folder === "none" ? sinon.stub(fs, "link").rejects(noLinks) : undefined;
        try {
          const hold = world.emulator.hold({ operation: "getData" });
          const each = world.declare("DataExport");
          const step = each.up({ ...all, path: `${folder}/{n}/rows.csv`, format: "csv" });
          await hold.reached;
          mkdirSync(world.path(`${folder}/1`));
          world.write(`${folder}/1/rows.csv`, "theirs");
          hold.release();
          await step;
          assert.equal(world.content(`${folder}/1/rows.csv`), "theirs");
          assert.deepEqual([each.id, files(`${folder}/1`)], [`${folder}/2/rows.csv`, ["rows.csv"]]);
          assert.equal(sha256Of(world.content(`${folder}/2/rows.csv`)), each.state.sha256);
        } finally {
          link?.restore();
        }
      }
    });

    it("a path at which no file is possible is refused before anything runs, and later with the path that blocks it", async () => {
      world.write("index.js", "");
      mkdirSync(world.path("folder"));
      const of = async (path: string): Promise<string> =>
        (await world.providers.problems("DataExport", { ...all, path })).join();
      const places = "rows/ rows/{n}/ . .. folder index.js/x index.js/a/b/c index.js/{n} index.js/a{n}/x";
      for (const path of places.split(" ")) {
        assert.match(await of(path), /^path leads to ".*", which is a folder or is behind a file: name a file such as/);
      }
      for (const path of ["folder/x", "folder-{n}", "new/folder/x", "folder/{time}/x"]) {
        assert.equal(await of(path), "");
      }
      const provider = world.providers.provider("DataExport");
      const args = { ...all, path: "later/x" };
      const { inputs } = await provider.check({}, args);
      world.write("later", "");
      assert.match(
        await failure(provider.create(inputs)),
        /^The file "later\/x" cannot be written: ENOTDIR: .*\. Use another path.* No rows were read\.$/,
      );
      assert.deepEqual(world.operations(), []);
      rmSync(world.path("later"));
      mkdirSync(world.path("later/x"), { recursive: true });
      assert.match(await failure(provider.create(inputs)), /^The file "later\/x" exists\./);
    });

    it("an export that ran on another machine is not checked against this disk", async () => {
      const each = world.declare("DataExport");
      await each.up(all);
      rmSync(world.path("out"), { recursive: true });
      world.write("out", "a file");
      assert.equal(await each.up({ ...all, onDelete: "retain" }), "updated");
      assert.match(await failure(each.up({ ...all, triggers: [1] })), /path leads to/);
    });

    it("the rows of another task replace its own file, in each format", async () => {
      world.emulator.change.addTask({ taskId: "task-2", taskGroupId: "group-1", actions: [] });
      world.emulator.change.insertRows("task-2", ['{"of":"task-2"}']);
      for (const format of ["ndjson", "json", "csv"]) {
        const each = world.declare("DataExport");
        const args = { ...all, path: `out/fixed.${format}`, format };
        await each.up(args);
        assert.equal(await each.up({ ...args, taskId: "task-2" }), "updated");
        assert.deepEqual([each.state.rowCount, each.state.taskId], [1, "task-2"]);
        assert.match(world.content(`out/fixed.${format}`), /task-2/);
      }
      assert.deepEqual(files(), ["fixed.csv", "fixed.json", "fixed.ndjson"]);
    });

    it("an existing file is refused before anything runs if it cannot be the export's own", async () => {
      world.write("theirs.ndjson", "theirs");
      const problems = async (args: object, olds?: object): Promise<string> =>
        (await world.providers.problems("DataExport", { ...all, path: "theirs.ndjson", ...args }, { ...olds })).join();
      const batch = { scope: "batch", lotNo: unknownText };
      for (const args of [batch, { taskId: unknownText }]) {
        assert.match(await problems(args), /^path names a file that exists/);
        assert.match(await problems(args, { ...all, path: "other.ndjson" }), /^path names a file that exists/);
        assert.equal(await problems(args, { ...all, path: "theirs.ndjson" }), "");
        assert.equal(await problems({ ...args, path: "{n}theirs.ndjson" }), "");
        assert.equal(await problems({ ...args, path: "free.ndjson" }), "");
      }
      assert.equal(await problems({ ...batch, path: "{lotNo}.ndjson" }), "");
      // It may hold these very rows, as a kill leaves it.
      assert.equal(await problems({}), "");
      assert.equal(await problems({ scope: "batch", lotNo: "1" }), "");
    });

    it("a complete file that cannot get its name is an error, and the next up exports again", async () => {
      const full = Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC", syscall: "link" });
      const link = sinon.stub(fs, "link").rejects(full);
      const each = world.declare("DataExport");
      const message = await failure(each.up(all)).finally(() => link.restore());
      assert.match(message, /"out\/rows.ndjson" cannot be written: ENOSPC/);
      assert.deepEqual([each.id, files()], [undefined, []]);
      await each.up(all);
      assert.deepEqual(files(), ["rows.ndjson"]);
    });

    it("a file system without links gets the file, and none is overwritten", async () => {
      const noLinks = Object.assign(new Error("no links here"), { code: "EPERM" });
      const link = sinon.stub(fs, "link").rejects(noLinks);
      try {
        await world.declare("DataExport").up(all);
        assert.equal(world.content("out/rows.ndjson").split("\n").length, 4);
        const steps = await world.command(() =>
          Promise.allSettled(
            [1, 2].map((maxRows) => world.declare("DataExport").up({ ...all, maxRows, path: "out/two" })),
          ),
        );
        assert.deepEqual(steps.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
        assert.ok(link.called);
      } finally {
        link.restore();
      }
      assert.deepEqual(files(), ["rows.ndjson", "two"]);
    });

    it("its own file is replaced by the next export, and not touched by a changed option", async () => {
      const each = world.declare("DataExport");
      await each.up(all);
      world.emulator.change.insertRows("task-1", ['{"more":1}']);
      world.operations();
      assert.equal(await each.up({ ...all, onDelete: "removeFile" }), "updated");
      assert.deepEqual([world.operations(), each.state.rowCount], [[], 3]);
      assert.equal(await each.up({ ...all, triggers: ["again"] }), "updated");
      assert.deepEqual([each.state.rowCount, world.content("out/rows.ndjson").split("\n").length], [4, 5]);
    });

    it("a read that fails leaves the last file, and no temporary file", async () => {
      const each = world.declare("DataExport");
      await each.up(all);
      world.emulator.fault({ operation: "getData", kind: "reset" });
      await failure(each.up({ ...all, format: "json" }));
      assert.deepEqual(files(), ["rows.ndjson"]);
      assert.equal(await each.up(all), "nothing");
    });

    it("the temporary files of killed exports of its path are removed after a day, and no other file", async () => {
      mkdirSync(world.path("out"));
      const abandoned = ["rows-1.csv.webextract.0123abcd.tmp", "rows-2.csv.webextract.4567cdef.tmp"];
      const others = [
        "other.csv.webextract.0123abcd.tmp",
        "rows-1.csv.0123abcd.tmp",
        "rows-1.csv.0123abcd.part",
        "rows-1.csv.tmp",
        "rows-9.csv",
      ];
      for (const name of [...abandoned, ...others]) {
        world.write(`out/${name}`, "old");
        utimesSync(world.path(`out/${name}`), 0, 0);
      }
      world.write("out/rows-3.csv.webextract.89abcdef.tmp", "of an export that is running");
      await world.declare("DataExport").up({ ...all, path: "out/rows-{n}.csv", format: "csv" });
      assert.deepEqual(files(), [...others, "rows-1.csv", "rows-3.csv.webextract.89abcdef.tmp"].sort());
    });
  });

  describe("reads and deletes:", () => {
    beforeEach(() => {
      world.emulator.change.insertRows("task-1", rows);
    });

    it("a missing file is not drift", async () => {
      const each = world.declare("DataExport");
      await each.up(all);
      rmSync(world.path("out/rows.ndjson"));
      assert.equal(await each.refresh(), true);
      assert.equal(await each.up(all), "nothing");
      await each.destroy();
    });

    it("with verifyFile a missing file is exported again, unless it came back", async () => {
      const each = world.declare("DataExport");
      const args = { ...all, verifyFile: true };
      await each.up(args);
      const content = world.content("out/rows.ndjson");
      rmSync(world.path("out/rows.ndjson"));
      await each.refresh();
      world.write("out/rows.ndjson", content);
      await each.refresh();
      assert.equal(await each.up(args), "nothing");
      rmSync(world.path("out/rows.ndjson"));
      await each.refresh();
      assert.equal(await each.up(args), "updated");
      assert.equal(world.content("out/rows.ndjson"), content);
      world.write("out/rows.ndjson", "edited");
      await each.refresh();
      await failure(each.up(args));
      assert.equal(world.content("out/rows.ndjson"), "edited");
    });

    it("the file stays, or is removed with onDelete removeFile if its content is what was written", async () => {
      const each = world.declare("DataExport");
      await each.up(all);
      await each.destroy();
      assert.ok(existsSync(world.path("out/rows.ndjson")));
      const removing = world.declare("DataExport");
      await removing.up({ ...all, path: "out/{n}", onDelete: "removeFile" });
      await removing.destroy();
      assert.deepEqual([files(), world.warnings], [["rows.ndjson"], []]);
      const moved = world.declare("DataExport");
      const fixed = { ...all, path: "out/fixed", onDelete: "removeFile" };
      await moved.up(fixed);
      world.emulator.change.addTask({ taskId: "task-2", taskGroupId: "group-1", actions: [] });
      world.emulator.change.insertRows("task-2", ['{"of":"task-2"}']);
      assert.equal(await moved.up({ ...fixed, taskId: "task-2" }), "updated");
      assert.equal(world.content("out/fixed"), '{"of":"task-2"}\n');
      await moved.destroy();
      const edited = world.declare("DataExport");
      await edited.up({ ...all, path: "out/edited", onDelete: "removeFile" });
      world.write("out/edited", "edited");
      await edited.destroy();
      assert.equal(world.content("out/edited"), "edited");
      assert.match(world.warnings.join(), /"out\/edited"/);
    });
  });
});
