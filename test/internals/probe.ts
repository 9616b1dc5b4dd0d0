export { mostRequests } from "../../src/cli/probe/asker";
export type { ProbeResult } from "../../src/cli/probe/probe";
export { probe } from "../../src/cli/probe/probe";
export { closingQuestions, questions } from "../../src/cli/probe/questions";
export { markdownOf, notAsked, reportOf } from "../../src/cli/probe/report";
export { Words } from "../../src/cli/probe/words";
export { RawClient } from "../../src/service/rawClient";
