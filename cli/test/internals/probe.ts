export { fittingValues } from "../../src/probe/ask/notExported";
export { course } from "../../src/probe/ask/runQuestions";
export type { ProbeReport } from "../../src/probe/probe";
export { probe } from "../../src/probe/probe";
export type { Trial } from "../../src/probe/question";
export { unissued } from "../../src/probe/question";
export { hidden, notAsked, questions } from "../../src/probe/questions";
export { behaviourValues, filesOf, hasProblems } from "../../src/probe/report";
export { mostRequests, Requests } from "../../src/probe/requests";
