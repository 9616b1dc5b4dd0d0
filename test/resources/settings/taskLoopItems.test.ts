import assert from "node:assert/strict";
import fc, { runs } from "../../fastCheck";
import { failure, useWorld } from "../life";

const loop = { taskId: "task-1", actionId: "each", loopType: "UrlList" };

describe("TaskLoopItems", () => {
  const world = useWorld();

  const stands = (): string[] | undefined =>
    world.emulator.inspect.task("task-1")?.actions.find(({ actionId }) => actionId === "each")?.loopItems;

  it("replaces the whole list, always sends isAppend, and does nothing when nothing changed", async () => {
    const items = world.declare("TaskLoopItems");
    await items.up({ ...loop, items: ["a", "b"] });
    assert.equal(await items.up({ ...loop, items: ["a", "b"] }), "nothing");
    assert.equal(await items.up({ ...loop, items: ["b", "c"] }), "updated");
    assert.deepEqual(world.sent("updateLoopItems"), [
      { ...loop, loopItems: ["a", "b"], isAppend: false },
      { ...loop, loopItems: ["b", "c"], isAppend: false },
    ]);
    assert.deepEqual(world.operations(), ["getActions", "updateLoopItems", "updateLoopItems"]);
    assert.deepEqual([items.id, items.state.count], ["task-1", 2]);
  });

  it("shows a list that somebody else changed, and compares its type without case", async () => {
    world.emulator.setBehaviour({ loopTypeRead: "upperUrl" });
    const items = world.declare("TaskLoopItems");
    await items.up({ ...loop, items: ["a", "b"] });
    await items.refresh();
    assert.equal(await items.up({ ...loop, items: ["a", "b"] }), "nothing");
    world.emulator.change.setLoopItems("task-1", "each", ["a", "x"]);
    await items.refresh();
    assert.equal(items.state.items, "a\nx\n");
    assert.equal(await items.up({ ...loop, items: ["a", "b"] }), "updated");
    assert.deepEqual(stands(), ["a", "b"]);
  });

  it("appends only items not sent before", async () => {
    const items = world.declare("TaskLoopItems");
    const append = { ...loop, mode: "append" };
    await items.up({ ...append, items: ["a"] });
    assert.equal(await items.up({ ...append, items: ["b", "a", "c"] }), "updated");
    assert.deepEqual(stands(), ["https://old.test/1", "a", "b", "c"]);
    assert.deepEqual(world.sent("updateLoopItems"), [
      { ...loop, loopItems: ["a"], isAppend: true },
      { ...loop, loopItems: ["b", "c"], isAppend: true },
    ]);
    assert.equal(await items.up({ ...append, items: ["b", "a", "c"] }), "nothing");
    assert.match(await failure(items.up({ ...append, items: ["a", "c"] })), /lacks 1 of the items sent before/);
  });

  it("appends no item that is in the list already: on create, on a replace, or with another loopType", async () => {
    const items = world.declare("TaskLoopItems");
    const append = { ...loop, mode: "append", items: ["a", "https://old.test/1"] };
    await items.up(append);
    await items.replaceByHand();
    assert.equal(await items.up({ ...append, loopType: "TextList" }), "replaced");
    assert.deepEqual(stands(), ["https://old.test/1", "a"]);
    assert.equal(world.sent("updateLoopItems").length, 1);
  });

  it("warns that it appends all items if the service does not show the list", async () => {
    world.configure({ actionTypes: "" });
    const items = world.declare("TaskLoopItems");
    await items.up({ ...loop, mode: "append", items: ["a"] });
    await items.up({ ...loop, mode: "append", items: ["b", "a"] });
    assert.deepEqual(stands(), ["https://old.test/1", "a", "b"]);
    assert.deepEqual(world.warnings.length, 1);
    assert.match(
      world.warnings[0] ?? "",
      /does not show the list of action "each", so all items are appended.*webextract:actionTypes/,
    );
  });

  it("appends again only the items that somebody removed from the list", async () => {
    for (const source of ["list", "file"]) {
      world.emulator.change.setLoopItems("task-1", "each", ["https://old.test/1"]);
      world.write("items.txt", "a\nb\nc\n");
      const declared = source === "list" ? { items: ["a", "b", "c"] } : { itemsFile: "items.txt" };
      const items = world.declare("TaskLoopItems");
      await items.up({ ...loop, mode: "append", ...declared });
      world.emulator.change.setLoopItems("task-1", "each", ["a", "theirs"]);
      await items.refresh();
      assert.equal(Object.hasOwn(items.state, "bytes"), false);
      assert.equal(await items.up({ ...loop, mode: "append", ...declared }), "updated", source);
      assert.deepEqual(stands(), ["a", "theirs", "b", "c"], source);
      assert.equal(await items.up({ ...loop, mode: "append", ...declared }), "nothing", source);
    }
  });

  it("sends the whole list when an append becomes a replace", async () => {
    const items = world.declare("TaskLoopItems");
    await items.up({ ...loop, mode: "append", items: ["a", "b"] });
    assert.equal(await items.up({ ...loop, items: ["a", "b"] }), "updated");
    assert.deepEqual(stands(), ["a", "b"]);
  });

  it("appends the lines added at the end of a file, and refuses a file that changed elsewhere", async () => {
    const items = world.declare("TaskLoopItems");
    const args = { ...loop, mode: "append", itemsFile: "items.txt" };
    world.write("items.txt", "a\nb\n");
    await items.up(args);
    world.write("items.txt", "a\r\nb\r\nc");
    await items.up(args);
    assert.deepEqual(stands(), ["https://old.test/1", "a", "b", "c"]);
    world.write("items.txt", "b\nc\nd\n");
    assert.match(await failure(items.up(args)), /itemsFile does not begin with the 3 items sent before/);
    const listed = { ...loop, mode: "append", items: ["b", "c", "d"] };
    assert.match(await failure(items.up(listed)), /items does not begin with the 3 items sent before/);
  });

  it("refuses a file that changed after the check", async () => {
    world.write("items.txt", "a\nb\n");
    const { inputs } = await world.providers.provider("TaskLoopItems").check({}, { ...loop, itemsFile: "items.txt" });
    world.write("items.txt", "a\nc\n");
    assert.match(
      await failure(world.providers.provider("TaskLoopItems").create(inputs)),
      /^The file "items.txt" of task "task-1" changed after the check: it has other content\. No part of it was sent/,
    );
    assert.deepEqual(world.operations(), ["getActions"]);
  });

  it("adds no item twice, whichever responses to appends are lost, before or after they took effect", async () => {
    const step = fc.record({
      items: fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"), { minLength: 1 }),
      lost: fc.constantFrom(undefined, "before", "after"),
      refresh: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
        world.emulator.change.setLoopItems("task-1", "each", ["old"]);
        world.emulator.clearFaults();
        const resource = world.declare("TaskLoopItems");
        const wanted = new Set<string>();
        for (const { items, lost, refresh } of steps) {
          for (const item of items) {
            wanted.add(item);
          }
          if (lost !== undefined) {
            world.emulator.fault({ operation: "updateLoopItems", kind: "reset", when: lost });
          }
          await resource.up({ ...loop, mode: "append", items: [...wanted] }).catch(() => undefined);
          world.emulator.clearFaults();
          if (refresh && resource.id !== undefined) {
            await resource.refresh();
          }
        }
        await resource.up({ ...loop, mode: "append", items: [...wanted] });
        assert.deepEqual(stands()?.sort(), ["old", ...wanted].sort());
      }),
      runs(40),
    );
  });

  it("sends nothing after a lost append if the service does not show the list", async () => {
    world.configure({ actionTypes: "" });
    const items = world.declare("TaskLoopItems");
    world.emulator.fault({ operation: "updateLoopItems", kind: "reset", when: "after" });
    assert.match(await failure(items.up({ ...loop, mode: "append", items: ["a"] })), /sends only the missing items/);
    assert.match(
      await failure(items.up({ ...loop, mode: "append", items: ["a"] })),
      /whether an earlier append took effect is not known. Nothing was sent.*webextract:actionTypes/,
    );
    assert.deepEqual(stands(), ["https://old.test/1", "a"]);
    assert.equal(await items.up({ ...loop, items: ["a"] }), "updated");
    assert.deepEqual(stands(), ["a"]);
  });

  it("refuses a string without items, because it would empty the list", async () => {
    assert.deepEqual(await world.providers.problems("TaskLoopItems", { ...loop, items: " \n \n" }), [
      "items must be a non-empty list of strings; got a blank string",
    ]);
  });

  it("keeps the list on delete, and says so", async () => {
    const items = world.declare("TaskLoopItems");
    await items.up({ ...loop, items: ["a"] });
    world.operations();
    await items.destroy();
    assert.deepEqual(world.operations(), []);
    assert.match(world.warnings.join(), /keeps .*the loop of action "each"/);
  });
});

