import assert from "node:assert/strict";
import { startEmulator } from "webextract-emulator";
import { requestsPerSecond, ShardedFleet, shardedSeed } from "./shardedFleet";

describe("2,000 tasks in four stacks side by side", function () {
  this.timeout(1_800_000);

  it("lose nothing and make nothing twice with a rate limit and one refresh token that rotates", async () => {
    const emulator = await startEmulator({
      behaviour: { requestsPerSecond, refreshRotation: "oldDies" },
      seed: shardedSeed,
    });
    const fleet = await ShardedFleet.create(emulator, 500);
    try {
      const ended = fleet.each("up");
      // The tokens of all stacks expire while they work.
      const hold = emulator.hold({ operation: "copyTask", skip: 1000 });
      await Promise.race([hold.reached, ended]);
      emulator.change.expireAccessTokens();
      hold.release();
      await ended;

      const copies = emulator.inspect.tasks().filter(({ taskId }) => taskId !== "template");
      const urls = copies.map(({ actions: [open] }) => open?.properties.Url).sort();
      assert.deepEqual(urls, fleet.declaredUrls().sort());
      assert.deepEqual(fleet.taskIds().sort(), copies.map(({ taskId }) => taskId).sort());

      emulator.clearRequests();
      await fleet.each("up");
      assert.deepEqual(emulator.requests, []);
    } finally {
      await fleet.remove();
      await emulator.close();
    }
  });
});
