export { type Finding, findInFolder, findInText } from "./findInFolder";
export { newest, newestNodes } from "./newest";
export { nodeFolder } from "./nodes";
export {
  installPackages,
  installTarball,
  newestVersion,
  packagesIn,
  packTarball,
  repositoryRoot,
  sdkVersion,
} from "./package";
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
