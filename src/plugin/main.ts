#!/usr/bin/env node
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pluginEngine } from "../engine/pluginEngine";
import { Plugin } from "./server";

/** The command line, in the tarball of the plugin. An npm package has it as a command of its own. */
const commandLine = join(__dirname, "cli.js");

if (process.argv[2] !== "cli") {
  // `pulumi-resource-webextract ENGINE`: the engine starts it, and reads the port from the first line.
  new Plugin(pluginEngine()).listen().then((port) => process.stdout.write(`${port}\n`));
} else if (existsSync(commandLine)) {
  process.argv.splice(2, 1);
  // biome-ignore lint/style/noCommonJs: another bundle, which only this command loads
  require(commandLine);
} else {
  process.stderr.write("error: In an npm package, the command line is a command of its own: npx webextract\n");
  process.exitCode = 2;
}
