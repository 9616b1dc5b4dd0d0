import assert from "node:assert/strict";
import { failure, useWorld } from "../life";

describe("an action that the task does not have", () => {
  const world = useWorld();

  const properties = { Url: "https://a.test/" };
  const action = { actionType: "NavigateAction", properties };
  for (const [type, args] of [
    ["TaskActionConfig", { taskId: "task-1", actions: { opn: action } }],
    ["TaskParameters", { taskId: "task-1", actions: { opn: action } }],
    ["ExtractionTask", { from: { adoptTaskId: "task-1" }, actions: { opn: action } }],
    ["TaskLoopItems", { taskId: "task-1", actionId: "opn", loopType: "UrlList", items: ["https://a.test/"] }],
  ] as const) {
    it(`is refused by the service, and the error lists those of the task (${type})`, async () => {
      world.emulator.setBehaviour({ getActionsEmptyTypes: "all" });
      const message = await failure(world.declare(type).up(args));
      assert.match(message, /The service shows the actions "open".*\. "opn" is not among them; did you mean "open"\?/);
      assert.match(message, /task task-1.*TaskSettingsNotFound/);
      assert.doesNotMatch(message, /getActions returns/);
    });
  }

  it("is an error without a list if the service shows no actions", async () => {
    world.emulator.setBehaviour({ getActionsEmptyTypes: "none" });
    world.emulator.change.deleteAction("task-1", "open");
    const given = { taskId: "task-1", actions: { open: { ...action, actionType: "Nothing" } } };
    assert.match(await failure(world.declare("TaskActionConfig").up(given)), /TaskSettingsNotFound/);
  });
});
