import { describeKills } from "./describeKills";

describeKills("everything at once, killed", "machine", ["after"]);
