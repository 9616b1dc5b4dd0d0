export { fittingValues } from "../../src/cli/probe/ask/notExported";
export { behaviourValues, filesOf } from "../../src/cli/probe/folder";
export type { ProbeReport } from "../../src/cli/probe/probe";
export { probe } from "../../src/cli/probe/probe";
export type { Probing } from "../../src/cli/probe/question";
export { hidden, notAsked, questions } from "../../src/cli/probe/questions";
export { hasProblems, markdownOf } from "../../src/cli/probe/report";
export { Requests } from "../../src/cli/probe/requests";
export type { Trial } from "../../src/cli/probe/trial";
