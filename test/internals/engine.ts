export type { DynamicEngine } from "../../src/engine/engine";
export { engineInterruption } from "../../src/engine/interruption";
export { SummedUpLog } from "../../src/engine/log";
export { noteUrn, urnOf } from "../../src/engine/requests";
export { serialize } from "../../src/engine/serialization";
