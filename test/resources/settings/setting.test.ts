import assert from "node:assert/strict";
import fc from "../../fastCheck";
import type { Context, Setting } from "../../internals/resources";
import {
  actionsOf,
  actionsWith,
  byKey,
  changedProperties,
  claimKey,
  digestOf,
  drifts,
  merge,
  previousOf,
  remember,
  rememberedOf,
  settingsOfActions,
  settingsToRestore,
  toUpdates,
  without,
} from "../../internals/resources";

type Write = Parameters<typeof toUpdates>[0][number];

const ids = fc.constantFrom("open", "pages", "__proto__", 'open" of action "pages', "pages\\");
const names = fc.constantFrom("Url", "constructor", "__proto__", 'Url" of action "open', "");
const values = fc.constantFrom("", "0", "old", "new", "__proto__");
const items = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 3 });
const loopTypes = fc.constantFrom("TextList", "URLList");

/** As the resources declare it: one type for each action. */
const typeOf = (actionId: string): string => `type of ${actionId}`;

const property: fc.Arbitrary<Setting> = fc
  .record({ actionId: ids, part: fc.constant("property" as const), name: names, value: values })
  .map((setting) => ({ ...setting, actionType: typeOf(setting.actionId) }));

const loop: fc.Arbitrary<Setting> = fc
  .record({ actionId: ids, loopType: loopTypes, items })
  .map(({ actionId, loopType, items: list }) => {
    const { count, sha256 } = digestOf(list);
    const value = { loopType, items: list.map((item) => `${item}\n`).join(""), count, sha256 };
    return { actionId, actionType: typeOf(actionId), part: "loop" as const, value };
  });

/** Each setting of a task once. */
const settings = fc.uniqueArray(fc.oneof(property, loop), { selector: claimKey, maxLength: 12 });

const namesOf = (list: readonly Setting[]): string[] => list.map(claimKey).sort();
const sorted = (list: readonly Setting[]): Setting[] =>
  [...list].sort((one, other) => (claimKey(one) < claimKey(other) ? -1 : 1));
const assertSame = (one: readonly Setting[], other: readonly Setting[]): void =>
  assert.deepEqual(sorted(one), sorted(other));

/** A task at the service: accepts updates and shows its actions. */
class Task {
  private readonly settings = new Map<string, Write>();

  constructor(list: readonly Setting[]) {
    this.write(list.map(toWrite));
  }

  write(writes: readonly Write[]): void {
    for (const { actionId, actionType, properties = [], loopItems } of toUpdates(writes)) {
      for (const { name, value } of properties) {
        this.set({ actionId, actionType, part: "property", name, value });
      }
      if (loopItems !== undefined) {
        const { actionId: _same, ...value } = loopItems;
        this.set({ actionId, actionType, part: "loop", value });
      }
    }
  }

  /** The writes that would bring the task into its present state, in order. */
  contents(): Write[] {
    return [...this.settings.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, write]) => write);
  }

  actions(): Record<string, unknown>[] {
    return toUpdates(this.contents()).map(({ loopItems, ...action }) => ({ ...action, ...loopItems }));
  }

  /** The parts of a context that the functions of the model use. */
  context(warnings: string[] = []): Context {
    const context = {
      tasks: {
        actions: { read: async () => ({ actions: this.actions() }) },
        isOwnedElsewhere: () => false,
        saw: () => undefined,
      },
      settings: { actionTypes: [] },
      warn: (text: string) => warnings.push(text),
    };
    return context as unknown as Context;
  }

  private set(write: Write): void {
    this.settings.set(claimKey(write), write);
  }
}

function toWrite(setting: Setting): Write {
  if (setting.part === "property") {
    return setting;
  }
  const { loopType, items: list = "" } = setting.value;
  return { ...setting, value: { loopType, loopItems: list.split("\n").slice(0, -1), isAppend: false } };
}

