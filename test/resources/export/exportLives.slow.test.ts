import fc from "../../fastCheck";
import { exportLife, live } from "./exportLife";

describe("an export that marks", function () {
  this.timeout(1_800_000);

  it("marks no row that is not in a file, with as many random cases as 15 minutes have, and 3,000 at most", async () => {
    await fc.assert(fc.asyncProperty(exportLife, live), { numRuns: 3000, interruptAfterTimeLimit: 900_000 });
  });
});
