import assert from "node:assert/strict";
import { World } from "./world";

/** The diagnostics in the output, by resource. */
function diagnostics(output: string): string {
  const from = output.indexOf("Diagnostics:");
  return output.slice(from, output.indexOf("\nResources:", from));
}

describe("an error of a resource on the engine", () => {
  let world: World;
  before(async () => {
    world = await World.create({
      program: `
        const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1" });
        new TaskActionConfig("config", { taskId: copy.id, actions: {
          open: { actionType: "NavigateAction", properties: { Url: "https://shop.test/" } } } });
      `,
    });
    await world.project.up();
  });
  after(() => world.remove());

  const error = (resource: string, message: string): string =>
    `  pulumi-nodejs:dynamic/webextract:${resource}:\n    error: ${message}`;

  /** Asserts that each error is shown once, under its resource, and that only the end of the command is shown under the stack. */
  const assertShown = (output: string, ...errors: [resource: string, message: string][]): void => {
    const shown = diagnostics(output);
    for (const [resource, message] of errors) {
      assert.match(shown, new RegExp(error(resource, message)), output);
    }
    assert.equal(shown.match(new RegExp(errors[0]?.[1] ?? "", "g"))?.length, errors.length, output);
  };

  it("is shown once, under its resource, if a read fails, also if several resources share one request", async () => {
    world.emulator.fault({ operation: "getActions", kind: "error", code: "PermissionDenied", times: 10 });
    const { output } = await world.project.refresh({ expect: "failure" });
    world.emulator.clearFaults();
    const message = "The account's plan or its rights do not allow this\\. getActions .*PermissionDenied";
    assertShown(output, ["TaskActionConfig \\(config\\)", message], ["TaskCopy \\(copy\\)", message]);
  });

  it("is shown once, under its resource, if a delete fails", async () => {
    world.emulator.change.insertRows(world.copies()[0] ?? "", [{ a: 1 }]);
    const { output } = await world.project.destroy({ expect: "failure" });
    assertShown(output, ["TaskCopy \\(copy\\)", "The rows of task .* were not removed"]);
  });

  it("is shown once, under its resource, if a diff is refused", async () => {
    await world.project.configure({ "webextract:baseUrl": "http://127.0.0.1:1" });
    const { output } = await world.project.up({ expect: "failure" });
    assertShown(output, ["TaskCopy \\(copy\\)", "This resource was made at"]);
  });
});
