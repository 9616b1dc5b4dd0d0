export { Monitor } from "../src/component/monitor";
export type { PluginEngine } from "../src/pluginEngine";
export { Plugin } from "../src/server";
