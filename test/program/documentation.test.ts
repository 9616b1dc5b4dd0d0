import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { typeToken } from "../internals/program";
import { resources } from "../internals/resources";

const readme = readFileSync(join(__dirname, "..", "..", "README.md"), "utf8");

/** The README's section with this heading. */
function section(heading: string): string {
  return readme.split(/^### /m).find((text) => text.startsWith(`${heading}\n`)) ?? "";
}

describe("the README", () => {
  it("lists the type token of every resource, and no other", () => {
    const listed = [...section("Type tokens").matchAll(/^pulumi-nodejs:\S+$/gm)].map(([token]) => token);
    assert.deepEqual(listed, Object.keys(resources).map(typeToken));
  });
});
