import assert from "node:assert/strict";
import type { Behaviour, BehaviourName, Emulator } from "webextract-emulator";
import { behaviours, startEmulator } from "webextract-emulator";
import { ServiceClient } from "../../../src/service";
import { slowIt } from "../../../test/environment";
import { fittingValues } from "../internals/probe";

const names = ["rowOrder", "notExported", "notExportedCounts", "otherMarks", "markScope"] as const;

const services = names.reduce<Partial<Behaviour>[]>(
  (made, name) => made.flatMap((one) => behaviours[name].values.map((value) => ({ ...one, [name]: value }))),
  [{}],
);

describe("what reads of rows that are not exported show", () => {
  let emulator: Emulator;
  let client: ServiceClient;

  before(async () => {
    const tasks = [1, 2, 5].map((rows) => ({
      taskId: `rows-${rows}`,
      taskGroupId: "shops",
      actions: [],
      syntheticRows: rows,
    }));
    emulator = await startEmulator({ seed: { taskGroups: [{ taskGroupId: "shops" }], tasks } });
    client = new ServiceClient({ baseUrl: emulator.url, accessToken: emulator.credentials.accessToken });
  });

  after(async () => {
    client.close();
    await emulator.close();
  });

  /** The values that fit a task with a number of rows, of which the first `known` have been read. */
  async function valuesOf(behaviour: Partial<Behaviour>, count: number, known = count) {
    const taskId = `rows-${count}`;
    await emulator.reset();
    emulator.setBehaviour(behaviour);
    emulator.change.startRun(taskId);
    await emulator.settled();
    const { data } = await client.getData({ taskId, offset: 0, size: known });
    const read = async (size: number) => {
      const { data: page } = await client.getNotExportedData({ taskId, size });
      return { rows: page.data.map((row) => JSON.stringify(row)), total: page.total };
    };
    const [one, two] = [await read(2), await read(2)];
    await client.markExported({ taskId });
    const reads = [one, two, await read(100)];
    return fittingValues({ count, first: data.data.map((row) => JSON.stringify(row)) }, [2, 2, 100], reads);
  }

  for (const [count, known] of [
    [1, 1],
    [2, 2],
    [5, 5],
    [5, 3],
  ] as const) {
    const test = count > known ? it : slowIt;
    test(`excludes no value that the service has, with ${known} of ${count} rows known`, async () => {
      for (const behaviour of services) {
        const values = await valuesOf(behaviour, count, known);
        for (const [name, own] of Object.entries(values)) {
          assert.ok(
            own.includes(behaviour[name as BehaviourName] as never),
            `${JSON.stringify(behaviour)}: ${name} ${own}`,
          );
        }
      }
    });
  }

  it("shows all that the defaults have, except what only a row that is handed out once would", async () => {
    const [first] = services;
    assert.deepEqual(await valuesOf(first ?? {}, 5), {
      ...{ rowOrder: ["oldestFirst"], notExported: ["untilMarked"], notExportedCounts: ["usual", "notReturned"] },
      ...{ otherMarks: ["none"], markScope: ["task"] },
    });
  });

  it("shows nothing of a service with rows that no known service has", () => {
    const reads = [["a"], ["b", "b"], []].map((rows) => ({ rows, total: 1 }));
    assert.deepEqual(fittingValues({ count: 2, first: ["a", "b"] }, [2, 2, 100], reads), {});
  });

  it("says nothing about the totals of a service that counts in its own way", () => {
    const reads = [
      ["a", "b"],
      ["a", "b"],
      ["c", "d"],
    ].map((rows) => ({ rows, total: 77 }));
    const values = fittingValues({ count: 4, first: ["a", "b", "c", "d"] }, [2, 2, 100], reads);
    assert.deepEqual(values, {
      ...{ rowOrder: ["oldestFirst"], notExported: ["untilMarked"], otherMarks: ["none"], markScope: ["returned"] },
    });
  });
});
