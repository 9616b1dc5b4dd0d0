export type { PluginEngine } from "../../src/engine/pluginEngine";
export { Monitor } from "../../src/plugin/component/monitor";
export { Plugin } from "../../src/plugin/server";
