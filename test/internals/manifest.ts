export { globIn } from "../../src/manifest/manifestFiles";
export type { Manifests } from "../../src/manifest/readManifests";
export { describeProblem, readInSteps, readManifests } from "../../src/manifest/readManifests";
export type { Variables } from "../../src/manifest/variables";
export { anyVariables } from "../../src/manifest/variables";
