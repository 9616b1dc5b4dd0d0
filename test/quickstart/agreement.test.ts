import assert from "node:assert/strict";
import { disagreement } from "../../scripts/start/agreement";
import type { StackResource } from "../../scripts/start/stack";

function copy(id: string): StackResource {
  return { urn: `urn:pulumi:local::quickstart::x::${id}`, type: "pulumi-nodejs:dynamic/webextract:TaskCopy", id };
}

describe("the stack and the emulated service", () => {
  it("agree at the beginning, after an up and after a destroy", () => {
    assert.equal(disagreement(undefined, []), undefined);
    assert.equal(disagreement([copy("a")], ["a"]), undefined);
    assert.equal(disagreement([], ["a"]), undefined, "the service cannot delete a task, so a destroy leaves it");
    assert.equal(disagreement([], []), undefined);
  });

  it("agree where a copy's answer was lost: no task has that id", () => {
    assert.equal(disagreement([copy("unknown-1")], []), undefined);
  });

  it("disagree where the service lost the stack's task", () => {
    assert.match(disagreement([copy("a"), copy("b")], ["b"]) ?? "", /one task \(a\) exists.*npm start -- reset/s);
  });

  it("disagree where the stack was lost and its task was not", () => {
    assert.match(disagreement(undefined, ["a"]) ?? "", /one task \(a\) that no stack knows.*npm start -- reset/s);
  });
});
