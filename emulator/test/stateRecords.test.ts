import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Emulator } from "webextract-emulator";
import fc, { runs } from "../../test/fastCheck";
import { call, data, startWith } from "./caller";
import type { StateDocument } from "./internals";
import { createFromDocument, StateDatabase } from "./internals";
import { savedState } from "./savedState";

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom("", "a,b", '"', "\0", "\ud800", "é\n"),
);
const integer = fc.nat(50);
const visit = fc.record(
  { kind: fc.constantFrom("list", "form", "detail"), url: text, text, page: integer, row: fc.dictionary(text, text) },
  { requiredKeys: ["kind", "url"] },
);
const error = fc.record({ url: text, message: text, others: integer }, { requiredKeys: ["url", "message"] });
const subtask = fc.record(
  {
    subTaskId: text,
    status: fc.constantFrom("waiting", "stopped", "finished", "failed"),
    queue: fc.array(visit, { maxLength: 3 }),
    failed: fc.array(visit, { maxLength: 2 }),
    errors: fc.array(error, { maxLength: 2 }),
    pagesRead: integer,
    unreleased: fc.array(text, { maxLength: 3 }),
    syntheticRows: integer,
  },
  { requiredKeys: ["subTaskId", "status", "queue", "failed", "errors", "pagesRead", "unreleased", "syntheticRows"] },
);
const action = fc.record(
  {
    actionType: text,
    actionId: text,
    name: text,
    properties: fc.uniqueArray(fc.tuple(text, text), { selector: ([name]) => name, maxLength: 3 }),
    loopType: text,
    loopItems: fc.array(text, { maxLength: 3 }),
  },
  { requiredKeys: ["actionType", "actionId", "properties", "loopItems"] },
);
/** UTF-8 has no halves of surrogate pairs, and the lines are stored as bytes. */
const urls = fc.array(fc.webUrl(), { maxLength: 3 }).map((lines) => lines.join("\n"));
const task = fc.record(
  {
    taskId: text,
    taskGroupId: text,
    account: text,
    name: text,
    startUrls: urls,
    actions: fc.array(action, { maxLength: 3 }),
    urlsPerSubtask: fc.integer({ min: 1, max: 5 }),
    syntheticRows: integer,
    syntheticSubtasks: fc.integer({ min: 1, max: 5 }),
  },
  { requiredKeys: ["taskId", "taskGroupId", "account", "startUrls", "actions", "urlsPerSubtask", "syntheticSubtasks"] },
);
/** More than one chunk of rows in some runs. */
const rows = fc.oneof(
  fc.array(text, { maxLength: 5 }),
  fc.constantFrom(1000, 2500).map((count) => Array.from({ length: count }, (_, index) => `{"n":${index}}`)),
);
const run = fc.record(
  {
    taskId: fc.oneof(text, fc.constant("task")),
    split: fc.boolean(),
    subtasks: fc.array(subtask, { maxLength: 3 }),
    startedAt: integer,
    endedAt: integer,
    rows: fc.record({ generated: integer, texts: rows }),
    exported: fc.constantFrom(
      [],
      [[0, 3]],
      [
        [0, 1],
        [2, 4],
      ],
    ),
    handedOut: fc.constantFrom([], [[1, 2]]),
    listLag: integer,
    readsLeft: integer,
    readsAsked: integer,
    lateReads: fc.record({ left: integer, of: integer }),
  },
  {
    requiredKeys: [
      "taskId",
      "split",
      "subtasks",
      "rows",
      "exported",
      "handedOut",
      "listLag",
      "readsLeft",
      "readsAsked",
      "lateReads",
    ],
  },
);
const documents = fc
  .record({
    groups: fc.uniqueArray(fc.record({ taskGroupId: text, account: text }), {
      selector: ({ taskGroupId }) => taskGroupId,
      maxLength: 3,
    }),
    tasks: fc.uniqueArray(task, { selector: ({ taskId }) => taskId, maxLength: 4 }),
    runs: fc.array(run, { maxLength: 4 }),
    plan: fc.constantFrom("free", "professional", "enterprise"),
    credentials: fc.record({
      accessTokens: fc.array(fc.record({ value: text, account: text, expiresAt: integer, uses: integer })),
      refreshTokens: fc.array(fc.record({ value: text, account: text, dead: fc.boolean() })),
      apiKeys: fc.array(fc.record({ value: text, account: text })),
    }),
  })
  .map(({ runs, ...rest }) => ({
    format: "webextract-emulator",
    version: 1,
    ...rest,
    runs: runs.map((each, index) => ({ lotNo: String(638_000_000_000_000_001n + BigInt(index)), ...each })),
  })) as fc.Arbitrary<unknown> as fc.Arbitrary<StateDocument>;

