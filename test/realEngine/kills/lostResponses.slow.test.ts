import { describeKills } from "./describeKills";

describeKills("a lost response", "answer", ["before", "after"]);
