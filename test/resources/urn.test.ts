import assert from "node:assert/strict";
import { partsOfUrn, urnAs } from "../internals/resources";

const dynamic =
  "urn:pulumi:dev::shop::my:index:Group$pulumi-nodejs:dynamic/webextract:TaskCopy$pulumi-nodejs:dynamic/webextract:CloudRun::a::b";
const native = "urn:pulumi:dev::shop::my:index:Group$webextract:index:TaskCopy$webextract:index:CloudRun::a::b";

describe("URNs", () => {
  it("of both kinds name the same class", () => {
    assert.deepEqual(
      [dynamic, native].map((urn) => partsOfUrn(urn)).map(({ ownType, name }) => [ownType, name]),
      [
        ["CloudRun", "a::b"],
        ["CloudRun", "a::b"],
      ],
    );
  });

  it("are converted with the types of their parents, in both directions", () => {
    assert.equal(urnAs(dynamic, "native"), native);
    assert.equal(urnAs(native, "dynamic"), dynamic);
    assert.equal(urnAs(native, "native"), native);
  });

  it("of other types stay as they are, also with a name that looks like a type of this package", () => {
    for (const urn of [
      "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev",
      "urn:pulumi:dev::shop::pulumi-nodejs:dynamic:Resource::x",
      "urn:pulumi:dev::shop::aws:s3/bucket:Bucket::pulumi-nodejs:dynamic/webextract:TaskCopy",
      "a text",
    ]) {
      assert.equal(urnAs(urn, "native"), urn);
    }
  });
});
