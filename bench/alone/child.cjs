/** What the programs of this folder share: they are told their work as JSON, and tell as JSON what it took. */

/** @param {(task: object) => Promise<object>} work */
exports.runWork = async (work) => {
  const task = JSON.parse(process.argv[2] ?? "{}");
  // The program must look like one that was started without arguments: the engine's address would be the first.
  process.argv.length = 2;
  const idleBytes = peakBytes();
  const begin = performance.now();
  const result = await work(task);
  const seconds = (performance.now() - begin) / 1000;
  process.stdout.write(JSON.stringify({ ...result, seconds, idleBytes, peakBytes: peakBytes() }));
};

function peakBytes() {
  return process.resourceUsage().maxRSS * 1024;
}
