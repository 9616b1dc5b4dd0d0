/** Changes tasks over several connections and, if wanted, reads others over one more. */
const http = require("node:http");
const { runWork } = require("./child.cjs");

runWork(async ({ url, accessToken, writes, connections, tasks, reads }) => {
  const agent = new http.Agent({ keepAlive: true });
  /** @returns the time until the end of the response, in milliseconds. */
  const post = (path, fields) =>
    new Promise((resolve, reject) => {
      const begin = performance.now();
      const body = JSON.stringify(fields);
      const headers = {
        authorization: `Bearer ${accessToken}`,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
      };
      const request = http.request(`${url}${path}`, { agent, method: "POST", headers }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${path} responded with ${response.statusCode}`));
        response
          .on("error", reject)
          .on("end", () => resolve(performance.now() - begin))
          .resume();
      });
      request.on("error", reject).end(body);
    });
  const taskOf = (number) => (number % tasks === 0 ? "template-1" : `task-${number % tasks}`);

  const times = [];
  let sent = 0;
  const write = async () => {
    while (sent < writes) {
      sent += 1;
      const loop = { actionId: "loop", loopType: "TextList", loopItems: [String(sent)] };
      times.push(await post("/task/updateLoopItems", { taskId: taskOf(sent * 37), ...loop }));
    }
  };
  let longestRead = 0;
  const read = async () => {
    for (let count = 0; times.length < writes; count += 1) {
      const time = await post("/task/getActions", { taskIds: [taskOf(count * 11)], actionTypes: [] });
      longestRead = Math.max(longestRead, time);
    }
  };
  await Promise.all([reads ? read() : undefined, ...Array.from({ length: connections }, write)]);
  agent.destroy();
  times.sort((one, other) => one - other);
  return { outs: { writeMedian: times[Math.floor(times.length / 2)], longestRead } };
});
