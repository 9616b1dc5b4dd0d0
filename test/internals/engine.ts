export type { Engine } from "../../src/engine/engine";
export { engineInterruption } from "../../src/engine/interruption";
export { EngineLog, type EngineModules, engineLog } from "../../src/engine/log";
export { noteUrn } from "../../src/engine/requests";
export { declaredKey, failedInputsKey, serialize } from "../../src/engine/serialization";
