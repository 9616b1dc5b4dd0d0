#!/usr/bin/env node
// biome-ignore-all lint/style/noCommonJs: the plugin and the command line are two files, and a process needs only one
import { existsSync } from "node:fs";
import { join } from "node:path";
import { keepCompiledCode } from "../../src/system/ownPackage";

/** The command line, in the tarball of the plugin. An npm package has it as a command of its own. */
const commandLine = join(__dirname, "cli.js");

if (process.argv[2] !== "cli") {
  keepCompiledCode();
  require("./pluginProcess");
} else if (existsSync(commandLine)) {
  process.argv.splice(2, 1);
  require(commandLine);
} else {
  process.stderr.write("error: In an npm package, the command line is a command of its own: npx webextract\n");
  process.exitCode = 2;
}
