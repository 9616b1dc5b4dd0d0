export type { ConfigKey } from "../../src/config";
export { configKeys, parseConfig, unknownKeys } from "../../src/config";
