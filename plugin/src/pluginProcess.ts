import { pluginEngine } from "./pluginEngine";
import { Plugin } from "./server";

/** The engine shows it only if this process ends before the engine ends it. */
const ifKilled = `
The process of pulumi-webextract has ended, or was killed. A run that it has started goes on.
Run "pulumi up" again: it takes over what was begun, or says where to look, and sends nothing twice.
`;

/** `pulumi-resource-webextract ENGINE`: the engine starts it, and reads the port from the first line. */
new Plugin(pluginEngine()).listen().then((port) => {
  process.stdout.write(`${port}\n`);
  process.stderr.write(ifKilled);
});
