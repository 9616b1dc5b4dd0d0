export type { PluginEngine } from "../../src/engine/pluginEngine";
export { Plugin } from "../../src/plugin/server";
