import { testDriftOf, testReadsWithoutTypes } from "./drift";

describe("the drift of 100 tasks", () => {
  testDriftOf(100);
});

describe("the reads of 100 tasks without types of actions", () => {
  testReadsWithoutTypes(100);
});