describe("TaskLoopItems with onDelete restore", () => {
  const restoring = { ...loop, onDelete: "restore" };
  const old = ["https://old.test/1"];
  const world = useWorld();

  const stands = (): string[] | undefined =>
    world.emulator.inspect.task("task-1")?.actions.find(({ actionId }) => actionId === "each")?.loopItems;

  it("restores the old list", async () => {
    for (const before of [old, ["a", "x"], []]) {
      world.emulator.change.setLoopItems("task-1", "each", before);
      const items = world.declare("TaskLoopItems");
      await items.up({ ...restoring, items: ["a"] });
      await items.up({ ...restoring, items: ["b", "a"] });
      await items.destroy();
      assert.deepEqual(stands(), before);
    }
    assert.deepEqual(world.warnings, []);
  });

  it("keeps a list that somebody else changed, with and without a refresh", async () => {
    for (const refresh of [false, true]) {
      world.emulator.change.setLoopItems("task-1", "each", old);
      const items = world.declare("TaskLoopItems");
      await items.up({ ...restoring, items: ["a", "b"] });
      world.emulator.change.setLoopItems("task-1", "each", ["theirs"]);
      if (refresh) {
        await items.refresh();
      }
      await items.destroy();
      assert.deepEqual(stands(), ["theirs"], `${refresh}`);
    }
    assert.equal(world.warnings.length, 2);
  });

  it('is refused with mode "append", before anything is sent', async () => {
    const refusal =
      /^mode cannot be "append" together with onDelete "restore": .* Use mode "replace" or onDelete "retain"$/;
    const items = world.declare("TaskLoopItems");
    await assert.rejects(items.up({ ...restoring, mode: "append", items: ["a"] }), { message: refusal });
    assert.deepEqual(world.operations(), []);
    await items.up({ ...loop, mode: "append", items: ["a"] });
    await assert.rejects(items.up({ ...restoring, mode: "append", items: ["a"] }), { message: refusal });
    const replacing = world.declare("TaskLoopItems");
    await replacing.up({ ...restoring, items: ["a"] });
    await assert.rejects(replacing.up({ ...restoring, mode: "append", items: ["a"] }), { message: refusal });
  });

  it('shows nothing if the state of an earlier version has mode "append" too, appends, and warns at the delete', async () => {
    const items = world.declare("TaskLoopItems");
    const declared = { ...loop, mode: "append", items: ["a"] };
    await items.up(declared);
    const previous = { loopType: "UrlList", items: old.join("\n") };
    items.hasInState({ onDelete: "restore" }, { previous });
    assert.equal(await items.up({ ...declared, onDelete: "restore" }), "nothing");
    assert.equal(await items.up({ ...declared, items: ["a", "b"], onDelete: "restore" }), "updated");
    assert.deepEqual(stands(), [...old, "a", "b"]);
    await items.destroy();
    assert.deepEqual(stands(), [...old, "a", "b"]);
    assert.match(world.warnings.join(), /keeps .*the loop of action "each"/);
  });

  it("restores no list with an item that is no string, number or boolean, and takes none for drift", async () => {
    for (const odd of [{ url: "https://a.test/" }, [], null]) {
      const items = world.declare("TaskLoopItems");
      const loopItems = ["https://a.test/", odd];
      const actions = [{ actionType: "LoopAction", actionId: "each", loopType: "UrlList", loopItems }];
      const body = { data: [{ taskId: "task-1", actions }], requestId: "r" };
      const showsOdd = () => world.emulator.fault({ operation: "getActions", kind: "status", status: 200, body });
      showsOdd();
      await items.up({ ...restoring, items: ["a"] });
      assert.match(world.warnings.splice(0).join(), /cannot be restored later\. The service does not show/);
      assert.equal(items.state.previous, undefined);
      showsOdd();
      await items.refresh();
      assert.equal(await items.up({ ...restoring, items: ["a"] }), "nothing");
      await items.destroy();
      assert.deepEqual(stands(), ["a"]);
      assert.match(world.warnings.splice(0).join(), /keeps .*the loop of action "each"/);
    }
  });

  it("restores no list with half of a surrogate pair, which the state cannot keep", async () => {
    const items = world.declare("TaskLoopItems");
    const actions = [{ actionType: "LoopAction", actionId: "each", loopType: "UrlList", loopItems: ["a", "\ud800"] }];
    const body = JSON.stringify({ data: [{ taskId: "task-1", actions }], requestId: "r" });
    world.emulator.fault({ operation: "getActions", kind: "status", status: 200, body });
    await items.up({ ...restoring, items: ["a"] });
    assert.match(world.warnings.splice(0).join(), /cannot be restored later\. .* half of a surrogate pair/);
    assert.equal(items.state.previous, undefined);
  });

  it("does not undo the list of its replacement, and warns that the old list is not restored", async () => {
    const items = world.declare("TaskLoopItems");
    await items.up({ ...restoring, items: ["a"] });
    await items.replaceByHand();
    assert.deepEqual(stands(), ["a"]);
    assert.match(
      world.warnings.join(),
      /^Task "task-1" keeps the present values of the loop of action "each": they were not restored/,
    );
    assert.equal(await items.up({ ...restoring, loopType: "TextList", items: ["a"] }), "replaced");
    assert.deepEqual(stands(), ["a"]);
  });

  it("warns at once if the old list cannot be restored later: too large, or not shown", async () => {
    world.emulator.change.setLoopItems("task-1", "each", ["x".repeat(33_000)]);
    const large = world.declare("TaskLoopItems");
    await large.up({ ...restoring, items: ["a"] });
    const way = /add the type of the loop's action to webextract:actionTypes/;
    assert.match(world.warnings.join(), /cannot be restored later\. .* 32 kB/);
    assert.doesNotMatch(world.warnings.splice(0).join(), way);
    assert.equal(large.state.previous, undefined);
    world.configure({ actionTypes: "" });
    await world.declare("TaskLoopItems").up({ ...restoring, items: ["a"] });
    assert.match(world.warnings.join(), /cannot be restored later\. The service does not show/);
    assert.match(world.warnings.join(), way);
  });

  it("warns at once if an item of the old list has a line break, because it could not be restored", async () => {
    world.emulator.change.setLoopItems("task-1", "each", ["one\ntwo"]);
    const items = world.declare("TaskLoopItems");
    await items.up({ ...restoring, items: ["a"] });
    assert.match(world.warnings.join(), /cannot be restored later\. .* an item is blank or has a line break/);
    await items.destroy();
    assert.deepEqual(stands(), ["a"]);
  });

  it("is deleted without a warning when its task is gone", async () => {
    const items = world.declare("TaskLoopItems");
    await items.up({ ...restoring, items: ["a"] });
    world.emulator.change.deleteTask("task-1");
    await items.destroy();
    assert.deepEqual(world.warnings, []);
  });
});
