#!/usr/bin/env node
import { keepCompiledCode, ownPackage } from "../../src/system/ownPackage";

const [first, ...others] = process.argv.slice(2);
if ((first === "--version" || first === "-V") && others.length === 0) {
  process.stdout.on("error", () => {
    process.exitCode = 1;
  });
  process.stdout.write(`${ownPackage.version}\n`);
} else {
  keepCompiledCode();
  // biome-ignore lint/style/noCommonJs: Node.js takes longer to read all commands than for the rest of its start
  require("./cliProcess");
}
