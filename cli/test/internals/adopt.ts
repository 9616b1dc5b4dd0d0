export type { AdoptedTask } from "../../../src/resources/adopt/adoptedTask";
export { adoptedTask } from "../../../src/resources/adopt/adoptedTask";
export { Secrets } from "../../../src/resources/adopt/secrets";
export type { AdoptedFiles, AdoptTarget } from "../../src/adopt/adoptedFiles";
export { adoptedFiles, targetProblem } from "../../src/adopt/adoptedFiles";
export { readTasks } from "../../src/adopt/readTasks";
export { taskOfArgument, tasksOfFile } from "../../src/adopt/wantedTasks";
export { writeFiles } from "../../src/output/writeFiles";
