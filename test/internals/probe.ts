export type { ProbeReport } from "../../src/cli/probe/probe";
export { probe } from "../../src/cli/probe/probe";
export { notAsked, questions } from "../../src/cli/probe/questions";
