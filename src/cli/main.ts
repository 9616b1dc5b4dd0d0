#!/usr/bin/env node
import { Command } from "commander";
import { version } from "../service/version";
import { emulatorCommand } from "./emulator";

const program = new Command("webextract")
  .description("Tools for the web data extraction service")
  .version(version)
  .addCommand(emulatorCommand());

program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
