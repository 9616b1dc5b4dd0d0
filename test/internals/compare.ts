export { Cli } from "../../src/cli/cli";
export { compareCommand } from "../../src/cli/compare/compareCommand";
export { conditionOf } from "../../src/cli/compare/conditions";
export { sideOf } from "../../src/cli/compare/sides/side";
export { csvRows } from "../../src/resources/export/reading/csvRows";
