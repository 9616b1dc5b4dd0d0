import { liveOnEngine } from "./wholeLife";

describe("the whole life of a task on the engine", function () {
  this.timeout(300_000);

  it("succeeds if the service follows the contract literally", () => liveOnEngine({}));
});
