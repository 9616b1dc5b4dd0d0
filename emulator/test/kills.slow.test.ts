import { killUnderLoad } from "./kills";

describe("an emulator that is killed 200 times under load", () => {
  it("loses no acknowledged change", () => killUnderLoad(200)).timeout(1_800_000);
});
