/**
 * Runs the emulator of one peer in its own process. The parent asks it for the number of requests, and tells it to change tasks. Plain
 * JavaScript, so that the process contains only the emulator.
 */
const { createRequire } = require("node:module");

const { startEmulator } = createRequire(`${__dirname}/`)("webextract-emulator");

/** @type {import("webextract-emulator").Emulator} */
let emulator;

const orders = {
  async start(options) {
    emulator = await startEmulator(options);
    return emulator.url;
  },

  /** Requests since the last call. */
  takeCounts() {
    const refused = emulator.requests.filter(({ status }) => status === 429).length;
    const counts = { requests: emulator.requests.length, refused };
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
// The parent process has ended.
process.on("disconnect", () => process.exit());
