/** Reads the actions of one task again and again, over several connections. */
const http = require("node:http");
const { runWork } = require("./child.cjs");

runWork(async ({ url, taskId, accessToken, requests, connections }) => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const body = JSON.stringify({ taskIds: [taskId], actionTypes: [] });
  const headers = {
    authorization: `Bearer ${accessToken}`,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  };
  let sent = 0;
  const send = () =>
    new Promise((resolve, reject) => {
      const request = http.request(url, { agent, method: "POST", headers }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${url} responded with ${response.statusCode}`));
        response.on("error", reject).on("end", resolve).resume();
      });
      request.on("error", reject).end(body);
    });
  const sendAll = async () => {
    while (sent < requests) {
      sent += 1;
      await send();
    }
  };
  await Promise.all(Array.from({ length: connections }, sendAll));
  agent.destroy();
  return { rows: requests };
});
