import { testDriftOf } from "./drift";

describe("the drift of 100 tasks", () => {
  testDriftOf(100);
});
