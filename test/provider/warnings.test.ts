import assert from "node:assert/strict";
import type { Declared } from "../resources/life";
import { useWorld } from "../resources/life";

describe("warnings of many resources", () => {
  const world = useWorld();

  const copies = async (count: number): Promise<Declared[]> => {
    const declared = Array.from({ length: count }, () => world.declare("TaskCopy"));
    for (const copy of declared) {
      await copy.up({ sourceTaskId: "task-1", taskGroupId: "group-2" });
    }
    return declared;
  };

  it("are combined after ten, with their number and the name of every task that stays at the service", async () => {
    const all = await copies(25);
    const ids = all.map(({ id }) => id ?? "");
    await world.command(() => Promise.all(all.map((copy) => copy.destroy())));
    assert.equal(world.warnings.length, 11);
    assert.match(world.warnings[10] ?? "", /\(15 warnings like this one; the others are about "/);
    for (const id of ids) {
      assert.equal(world.warnings.filter((warning) => warning.includes(`"${id}"`)).length, 1);
    }
  });

  it("contain all names if steps run one after the other", async () => {
    const all = await copies(13);
    const ids = all.map(({ id }) => id ?? "");
    await world.command(async () => {
      for (const copy of all) {
        await copy.destroy();
      }
    });
    for (const id of ids) {
      assert.ok(world.warnings.join().includes(`"${id}"`));
    }
  });
});
