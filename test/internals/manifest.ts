export type { Manifests } from "../../src/manifest/readManifests";
export { inWords, readManifests } from "../../src/manifest/readManifests";
export type { Variables } from "../../src/manifest/variables";
export { anyVariables } from "../../src/manifest/variables";
