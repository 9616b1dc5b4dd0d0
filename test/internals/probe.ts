export { fittingValues } from "../../src/cli/probe/ask/notExported";
export { course } from "../../src/cli/probe/ask/runQuestions";
export type { ProbeReport } from "../../src/cli/probe/probe";
export { probe } from "../../src/cli/probe/probe";
export type { Probing, Trial } from "../../src/cli/probe/question";
export { unissued } from "../../src/cli/probe/question";
export { hidden, notAsked, questions } from "../../src/cli/probe/questions";
export { behaviourValues, filesOf, hasProblems, markdownOf } from "../../src/cli/probe/report";
export { mostReads, mostRequests, Requests } from "../../src/cli/probe/requests";
