export { resources } from "../../src/resources/index";
export type { Context } from "../../src/resources/resource";
export { PartialFailure } from "../../src/resources/resource";
export type { CloudRunArgs, CloudRunState } from "../../src/resources/run/cloudRun";
export { cloudRun } from "../../src/resources/run/cloudRun";
export { countsOf } from "../../src/resources/run/subtaskList";
export { ActionReader } from "../../src/resources/task/actionReader";
export { canonical } from "../../src/resources/values";
