export { commands } from "../../src/cli/commands/index";
