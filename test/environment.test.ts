import assert from "node:assert/strict";
import { homedir } from "node:os";
import { setEnvironment } from "./environment";

describe("the environment of a test", () => {
  it("reaches native code, and is restored there too", () => {
    const before = { ...process.env };
    const [home, usual] = [process.platform === "win32" ? "USERPROFILE" : "HOME", homedir()];
    for (const folder of ["/one", "/two"]) {
      const restore = setEnvironment({ [home]: folder, WEBEXTRACT_OF_A_TEST: "1", PATH: undefined });
      assert.deepEqual([homedir(), process.env.WEBEXTRACT_OF_A_TEST, process.env.PATH], [folder, "1", undefined]);
      restore();
      assert.equal(homedir(), usual);
    }
    assert.deepEqual({ ...process.env }, before);
  });
});
