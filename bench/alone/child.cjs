/** Shared by the programs of this folder: reads the work as JSON, and prints the results as JSON. */

/** @param {(task: object) => Promise<object>} work */
exports.runWork = async (work) => {
  const task = JSON.parse(process.argv[2] ?? "{}");
  // Removes the arguments, because the first one would be taken for the address of the engine.
  process.argv.length = 2;
  const before = process.cpuUsage();
  const begin = performance.now();
  const result = await work(task);
  const seconds = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(before);
  const cpuSeconds = (user + system) / 1e6;
  process.stdout.write(
    JSON.stringify({ ...result, seconds, cpuSeconds, peakBytes: process.resourceUsage().maxRSS * 1024 }),
  );
};
