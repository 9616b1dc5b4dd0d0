export { adviceOn } from "../../src/cli/advice";
export { commandLine } from "../../src/cli/commandLine";
export { allCommands, commandsFor } from "../../src/cli/commands/index";
export { CliError } from "../../src/cli/exitCodes";
export { migratedState } from "../../src/cli/migrate/migratedState";
export { table } from "../../src/cli/output/table";
export { Terminal } from "../../src/cli/terminal";
