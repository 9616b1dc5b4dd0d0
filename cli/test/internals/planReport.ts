export { readPlan } from "../../src/planReport/plan";
export { planReport } from "../../src/planReport/planReport";
export { propertyChanges } from "../../src/planReport/propertyChanges";
