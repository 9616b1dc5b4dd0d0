import assert from "node:assert/strict";
import { joinRerunOn } from "../../internals/resources";

const [one, other] = ["a".repeat(64), "b".repeat(64)];

describe("rerunOn in the state", () => {
  it("has the name of each resource and the beginning of its hash", () => {
    assert.deepEqual(joinRerunOn([`TaskCopy my copy ${one}`], undefined), ["TaskCopy my copy aaaaaaaaaaaa"]);
  });

  it("stays as it is while the hash is the same: after a rename, and in a state of an earlier version", () => {
    for (const before of ["TaskCopy old aaaaaaaaaaaa", one]) {
      assert.deepEqual(joinRerunOn([`TaskCopy new ${one}`], [before]), [before]);
      assert.deepEqual(joinRerunOn([`TaskCopy new ${other}`], [before]), ["TaskCopy new bbbbbbbbbbbb"]);
    }
  });

  it("keeps what a preview does not know, and what a program without the classes gives", () => {
    const unknown = { unknown: true };
    assert.deepEqual(joinRerunOn([unknown, "my hash"], ["TaskCopy x aaaaaaaaaaaa"]), [unknown, "my hash"]);
    assert.equal(joinRerunOn(undefined, [one]), undefined);
    assert.equal(joinRerunOn(unknown, [one]), unknown);
  });
});
