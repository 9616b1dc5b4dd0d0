/** The speed of the service: reads the same pages over several connections and discards the bodies. */
const http = require("node:http");
const { runWork } = require("./child.cjs");

runWork(async ({ pages, accessToken, rows, pageSize, connections }) => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  let offset = 0;
  const readPages = async () => {
    while (offset < rows) {
      const asked = offset;
      offset += pageSize;
      await discard(`${pages}&offset=${asked}`);
    }
  };
  const discard = (url) =>
    new Promise((resolve, reject) => {
      const request = http.get(url, { agent, headers: { Authorization: `Bearer ${accessToken}` } }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${url} responded with ${response.statusCode}`));
        response.on("error", reject).on("end", resolve).resume();
      });
      request.on("error", reject);
    });
  await Promise.all(Array.from({ length: connections }, readPages));
  agent.destroy();
  return { rows };
});
