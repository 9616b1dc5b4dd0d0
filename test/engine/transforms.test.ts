import assert from "node:assert/strict";
import { createRequire } from "node:module";
import type { Resource } from "@pulumi/pulumi";
import { hasTransforms, transformsResources } from "../internals/engine";

describe("transforms of a resource", () => {
  const withTransformations = (transformations?: unknown[]) =>
    ({ __transformations: transformations }) as unknown as Resource;
  const none = withTransformations([]);

  it("are those of its options, of its parent, and of the stack", () => {
    const transform = () => undefined;
    assert.equal(hasTransforms(undefined, none), false);
    assert.equal(hasTransforms({ parent: none }, withTransformations([transform])), false);
    for (const opts of [
      { transforms: [transform] },
      { transformations: [transform] },
      { parent: withTransformations([transform]) },
    ]) {
      assert.equal(hasTransforms(opts, none), true);
    }
    assert.equal(hasTransforms(undefined, withTransformations([transform])), true);
  });

  it("count as present if the SDK does not show them", () => {
    assert.equal(hasTransforms(undefined, withTransformations()), true);
  });

  it("are present if the program serves the engine's calls", () => {
    const store = createRequire(__filename)("@pulumi/pulumi/runtime/state").getStore();
    assert.equal(transformsResources(), false);
    store.callbacks = {};
    try {
      assert.equal(transformsResources(), true);
    } finally {
      store.callbacks = undefined;
    }
  });
});
