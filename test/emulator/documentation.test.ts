import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { allowedValues, behaviourNames, behaviours, checkSeed } from "webextract-emulator";
import { parse } from "yaml";
import { operations } from "../internals/service";

const page = readFileSync(join(__dirname, "../../emulator/README.md"), "utf8");

describe("emulator/README.md", () => {
  it("has a row for each operation", () => {
    for (const [name, { method, path }] of Object.entries(operations)) {
      assert.ok(page.includes(`| ${name} | \`${method} ${path}\` |`), `no row for ${name}`);
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
    const table = page.slice(page.indexOf("| behaviour |"), page.indexOf("## Faults"));
    const names = [...table.matchAll(/^\| (\w+) \|/gm)].map(([, name]) => name).filter((name) => name !== "behaviour");
    assert.deepEqual(names, behaviourNames);
  });

  it("shows a valid seed", () => {
    const [, seed] = /```yaml\n(taskGroups:.*?)```/s.exec(page) ?? [];
    assert.ok(seed !== undefined);
    checkSeed(parse(seed));
  });
});
