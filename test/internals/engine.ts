export { noteUrn } from "../../src/engine/engineSurface";
export { engineInterruption } from "../../src/engine/interruption";
export type { Display } from "../../src/engine/progress";
export { ShortDisplay } from "../../src/engine/progress";
