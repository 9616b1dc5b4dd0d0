export { noteUrn } from "../../src/engine/engineSurface";
export { engineInterruption } from "../../src/engine/interruption";
export { ShortDisplay } from "../../src/engine/progress";
