export { CommandContext } from "../../src/commandContext";
export { compareCommand } from "../../src/compare/compareCommand";
export { conditionOf } from "../../src/compare/conditions";
export { csvRows } from "../../src/compare/reading/csvRows";
export { sideOf } from "../../src/compare/sides/side";
