export type { PluginEngine } from "../src/pluginEngine";
export { Monitor } from "../src/component/monitor";
export { Plugin } from "../src/server";
