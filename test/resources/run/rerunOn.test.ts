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

  it("keeps its order: another order of the same resources is no change, also in a state of an earlier version", () => {
    const named = (hash: string, length = 12): string => `TaskCopy ${hash[0]} ${hash.slice(0, length)}`;
    for (const before of [
      [named(one), named(other)],
      [one, other],
      [named(other), named(one), named(one)],
    ]) {
      const given = before.map((each) => named(each.endsWith("a") ? one : other, 64));
      assert.deepEqual(joinRerunOn(given, before), before);
      assert.deepEqual(joinRerunOn([...given].reverse(), before), before);
    }
    const third = "c".repeat(64);
    const given = [named(other, 64), named(third, 64), named(one, 64)];
    assert.deepEqual(joinRerunOn(given, [named(one), named(other)]), [named(one), named(other), named(third)]);
    assert.deepEqual(joinRerunOn(given.slice(0, 2), [one, other]), [named(third), other]);
    assert.deepEqual(joinRerunOn([named(one, 64)], [named(one), named(one)]), [named(one)]);
  });

  it("keeps what a preview does not know, and what a program without the classes gives", () => {
    const unknown = { unknown: true };
    assert.deepEqual(joinRerunOn([unknown, "my hash"], ["TaskCopy x aaaaaaaaaaaa"]), [unknown, "my hash"]);
    assert.equal(joinRerunOn(undefined, [one]), undefined);
    assert.equal(joinRerunOn(unknown as never, [one]), unknown);
  });
});
