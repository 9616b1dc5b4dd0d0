import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";

describe("the shop", () => {
  let shop: typeof import("./shop");

  // #region mocks
  before(async () => {
    // The id and the outputs that each resource gets. No engine and no service takes part.
    await pulumi.runtime.setMocks({
      newResource: ({ name, inputs }) => ({ id: `${name}-id`, state: inputs }),
      call: () => ({}),
    });
    // Not before the mocks are set: the program declares its resources when it is loaded.
    shop = require("./shop");
  });

  /** The value of an output. */
  const resolved = <T>(output: pulumi.Output<T>) => new Promise<T>((resolve) => output.apply(resolve));

  it("opens the list of new products", async () => {
    const actions = await resolved(shop.products.actions);
    assert.equal(actions?.open?.properties?.Url, "https://shop.example.com/new/");
  });
  // #endregion

  it("waits for the run before it exports", async () => {
    assert.equal(await resolved(shop.run.waitFor), "finished");
    assert.equal(await resolved(shop.rows.lotNo), "run-id");
  });
});
