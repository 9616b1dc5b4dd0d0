export { mostRequests } from "../../src/cli/probe/asker";
export { notAsked } from "../../src/cli/probe/notAsked";
export type { ProbeResult } from "../../src/cli/probe/probe";
export { probe } from "../../src/cli/probe/probe";
export { questions } from "../../src/cli/probe/questions/index";
export { markdownOf, reportOf } from "../../src/cli/probe/report";
export { shapeOf, Words } from "../../src/cli/probe/words";
export { RawClient } from "../../src/service/rawClient";
