/** A simple export: reads a page, writes its rows to the file, reads the next page. */
const { open } = require("node:fs/promises");
const axios = require("axios");
const { runWork } = require("./child.cjs");

runWork(async ({ pages, accessToken, path }) => {
  const file = await open(path, "w");
  let offset = 0;
  for (;;) {
    const { data: answer } = await axios.get(pages, {
      params: { offset },
      headers: { Authorization: `Bearer ${accessToken}` },
    });
    const rows = answer.data.data;
    for (const row of rows) await file.write(`${JSON.stringify(row)}\n`);
    offset += rows.length;
    if (rows.length === 0 || answer.data.restTotal === 0) break;
  }
  await file.close();
  return { rows: offset };
});
