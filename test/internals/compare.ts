export { Cli } from "../../src/cli/cli";
export { compareCommand } from "../../src/cli/compare/compareCommand";
export { conditionOf } from "../../src/cli/compare/conditions";
export { csvRows } from "../../src/cli/compare/reading/csvRows";
export { sideOf } from "../../src/cli/compare/sides/side";
