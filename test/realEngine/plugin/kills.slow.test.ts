import { describeKills } from "../kills/describeKills";
import type { Kill } from "../kills/killedUp";
import { pluginFolder } from "./nativeWorld";

const kills: Readonly<Record<Kill, string>> = {
  host: "a kill of the native plugin",
  engine: "a kill of the engine of the native plugin",
  machine: "a kill of the engine and the native plugin at once",
  answer: "a lost response to the native plugin",
};

for (const [kill, what] of Object.entries(kills)) {
  describeKills(what, kill as Kill, ["after"], { followedBy: ["an up"], plugin: pluginFolder() });
}
