import assert from "node:assert/strict";
import { startEmulator } from "webextract-emulator";
import { slowIt } from "../environment";
import { testDriftOf } from "./drift";
import { World } from "./world";

describe("the drift of 10 tasks", () => {
  testDriftOf(10);
});

describe("an up --refresh of 10 tasks", () => {
  const fleet = `
    for (let index = 0; index < 5; index++) {
      const copy = new TaskCopy("copy-" + index, { sourceTaskId: "template-1", taskGroupId: "group-1" });
      new TaskActionConfig("config-" + index, { taskId: copy.id, actions: {
        open: { actionType: "NavigateAction", properties: { Url: "https://shop.test/" } } } });
      new ExtractionTask("task-" + index, { from: { sourceTaskId: "template-1", taskGroupId: "group-1" } });
    }
  `;
  let world: World;
  let right: Record<string, string>;
  let state: string[];
  before(async () => {
    world = await World.create({ program: fleet, withCredentials: false });
    right = { WEBEXTRACT_ACCESS_TOKEN: world.emulator.credentials.accessToken };
    await world.project.up({ env: right });
    state = resources();
    world.operations();
  });
  after(() => world.remove());

  /** Our resources in the state, sorted, because a refresh can change their order. */
  const resources = (): string[] =>
    world.project
      .state()
      .resources.filter(({ urn }) => urn.includes("webextract:"))
      .map(({ urn, id, outputs }) => `${urn} ${id} ${JSON.stringify(outputs)}`)
      .sort();
  const written = (): string[] => world.operations().filter((operation) => !/^get/.test(operation));

  const assertNothingHappened = (): void => {
    assert.deepEqual(written(), []);
    assert.equal(world.copies().length, 10);
    assert.deepEqual(resources(), state);
  };

  it("copies nothing and removes nothing from the state with the credentials of another account", async () => {
    const wrong = { WEBEXTRACT_ACCESS_TOKEN: world.emulator.change.addAccount("other").accessToken };
    const { output } = await world.project.up({ args: ["--refresh"], env: wrong, expect: "failure" });
    assert.match(
      output,
      /tasks are gone, and has found no task of this stack so far\. The account or the service may be the wrong one/,
    );
    assertNothingHappened();
  });

  slowIt("copies nothing and removes nothing from the state if the configuration names another address", async () => {
    const stranger = await startEmulator({ seed: { taskGroups: [], tasks: [] } });
    try {
      await world.project.configure({ "webextract:baseUrl": stranger.url });
      const { output } = await world.project.up({ args: ["--refresh"], env: right, expect: "failure" });
      assert.ok(
        output.includes(`This resource was made at ${world.emulator.url}, and the configuration names ${stranger.url}`),
      );
      assert.equal(stranger.requests.length, 0);
    } finally {
      await world.project.configure({ "webextract:baseUrl": world.emulator.url });
      await stranger.close();
    }
    assertNothingHappened();
  });

  slowIt(
    "works again after the correction that the error names: the old address, and an up without a refresh",
    async () => {
      const { output } = await world.project.up({ args: ["--refresh"], env: right, expect: "failure" });
      assert.match(output, /set webextract:baseUrl back and run "pulumi up" without --refresh/);
      await world.project.up({ env: right });
      assertNothingHappened();
    },
  );

  it("copies nothing if all tasks are missing at once and the template exists", async () => {
    for (const taskId of world.copies()) {
      world.emulator.change.deleteTask(taskId);
    }
    const { output } = await world.project.up({ args: ["--refresh"], env: right, expect: "failure" });
    assert.match(output, /10 tasks are gone/);
    assert.deepEqual(written(), []);
    assert.deepEqual(resources(), state);
  });
});
