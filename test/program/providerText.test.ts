import assert from "node:assert/strict";
import { get } from "../../src/provider/provider";
import { providerText, resources } from "../internals/resources";

describe("the provider text in state", () => {
  it("never changes, because a change would show as an update of every resource", () => {
    assert.equal(
      providerText("TaskCopy"),
      'exports.handler=()=>require("module").createRequire(process.cwd()+"/")("pulumi-webextract/provider").get("TaskCopy")',
    );
  });

  it("stays under 200 bytes for every resource", () => {
    for (const type of Object.keys(resources)) {
      assert.ok(Buffer.byteLength(providerText(type)) < 200, type);
    }
  });

  it("finds a provider for every resource, and lists the known resources for an unknown name", () => {
    for (const type of Object.keys(resources)) {
      assert.equal(typeof get(type).create, "function");
    }
    assert.throws(() => get("Nothing"), /no resource "Nothing".*Known: TaskCopy/);
    assert.throws(() => get("constructor"), /no resource "constructor"/);
  });
});
