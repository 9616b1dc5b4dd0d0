/** Makes `npm start` react late to a signal, as on a loaded machine. A parent process that expects a quick reaction would kill it. */
if (process.argv[1]?.endsWith("start.ts")) {
  const blockForAMoment = () => {
    const end = performance.now() + 200;
    while (performance.now() < end);
  };
  // The first listener, also before those that are added during the start.
  setTimeout(() => process.prependListener("SIGINT", blockForAMoment), 1_000).unref();
}
