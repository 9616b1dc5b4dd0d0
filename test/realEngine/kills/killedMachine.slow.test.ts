import { describeKills } from "./describeKills";

describeKills("a kill of all processes at once", "machine", ["after"]);
