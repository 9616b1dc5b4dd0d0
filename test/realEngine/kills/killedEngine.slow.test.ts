import { describeKills } from "./describeKills";

describeKills("the engine, killed while its host is answered", "engine", ["before"]);
