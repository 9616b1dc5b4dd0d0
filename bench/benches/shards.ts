import { startEmulator } from "webextract-emulator";
import { requestsPerSecond, ShardedFleet, shardedSeed } from "../../test/realEngine/shardedFleet";
import type { Bench, Figure } from "../figure";
import { measured } from "../measure/measured";

const tasksOfShard = 500;
const tasks = 2000;

/** Four stacks side by side against one service with a rate limit, as in the guide for fleets. */
export const shards: Bench = {
  name: "shards",
  summary: `2,000 tasks in four stacks side by side, ${requestsPerSecond} requests a second in all`,
  async run() {
    const emulator = await startEmulator({ behaviour: { requestsPerSecond }, seed: shardedSeed });
    const fleet = await ShardedFleet.create(emulator, tasksOfShard);
    try {
      const figures: Figure[] = [];
      for (const [phase, command] of [
        ["first up", "up"],
        ["unchanged up", "up"],
        ["refresh", "refresh"],
        ["destroy", "destroy"],
      ] as const) {
        emulator.clearRequests();
        const { wallSeconds } = await measured(() => fleet.each(command));
        const named = (what: string): string => `2,000 tasks in 4 stacks: ${what}`;
        figures.push(
          { name: named(phase), value: wallSeconds, unit: "s" },
          { name: named(`${phase}, requests`), value: emulator.requests.length, unit: "requests" },
        );
        requireDone(phase, fleet, emulator.inspect.tasks().length - 1, emulator.requests.length);
      }
      return figures;
    } finally {
      await fleet.remove();
      await emulator.close();
    }
  },
};

function requireDone(phase: string, fleet: ShardedFleet, copies: number, requests: number): void {
  const inState = fleet.taskIds().length;
  if (copies !== tasks || inState !== (phase === "destroy" ? 0 : tasks) || (phase === "unchanged up" && requests > 0)) {
    throw new Error(
      `${phase}: expected ${tasks} copies; found ${copies}, ${inState} in the states, ${requests} requests`,
    );
  }
}
