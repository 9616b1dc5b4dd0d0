/**
 * The emulated service of one peer, in a process of its own that its parent can ask what was asked of it, and that changes tasks behind
 * everybody's back. Plain JavaScript, so that nothing but the service runs here.
 */
const { createRequire } = require("node:module");

const { startEmulator } = createRequire(`${__dirname}/`)("pulumi-webextract/emulator");

/** @type {import("../../src/emulator/index").Emulator} */
let emulator;

const orders = {
  async start(options) {
    emulator = await startEmulator(options);
    return emulator.url;
  },

  /** What was asked since the last time. */
  takeCounts() {
    const byOperation = {};
    for (const { operation } of emulator.requests) byOperation[operation] = (byOperation[operation] ?? 0) + 1;
    const refused = emulator.requests.filter(({ status }) => status === 429).length;
    const counts = { requests: emulator.requests.length, refused, byOperation };
    emulator.clearRequests();
    return counts;
  },

  tasks: () => emulator.inspect.tasks(),

  setProperty: ({ taskId, actionId, name, value }) => emulator.change.setProperty(taskId, actionId, name, value),

  deleteTask: ({ taskId }) => emulator.change.deleteTask(taskId),
};

process.on("message", async ({ order, argument }) => {
  try {
    process.send({ answer: await orders[order](argument) });
  } catch (error) {
    process.send({ problem: String(error) });
  }
});
// Nobody is left to serve.
process.on("disconnect", () => process.exit());
