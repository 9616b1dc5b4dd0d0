export { readPlan } from "../../src/cli/planReport/plan";
export { planReport } from "../../src/cli/planReport/planReport";
export { propertyChanges } from "../../src/cli/planReport/propertyChanges";
