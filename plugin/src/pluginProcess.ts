import { pluginEngine } from "./pluginEngine";
import { Plugin } from "./server";

/** `pulumi-resource-webextract ENGINE`: the engine starts it, and reads the port from the first line. */
new Plugin(pluginEngine()).listen().then((port) => process.stdout.write(`${port}\n`));
