/**
 * Loads the modules of the engine's provider process, and prints the milliseconds for the SDK, for this package's provider, and the
 * processor time of both.
 */
const { join } = require("node:path");

const dist = join(__dirname, "..", "..", "dist", "provider", "provider.js");

function timed(load) {
  const start = performance.now();
  load();
  return performance.now() - start;
}

const before = process.cpuUsage();
const sdk = timed(() => require("@pulumi/pulumi"));
const provider = timed(() => require(dist));
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify({ sdk, provider, processor: (user + system) / 1000 }));
