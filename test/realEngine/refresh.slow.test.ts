import { bothWays, testDriftOf, testReadsWithoutTypes } from "./drift";

describe("the drift of 100 tasks", () => {
  testDriftOf(100, bothWays);
});

describe("the reads of 100 tasks without types of actions", () => {
  testReadsWithoutTypes(100, bothWays, ["refusedNamed", "refusedUnnamed"]);
});
