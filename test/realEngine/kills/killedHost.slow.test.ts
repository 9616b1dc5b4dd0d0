import { describeKills } from "./describeKills";

describeKills("the host of the resources, killed", "host", ["before", "after"]);
