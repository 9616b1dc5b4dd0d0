import assert from "node:assert/strict";
import { request } from "node:http";
import { allTests } from "../../../test/eachTest";
import { data } from "../caller";
import { startWithTasks } from "./shop";

const task = { taskId: "shop", taskGroupId: "group", syntheticRows: 3, actions: [] };

describe("the events of the emulator", () => {
  const emulator = allTests(() => startWithTasks([task]));

  it("name what a client, a test or another page has changed, and end with the emulator", async () => {
    const received: string[] = [];
    let wake = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      request(`${emulator.url}/__emulator/events`, (response) => {
        assert.equal(response.headers["content-type"], "text/event-stream; charset=utf-8");
        response.setEncoding("utf8").on("data", (text: string) => {
          received.push(text);
          wake();
        });
        response.on("error", () => undefined).on("close", resolve);
      }).end();
    });
    const has = async (...events: string[]): Promise<void> => {
      while (!events.every((event) => received.join("").includes(event))) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    };
    await has(": connected");
    const { lotNo } = await data(emulator, "startTask", { taskId: "shop" });
    await has("event: request\ndata: {}", 'event: task\ndata: {"taskId":"shop"}', `"lotNo":"${lotNo}"`);
    emulator.setBehaviour({ errorBody: "empty" });
    emulator.fault({ operation: "getData", kind: "reset" });
    await has("event: behaviour", "event: fault");
    await emulator.reset();
    await has("event: run\ndata: {}");
    await emulator.close();
    await ended;
  });
});
