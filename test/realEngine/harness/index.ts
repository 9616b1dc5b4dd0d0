export { type Finding, findInFolder, findInText } from "./findInFolder";
export { newest } from "./newest";
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
  Project,
  type ProjectOptions,
} from "./project";
export { Run, type RunResult } from "./run";
export type { StateResource } from "./state";
