export { Monitor } from "../src/component/monitor";
export { Plugin } from "../src/server";
