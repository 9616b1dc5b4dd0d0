export { parseConfig, parseGivenConfig } from "../../src/config/config";
export type { ConfigKey } from "../../src/config/configKeys";
export { configKeys } from "../../src/config/configKeys";
