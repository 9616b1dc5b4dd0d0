export type { AdoptedFiles, AdoptTarget } from "../../src/cli/adopt/adoptedFiles";
export { adoptedFiles, targetProblem } from "../../src/cli/adopt/adoptedFiles";
export { readTasks } from "../../src/cli/adopt/readTasks";
export { taskOfArgument, tasksOfFile } from "../../src/cli/adopt/wantedTasks";
export { writeFiles } from "../../src/cli/output/writeFiles";
export type { AdoptedTask } from "../../src/resources/adopt/adoptedTask";
export { adoptedTask } from "../../src/resources/adopt/adoptedTask";
export { Secrets } from "../../src/resources/adopt/secrets";
