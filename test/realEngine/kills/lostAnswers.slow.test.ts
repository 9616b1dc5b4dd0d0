import { describeKills } from "./describeKills";

describeKills("an answer that is lost", "answer", ["before", "after"]);
