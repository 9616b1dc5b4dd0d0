import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { configKeys } from "../internals/config";

const repository = resolve(__dirname, "../..");
const readme = readFileSync(join(repository, "README.md"), "utf8");

/** The part of the README below a heading. */
function section(heading: string): string {
  const [, after = ""] = readme.split(`\n${heading}\n`);
  return after.split(/^#{2,3} /m)[0] ?? "";
}

describe("the README", () => {
  it("has each configuration key with its environment variable, and no other", () => {
    const rows = [...section("## Configuration").matchAll(/^\| `(\w+)` \| `(WEBEXTRACT_\w+)` \|/gm)];
    const documented = Object.fromEntries(rows.map(([, key, variable]) => [key, variable]));
    const known = Object.fromEntries(Object.entries(configKeys).map(([key, { environment }]) => [key, environment]));
    assert.deepEqual(documented, known);
  });
});
