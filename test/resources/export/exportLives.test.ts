import fc, { runs } from "../../fastCheck";
import { exportLife, live } from "./exportLife";

describe("an export that marks", function () {
  this.timeout(600_000);

  it("marks no row that is not in a file, for any service, any concurrent change and any moment of a kill", async () => {
    await fc.assert(fc.asyncProperty(exportLife, live), runs(50));
  });
});
