export type { AdoptedFiles, AdoptTarget } from "../../src/cli/adopt/adoptedFiles";
export { adoptedFiles, targetProblem } from "../../src/cli/adopt/adoptedFiles";
export type { AdoptedTask } from "../../src/cli/adopt/adoptedTask";
export { adoptedTask } from "../../src/cli/adopt/adoptedTask";
export { readTasks } from "../../src/cli/adopt/readTasks";
export { Secrets } from "../../src/cli/adopt/secrets";
export { taskOfArgument, tasksOfFile } from "../../src/cli/adopt/wantedTasks";
export { writeFiles } from "../../src/cli/adopt/writeFiles";
