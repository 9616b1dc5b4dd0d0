import { hostileCombinations } from "../service/matrix/hostile";
import { liveOnEngine } from "./wholeLife";

describe("the whole life of a task on the engine", function () {
  this.timeout(600_000);

  it("succeeds if the service follows the contract literally", () => liveOnEngine({}));

  for (const { name, behaviour } of hostileCombinations) {
    it(`succeeds under ${name}`, () => liveOnEngine(behaviour));
  }
});
