import assert from "node:assert/strict";
import { disagreement } from "../../scripts/start/agreement";
import type { StackResource } from "../../scripts/start/stack";

function copy(id: string): StackResource {
  return { urn: `urn:pulumi:local::quickstart::x::${id}`, type: "pulumi-nodejs:dynamic/webextract:TaskCopy", id };
}

describe("the stack and the emulator", () => {
  it("agree before the first up, after an up and after a destroy", () => {
    assert.equal(disagreement(undefined, []), undefined);
    assert.equal(disagreement([copy("a")], ["a"]), undefined);
    assert.equal(disagreement([], ["a"]), undefined, "the service cannot delete a task, so a destroy leaves it");
    assert.equal(disagreement([], []), undefined);
  });

  it("agree when the response to a copy was lost", () => {
    assert.equal(disagreement([copy("unknown-1")], []), undefined);
  });

  it("disagree when the emulator does not have a task of the stack", () => {
    assert.match(disagreement([copy("a"), copy("b")], ["b"]) ?? "", /contains one task \(a\).*npm start -- reset/s);
  });

  it("disagree when there is no stack but the emulator has its task", () => {
    assert.match(disagreement(undefined, ["a"]) ?? "", /one task \(a\) that no stack contains.*npm start -- reset/s);
  });
});
