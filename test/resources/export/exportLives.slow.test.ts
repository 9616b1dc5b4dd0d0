import fc from "../../fastCheck";
import { exportLife, live } from "./exportLife";

describe("an export that marks", function () {
  this.timeout(1_800_000);

  it("marks no row that is not in a file, with as many random cases as 15 minutes have, and 3,000 at most", async () => {
    // fast-check would not wait for the end of the case that its own time limit interrupts.
    const until = Date.now() + 900_000;
    const property = fc.asyncProperty(exportLife, async (life) => {
      if (Date.now() < until) await live(life);
    });
    await fc.assert(property, { numRuns: 3000 });
  });
});
