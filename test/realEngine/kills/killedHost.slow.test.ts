import { describeKills } from "./describeKills";

describeKills("a kill of the provider process", "host", ["before", "after"]);
