/** Calls check and create of one resource as the provider host does, without the engine. */
const { createRequire } = require("node:module");

// Loads the provider as the provider text in the state does, from the folder of the program.
const provider = createRequire(`${__dirname}/`)("pulumi-webextract/provider");
const { runWork } = require("./child.cjs");

runWork(async ({ type, args }) => {
  const resource = provider.get(type);
  const { inputs, failures } = await resource.check({}, args);
  if (failures.length > 0) throw new Error(failures.map(({ reason }) => reason).join("\n"));
  const { outs } = await resource.create(inputs);
  return { outs };
});
