export { type Finding, findInFolder, findInText } from "./findInFolder";
export { nodeFolder } from "./nodes";
export { installPackages, installTarball, newestVersion, packTarball, repositoryRoot } from "./package";
export {
  leanStart,
  type NodeOptions,
  type PreviewPlan,
  Project,
  type ProjectOptions,
  type RunOptions,
} from "./project";
export { Run, type RunResult } from "./run";
export type { State, StateResource } from "./state";
