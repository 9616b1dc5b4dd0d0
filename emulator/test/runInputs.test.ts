import assert from "node:assert/strict";
import type { SeedTask } from "webextract-emulator";
import fc from "../../test/fastCheck";
import type { StoredRun } from "./internals";
import { defaultBehaviour, LineList, Runner, runInputs, Store, splitInputs } from "./internals";

const placeholder = "{text}";
const item = fc.oneof(fc.constantFrom("http://h/{text}", "http://h/{text}/{text}", "$&", "$$", "a b"), fc.webUrl());
const items = fc.array(item, { maxLength: 6 });
const tasks = fc
  .record({
    startUrls: items,
    urls: items,
    texts: items,
    navigated: items,
    set: fc.option(item),
    perSubtask: fc.nat(4),
  })
  .map(({ startUrls, urls, texts, navigated, set, perSubtask }): SeedTask => {
    const navigate = navigated.map((Url, index) => ({
      actionType: "NavigateAction",
      actionId: `open-${index}`,
      properties: { Url },
    }));
    const enter = { actionType: "EnterTextAction", actionId: "enter", properties: { TextToSet: set ?? "" } };
    return {
      taskId: "task",
      taskGroupId: "group",
      startUrls,
      urlsPerSubtask: perSubtask + 1,
      actions: [
        ...navigate,
        { actionType: "LoopAction", actionId: "urls", loopType: "UrlList", loopItems: urls },
        { actionType: "LoopAction", actionId: "texts", loopType: "TextList", loopItems: texts },
        ...(set === null ? [] : [enter]),
      ],
    };
  });

/** The pages as docs/runs.md describes them, all at once. */
function expectedPages({ startUrls = [], actions }: SeedTask): object[] {
  const itemsOf = (id: string) => actions.find(({ actionId }) => actionId === id)?.loopItems ?? [];
  const listed = [...startUrls, ...itemsOf("urls")];
  const navigated = actions.flatMap(({ properties = {} }) => properties.Url ?? []);
  const set = actions.find(({ actionId }) => actionId === "enter")?.properties?.TextToSet;
  const texts = itemsOf("texts");
  return (listed.length > 0 ? listed : navigated).flatMap((url): object[] => {
    if (texts.length > 0 && url.includes(placeholder)) {
      return texts.map((text) => ({ kind: "list", url: url.split(placeholder).join(encodeURIComponent(text)) }));
    }
    if (set === undefined) return [{ kind: "list", url }];
    const entered = texts.map((text) => (set.includes(placeholder) ? set.split(placeholder).join(text) : text));
    return (texts.length > 0 ? entered : [set]).map((text) => ({ kind: "form", url, text }));
  });
}

const stored = (seed: SeedTask) => new Store().addTask(seed);
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `http://127.0.0.1:1/${index}`);

describe("the pages of a run", () => {
  it("are those of the task, whichever subtask needs its pages first", () => {
    const check = (seed: SeedTask, order: number[]) => {
      const task = stored(seed);
      const expected = expectedPages(seed);
      const queues = splitInputs(runInputs(task), task.urlsPerSubtask);
      // A run has the pages of its start, whatever happens to the task.
      for (const action of task.actions) action.properties.clear();
      assert.equal(queues.length, Math.max(1, Math.ceil(expected.length / task.urlsPerSubtask)));
      assert.equal(
        queues.reduce((sum, { length }) => sum + length, 0),
        expected.length,
      );
      for (const index of order)
        assert.equal(queues[index % queues.length]?.first === undefined, expected.length === 0);
      assert.deepEqual(
        queues.flatMap((queue) => queue.toJSON()),
        expected,
      );
    };
    fc.assert(fc.property(tasks, fc.array(fc.nat(20)), check));
  });

  for (const [kind, fields] of Object.entries({
    "start URLs": { startUrls: numbered(5000) },
    "loop items": { loopType: "UrlList", loopItems: numbered(5000) },
    texts: { startUrls: ["http://127.0.0.1:1/{text}"], loopType: "TextList", loopItems: numbered(5000) },
  })) {
    it(`are made when their subtask works, not at the start: ${kind}`, () => {
      const { startUrls = [], ...loop } = { startUrls: [], ...fields };
      const actions = [{ actionType: "LoopAction", actionId: "loop", ...loop }];
      const task = stored({ taskId: "task", taskGroupId: "group", startUrls, actions, urlsPerSubtask: 1 });
      const { count, visits } = runInputs(task);
      let made = 0;
      const counted = () => {
        const pages = visits();
        return {
          next() {
            made += 1;
            return pages.next();
          },
        };
      };
      const queues = splitInputs({ count, visits: counted }, task.urlsPerSubtask);
      assert.deepEqual([count, queues.length, made], [5000, 1000, 0]);
      assert.equal(queues[0]?.length, 5);
      assert.equal(
        queues[0]?.first?.url,
        `http://127.0.0.1:1/${kind === "texts" ? encodeURIComponent(numbered(1)[0] ?? "") : "0"}`,
      );
      assert.ok(made <= 6, String(made));
      queues[9]?.removeFirst();
      assert.ok(made <= 51, String(made));
    });
  }

  it("look at a bounded number of subtasks for each page", async () => {
    const store = new Store();
    const urls = numbered(8000);
    const task = store.addTask({
      taskId: "task",
      taskGroupId: "group",
      actions: [],
      startUrls: urls,
      urlsPerSubtask: 80,
    });
    let looks = 0;
    const rows: string[] = [];
    const runner = new Runner({
      store,
      visitPage: async ({ visit }) => ({ rows: [{ url: visit.url }], next: [] }),
      behaviour: defaultBehaviour,
      changed: () => undefined,
      progressed: () => undefined,
      log: () => undefined,
    });
    const run: StoredRun = runner.begin(task);
    for (const subtask of run.subtasks) {
      let { unreleased } = subtask;
      Object.defineProperty(subtask, "unreleased", {
        get() {
          looks += 1;
          return unreleased;
        },
        set: (value) => {
          unreleased = value;
        },
      });
    }
    await runner.settled();
    rows.push(...run.rows.slice(0, run.rows.length).map((row) => JSON.parse(row).url));
    assert.deepEqual(rows, urls);
    assert.ok(looks < 10 * urls.length, `${looks} looks at subtasks for ${urls.length} pages`);
  });
});

describe("a long list of lines", () => {
  it("has the same lines in one chunk, in small ones, and at each count", async () => {
    const text = fc.array(fc.oneof(fc.string(), fc.constantFrom("", " ", "\r", "ü".repeat(40_000), "\uFEFF")), {
      maxLength: 8,
    });
    const check = async (lines: string[], size: number) => {
      const bytes = Buffer.from(lines.join("\n"));
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      const whole = new LineList([bytes]);
      assert.deepEqual([...new LineList(chunks).lines()], [...whole.lines()]);
      const plain = bytes
        .toString()
        .replace(/^\uFEFF/, "")
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "");
      assert.deepEqual([...whole.lines()], plain);
      assert.equal(new LineList(chunks).count, whole.count);
    };
    await fc.assert(fc.asyncProperty(text, fc.integer({ min: 1000, max: 100_000 }), check));
  });
});
