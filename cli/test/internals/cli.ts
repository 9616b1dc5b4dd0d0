export { adviceOn } from "../../src/advice";
export { commandLine } from "../../src/commandLine";
export { allCommands, commandsFor } from "../../src/commands/index";
export { CliError } from "../../src/exitCodes";
export { migratedState } from "../../src/migrate/migratedState";
export { table } from "../../src/output/table";
export { Terminal } from "../../src/terminal";
