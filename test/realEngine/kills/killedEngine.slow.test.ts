import { describeKills } from "./describeKills";

describeKills("a kill of the engine while the service responds to the host", "engine", ["before"]);