describe("the settings of a task", () => {
  it("have different names if their action, part or property differs", () => {
    const key = (setting: Setting): string =>
      JSON.stringify([setting.actionId, setting.part, setting.part === "property" ? setting.name : ""]);
    fc.assert(
      fc.property(fc.array(fc.oneof(property, loop), { minLength: 40, maxLength: 80 }), (list) => {
        assert.equal(new Set(list.map(claimKey)).size, new Set(list.map(key)).size);
      }),
    );
  });

  it("are split by without into two parts that together are the whole", () => {
    fc.assert(
      fc.property(settings, settings, (list, others) => {
        const kept = without(list, others);
        const removed = without(list, kept);
        assertSame([...kept, ...removed], list);
        const names = byKey(others);
        assert.ok(removed.every((setting) => names.has(claimKey(setting))));
        assert.ok(!kept.some((setting) => names.has(claimKey(setting))));
      }),
    );
  });

  it("do not change when they are merged with the empty list or with themselves", () => {
    fc.assert(
      fc.property(settings, (list) => {
        for (const merged of [merge(list, []), merge([], list), merge(list, list)]) {
          assert.deepEqual(merged, list);
        }
      }),
    );
  });

  it("are merged so that the second list wins, in any grouping", () => {
    fc.assert(
      fc.property(settings, settings, settings, (first, second, third) => {
        const merged = merge(first, second);
        assertSame(merged, [...without(first, second), ...second]);
        assertSame(merge(merged, third), merge(first, merge(second, third)));
      }),
    );
  });

  it("keep their values in the forms of the state and of a request", () => {
    fc.assert(
      fc.property(settings, (list) => {
        assertSame(settingsOfActions(actionsOf(list)), list);
        const remembered = rememberedOf(previousOf(list));
        assertSame(
          remembered.map((setting) => ({ ...setting, actionType: typeOf(setting.actionId) })),
          list,
        );
        assert.deepEqual(new Task(list).contents(), sorted(list).map(toWrite));
      }),
    );
  });

  describe("to write", () => {
    it("are none if nothing changed", () => {
      fc.assert(fc.property(settings, (list) => assert.deepEqual(changedProperties(list, list), [])));
    });

    it("bring the service from one declaration to the next", () => {
      fc.assert(
        fc.property(settings, settings, (before, now) => {
          const properties = now.filter(({ part }) => part === "property");
          const task = new Task(before);
          task.write(changedProperties(before, now));
          const expected = new Task(merge(before, properties));
          assert.deepEqual(task.contents(), expected.contents());
        }),
      );
    });

    it("contain all properties of a changed action and none of an unchanged one", () => {
      fc.assert(
        fc.property(settings, settings, (before, now) => {
          const changed = changedProperties(before, now);
          const actionIds = new Set(changed.map(({ actionId }) => actionId));
          const whole = now.filter(({ part, actionId }) => part === "property" && actionIds.has(actionId));
          assertSame(changed, whole);
          const old = byKey(before);
          const differ = now.filter(
            (setting) => setting.part === "property" && old.get(claimKey(setting))?.value !== setting.value,
          );
          assert.deepEqual([...new Set(differ.map(({ actionId }) => actionId))].sort(), [...actionIds].sort());
        }),
      );
    });
  });

  describe("that drift", () => {
    it("are none if the service has the declared values", () => {
      fc.assert(
        fc.property(settings, settings, (list, others) => {
          assert.deepEqual(drifts(list, new Task(merge(others, list)).actions()), []);
        }),
      );
    });

    it("are those that somebody else changed, and none after the state has their values", () => {
      fc.assert(
        fc.property(settings, settings, (list, foreign) => {
          const shown = new Task(merge(list, foreign)).actions();
          const drift = drifts(list, shown);
          const changed = list.filter((setting) => {
            const other = byKey(foreign).get(claimKey(setting));
            return other !== undefined && JSON.stringify(toWrite(other)) !== JSON.stringify(toWrite(setting));
          });
          assert.deepEqual(namesOf(drift), namesOf(changed));
          assert.deepEqual(drifts(settingsOfActions(actionsWith(actionsOf(list), drift)), shown), []);
        }),
      );
    });
  });

  describe("with onDelete restore", () => {
    /** Remembers the task's values and writes ours. */
    function apply(task: Task, ours: readonly Setting[]) {
      const memory = { fresh: ours, known: [], shown: task.actions() };
      const remembered = remember("task-1", memory, task.context());
      task.write(ours.map(toWrite));
      return remembered;
    }

    it("get back the values that the service had before", () =>
      fc.assert(
        fc.asyncProperty(settings, settings, async (original, ours) => {
          const task = new Task(original);
          const before = task.contents();
          const remembered = apply(task, ours);
          const warnings: string[] = [];
          const state = { taskId: "task-1", onDelete: "restore" as const, remembered };
          task.write(await settingsToRestore(state, ours, task.context(warnings)));
          const added = new Map(without(ours, original).map((setting) => [claimKey(setting), setting]));
          assert.deepEqual(
            task.contents().filter((setting) => !added.has(claimKey(setting))),
            before,
          );
          assert.equal(warnings.length > 0, added.size > 0);
        }),
      ));

    it("keep the values that somebody else changed", () =>
      fc.assert(
        fc.asyncProperty(settings, settings, settings, async (original, ours, foreign) => {
          const task = new Task(original);
          const remembered = apply(task, ours);
          task.write(foreign.map(toWrite));
          const state = { taskId: "task-1", onDelete: "restore" as const, remembered };
          const before = new Map(task.contents().map((write) => [claimKey(write), write]));
          const own = byKey(ours.map(toWrite));
          for (const write of await settingsToRestore(state, ours, task.context())) {
            const name = claimKey(write);
            assert.deepEqual(before.get(name), own.get(name));
          }
        }),
      ));

    it("fill the limit of 32 kB, and are no more", () => {
      const ours: Setting[] = Array.from({ length: 1000 }, (_, index) => ({
        actionId: `action-${index}`,
        part: "property",
        name: "Url",
        value: "https://old.test/".repeat(20),
      }));
      const task = new Task(ours);
      const memory = { fresh: ours, known: [], shown: task.actions() };
      const warnings: string[] = [];
      const remembered = remember("task-1", memory, task.context(warnings));
      const bytes = Buffer.byteLength(JSON.stringify(previousOf(remembered)));
      assert.ok(bytes <= 32 * 1024 && bytes > 24 * 1024, `${bytes} bytes`);
      assert.equal(warnings.length, 1);
      const more = remember("task-1", { ...memory, fresh: ours.slice(0, 1), known: remembered }, task.context());
      assert.deepEqual(more, remembered);
    });

    it("need no request if the service has the old values again", () =>
      fc.assert(
        fc.asyncProperty(settings, settings, async (original, ours) => {
          const task = new Task(original);
          const remembered = apply(task, ours);
          task.write(original.map(toWrite));
          const state = { taskId: "task-1", onDelete: "restore" as const, remembered };
          assert.deepEqual(await settingsToRestore(state, ours, task.context()), []);
        }),
      ));
  });
});