describe("the records of a state file", () => {
  let folder: string;
  let stateFile: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "emulator-records-"));
    stateFile = join(folder, "state.db");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("give back every document", async () => {
    const check = async (document: StateDocument) => {
      createFromDocument(stateFile, structuredClone(document));
      assert.deepEqual(await savedState(stateFile), JSON.parse(JSON.stringify(document)));
    };
    await fc.assert(fc.asyncProperty(documents, check), runs(60));
  });

  /** All that a request, a run or a test can change. */
  const steps: { [name: string]: (emulator: Emulator, taskId: string) => Promise<unknown> | unknown } = {
    copy: (emulator, taskId) => data(emulator, "copyTask", { taskId, taskGroupId: "group" }),
    urls: (emulator, taskId) => call(emulator, "updateTaskUrls", { fields: { taskId }, file: "http://127.0.0.1:1/\n" }),
    properties: (emulator, taskId) =>
      data(emulator, "updateActionProperties", {
        taskId,
        actions: [{ actionType: "NavigateAction", actionId: "open", properties: [{ name: "Timeout", value: "7" }] }],
      }),
    parameters: (emulator, taskId) =>
      data(emulator, "updateTaskParameters", {
        taskId,
        actions: [{ actionType: "NavigateAction", actionId: "open", properties: [{ name: "Url", value: "x" }] }],
      }),
    loop: (emulator, taskId) =>
      data(emulator, "updateLoopItems", {
        taskId,
        actionId: "loop",
        loopType: "UrlList",
        loopItems: ["more"],
        isAppend: true,
      }),
    start: async (emulator, taskId) => {
      await data(emulator, "startTask", { taskId });
      await emulator.settled();
    },
    subtasks: async (emulator, taskId) => {
      emulator.change.holdRuns();
      await data(emulator, "startTask", { taskId });
      const fields = {
        taskId,
        subTaskIds: emulator.inspect
          .runs(taskId)
          .at(-1)
          ?.subtasks.map((each) => each.subTaskId),
      };
      await data(emulator, "stopSubtasks", fields);
      await data(emulator, "startSubtasks", fields);
      emulator.change.releaseRuns();
      await emulator.settled();
    },
    list: (emulator, taskId) => data(emulator, "getSubtasks", { taskId, page: 1, size: 10 }),
    read: (emulator, taskId) => data(emulator, "getData", { taskId, offset: 0, size: 10 }),
    handOut: (emulator, taskId) => data(emulator, "getNotExportedData", { taskId, size: 3 }),
    mark: (emulator, taskId) => data(emulator, "markExported", { taskId }),
    remove: (emulator, taskId) => data(emulator, "removeData", { taskId }),
    rows: (emulator, taskId) =>
      emulator.change.insertRows(
        taskId,
        Array.from({ length: 700 }, (_, index) => ({ index: String(index) })),
      ),
    action: (emulator, taskId) =>
      emulator.change.addAction(taskId, {
        actionType: "A",
        actionId: `a${emulator.inspect.task(taskId)?.actions.length}`,
      }),
    status: (emulator, taskId) => {
      const lotNo = emulator.inspect.runs(taskId).at(-1)?.lotNo;
      if (lotNo !== undefined) emulator.change.setSubtaskStatus(lotNo, "failed");
    },
    deleteTask: (emulator, taskId) => {
      emulator.change.deleteTask(taskId);
      emulator.change.addTask({
        taskId,
        taskGroupId: "group",
        syntheticRows: 5,
        actions: [
          { actionType: "NavigateAction", actionId: "open" },
          { actionType: "LoopAction", actionId: "loop", loopType: "UrlList" },
        ],
      });
    },
    account: (emulator) => emulator.change.addAccount(`account ${emulator.exportState().credentials.apiKeys.length}`),
    plan: (emulator) => emulator.setPlan("professional"),
    reset: (emulator) => emulator.reset(),
    import: (emulator) => emulator.importState(emulator.exportState()),
  };

  it("hold every change, also after a restart", async () => {
    const step = fc.tuple(fc.constantFrom(...Object.keys(steps)), fc.constantFrom("template", "other"));
    const behaviour = { rowsArriveLate: 2, subtaskListLag: 1, readsUntilFinished: 0, markScope: "returned" } as const;
    const check = async (before: [string, string][], after: [string, string][]) => {
      rmSync(stateFile, { force: true });
      const other = {
        taskId: "other",
        taskGroupId: "group",
        syntheticRows: 3,
        syntheticSubtasks: 2,
        actions: [
          { actionType: "NavigateAction", actionId: "open" },
          { actionType: "LoopAction", actionId: "loop", loopType: "UrlList" },
        ],
      };
      let emulator = await startWith([other], { stateFile, behaviour });
      try {
        for (const part of [before, after]) {
          for (const [name, taskId] of part) await steps[name]?.(emulator, taskId);
          const expected = emulator.exportState();
          await emulator.close();
          assert.deepEqual(await savedState(stateFile), expected);
          // With the same seed, because a reset returns to it.
          emulator = await startWith([other], { stateFile, behaviour });
          assert.deepEqual(emulator.exportState(), expected);
        }
      } finally {
        // An open emulator would hide the fault: each smaller case would find its file in use.
        await emulator.close();
      }
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), fc.array(step, { maxLength: 8 }), check),
      runs(50),
    );
  });

  describe("of a run whose pages are not opened yet", () => {
    const urls = (count: number) => Array.from({ length: count }, (_, index) => `http://127.0.0.1:1/${index}`);
    const held = async (count: number) => {
      const fields = { taskId: "list", taskGroupId: "group", actions: [], urlsPerSubtask: Math.ceil(count / 10) };
      const emulator = await startWith([{ ...fields, startUrls: urls(count) }], { stateFile });
      emulator.change.holdRuns();
      const { lotNo } = await data(emulator, "startTask", { taskId: "list" });
      return { emulator, lotNo };
    };
    const pagesOf = ({ runs }: StateDocument) =>
      runs.flatMap(({ subtasks }) => subtasks.flatMap(({ queue }) => queue.map(({ url }) => url)));

    it("are as small for many pages as for few", async () => {
      const lengths: number[] = [];
      for (const count of [100, 20_000]) {
        rmSync(stateFile, { force: true });
        const { emulator } = await held(count);
        await emulator.close();
        const database = StateDatabase.open(stateFile);
        lengths.push(Number(database.value("select sum(length(content)) from subtasks")));
        database.close();
        assert.deepEqual(pagesOf(await savedState(stateFile)), urls(count));
      }
      const [few = 0, many = 0] = lengths;
      assert.ok(many < 2 * few, `${many} characters of many pages, ${few} of few`);
    });

    const changes: { [what: string]: (emulator: Emulator) => void } = {
      "its start URLs": ({ change }) => change.setStartUrls("list", ["http://127.0.0.1:1/other"]),
      "an action": ({ change }) =>
        change.addAction("list", { actionType: "EnterTextAction", actionId: "enter", properties: { TextToSet: "x" } }),
    };
    for (const [what, change] of Object.entries(changes)) {
      for (const restarted of [false, true]) {
        for (const stopped of [false, true]) {
          const when = `${restarted ? "after a restart" : "at once"}, ${stopped ? "stopped" : "waiting"}`;
          it(`stay those of the start when the task changes ${what}: ${when}`, async () => {
            let { emulator, lotNo } = await held(50);
            try {
              if (stopped) emulator.change.setSubtaskStatus(lotNo, "stopped");
              if (restarted) {
                await emulator.close();
                emulator = await startWith([], { stateFile });
                emulator.change.holdRuns();
              }
              change(emulator);
              await emulator.close();
              const saved = await savedState(stateFile);
              const left = pagesOf(saved);
              assert.deepEqual(left, urls(50).slice(50 - left.length));
              // A run that works before it is held has opened some of its pages.
              if (stopped || !restarted) assert.equal(left.length, 50);
              const kinds = saved.runs.flatMap(({ subtasks }) => subtasks.flatMap(({ queue }) => queue));
              assert.ok(kinds.every(({ kind }) => kind === "list"));
            } finally {
              await emulator.close();
            }
          });
        }
      }
    }
  });
});
