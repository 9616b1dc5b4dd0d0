/** Reads and checks all manifests of the working directory, without Pulumi. */
const { join } = require("node:path");
const { runWork } = require("./child.cjs");

runWork(async () => {
  const root = join(__dirname, "..", "..", "dist", "manifest");
  const { readManifests } = require(join(root, "readManifests.js"));
  const { anyVariables } = require(join(root, "variables.js"));
  const { tasks, problems } = readManifests({ paths: ["."], folder: process.cwd(), variables: anyVariables });
  if (problems.length > 0) throw new Error(JSON.stringify(problems[0]));
  return { rows: tasks.length };
});
