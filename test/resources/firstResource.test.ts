import assert from "node:assert/strict";
import { allTests } from "../eachTest";
import { taskUrl } from "./firstResource";
import { World } from "./life";

describe("the resource of the page for contributors", () => {
  const world = allTests(() => World.create());

  it("is checked, compared, created and updated like the others", async () => {
    const provider = world.providers.provider("TaskUrl", taskUrl);
    const { failures } = await provider.check({}, { taskId: "", actionId: "open", ulr: "https://a.test/" });
    assert.deepEqual(failures?.map(({ reason }) => reason.split(" ")[0]).sort(), ["taskId", "ulr", "url"]);
    const args = { taskId: "task-1", actionId: "open", url: "https://a.test/" };
    const { id, outs } = await provider.create(args);
    assert.deepEqual([id, outs?.url], ["task-1", args.url]);
    assert.deepEqual((await provider.diff("task-1", outs, { ...args, taskId: "task-2" })).replaces, ["taskId"]);
    const now = { ...args, url: "https://b.test/" };
    assert.deepEqual((await provider.diff("task-1", outs, now)).replaces ?? [], []);
    assert.equal((await provider.update("task-1", outs, now)).outs?.url, now.url);
    await provider.delete("task-1", outs);
    assert.deepEqual(world.operations(), ["updateActionProperties", "updateActionProperties"]);
  });
});
