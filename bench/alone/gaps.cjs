/** Asks a server every 10 ms until the standard input ends, and finds the longest time without a response. */
const http = require("node:http");
const { runWork } = require("./child.cjs");

const pauseMs = 10;

runWork(async ({ url }) => {
  const agent = new http.Agent({ keepAlive: true });
  const ask = () =>
    new Promise((resolve, reject) => {
      http
        .get(url, { agent }, (response) => response.on("error", reject).on("end", resolve).resume())
        .on("error", reject);
    });
  let over = false;
  process.stdin.once("end", () => (over = true)).resume();
  await ask();
  // The work begins when the first response has arrived.
  process.stderr.write("ready\n");
  const gaps = [];
  while (!over) {
    const begin = performance.now();
    await ask();
    gaps.push(performance.now() - begin);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  agent.destroy();
  return { outs: { longest: Math.max(...gaps), asked: gaps.length } };
});
