import assert from "node:assert/strict";
import type { Behaviour, Emulator, Seed } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { Host } from "../../../test/internals/provider";
import { noEngine } from "../../../test/program/inProcess";
import type { AdoptedTask } from "../internals/adopt";
import { readTasks, Secrets } from "../internals/adopt";

const seed: Seed = {
  taskGroups: [{ taskGroupId: "group-1" }],
  tasks: ["task-1", "task-2"].map((taskId) => ({
    taskId,
    taskGroupId: "group-1",
    actions: [
      { actionType: "NavigateAction", actionId: "open", properties: { Url: "https://shop.test/", Wait: "2" } },
      { actionType: "LoopAction", actionId: "each", loopType: "UrlList", loopItems: ["https://shop.test/1"] },
    ],
  })),
};

describe("reading tasks to adopt", () => {
  let emulator: Emulator;
  afterEach(() => emulator.close());

  const read = async (
    behaviour: Partial<Behaviour>,
    { taskIds = ["task-1"], types = [] as string[], actionTypes = "" } = {},
  ): Promise<{ tasks: AdoptedTask[]; gone: string[] }> => {
    emulator = await startEmulator({ seed, behaviour });
    const { accessToken } = emulator.credentials;
    const config: Record<string, string> = { baseUrl: emulator.url, accessToken, maxRetries: "0", actionTypes };
    const host = new Host(
      (key) => config[key],
      noEngine(() => undefined, new AbortController().signal),
    );
    return readTasks(
      taskIds.map((taskId) => ({ taskId })),
      types,
      new Secrets(),
      host.context(undefined, undefined),
    );
  };
  const idsOf = ({ tasks }: { tasks: AdoptedTask[] }): string[][] =>
    tasks.map(({ actions }) => actions.map(({ actionId }) => actionId));

  it("asks for the given types only, and says so", async () => {
    const found = await read({}, { types: ["LoopAction"] });
    assert.deepEqual(idsOf(found), [["each"]]);
    assert.match(found.tasks[0]?.notes[0] ?? "", /Only actions of these types were read: LoopAction/);
  });

  it("asks without types if none is known, which some services answer with all actions", async () => {
    const found = await read({ getActionsEmptyTypes: "all" }, { taskIds: ["task-1", "task-2", "task-1"] });
    assert.deepEqual(idsOf(found), [
      ["open", "each"],
      ["open", "each"],
    ]);
    const reads = emulator.requests.map(({ operation }) => operation);
    assert.deepEqual(reads, ["getActions"]);
  });

  for (const getActionsEmptyTypes of ["none", "refused"] as const) {
    it(`asks for the documented types and those of the configuration if it lists none without types (${getActionsEmptyTypes})`, async () => {
      const found = await read({ getActionsEmptyTypes }, { taskIds: ["task-1", "task-2"], actionTypes: "WaitAction" });
      assert.deepEqual(idsOf(found), [
        ["open", "each"],
        ["open", "each"],
      ]);
      const bodies = emulator.requests.map(({ body }) => (body as { actionTypes: string[] }).actionTypes);
      const known = ["EnterTextAction", "LoopAction", "NavigateAction", "WaitAction"];
      assert.deepEqual(bodies.at(-1), known);
      assert.match(found.tasks[0]?.notes[0] ?? "", /run the command again with --types/);
    });
  }

  for (const getActionsMissing of ["refusedNamed", "refusedUnnamed", "leftOut"] as const) {
    it(`names the tasks that do not exist (${getActionsMissing})`, async () => {
      const found = await read({ getActionsMissing }, { taskIds: ["task-1", "nowhere"], types: ["NavigateAction"] });
      assert.deepEqual(found.gone, ["nowhere"]);
      assert.deepEqual(idsOf(found), [["open"]]);
    });
  }

  it("leaves nothing out because the configuration names a type", async () => {
    const found = await read({ getActionsEmptyTypes: "all" }, { actionTypes: "LoopAction" });
    assert.deepEqual(idsOf(found), [["open", "each"]]);
  });

  it("makes no write", async () => {
    await read({ getActionsEmptyTypes: "refused" }, { taskIds: ["task-1", "nowhere"] });
    const operations = new Set(emulator.requests.map(({ operation }) => operation));
    assert.deepEqual(
      [...operations].filter((operation) => !operation.startsWith("get")),
      [],
    );
  });
});
