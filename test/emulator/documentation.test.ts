import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { allowedValues, behaviourNames, behaviours, checkSeed } from "webextract-emulator";
import { parse } from "yaml";
import { operations } from "../internals/service";

const read = (name: string): string => readFileSync(join(__dirname, "../../emulator", name), "utf8");
const page = read("docs/behaviours.md");

describe("the pages of the emulator", () => {
  it("has a row for each operation", () => {
    const readme = read("README.md");
    for (const [name, { method, path }] of Object.entries(operations)) {
      assert.ok(readme.includes(`| ${name} | \`${method} ${path}\` |`), `no row for ${name}`);
    }
  });

  it("has a row for each behaviour, equal to the table in behaviour.ts", () => {
    const rows = behaviourNames.map((name) => {
      const row = behaviours[name];
      return `| ${name} | ${allowedValues(name)} | ${row.default} | ${row.meaning.replaceAll("|", "\\|")} |`;
    });
    const missing = rows.filter((row) => !page.includes(row));
    assert.deepEqual(missing, [], "these rows are missing or out of date");
  });

  it("has no row for an unknown behaviour", () => {
    const names = [...page.matchAll(/^\| (\w+) \|/gm)].map(([, name]) => name).filter((name) => name !== "behaviour");
    assert.deepEqual(names, behaviourNames);
  });

  it("shows a valid seed", () => {
    const [, seed] = /```yaml\n(taskGroups:.*?)```/s.exec(read("docs/runs.md")) ?? [];
    assert.ok(seed !== undefined);
    checkSeed(parse(seed));
  });
});
