import { killUnderLoad } from "./kills";

describe("an emulator that is killed under load", () => {
  it("loses no acknowledged change", () => killUnderLoad(2));
});
