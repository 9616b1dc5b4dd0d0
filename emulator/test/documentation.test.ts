import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { allowedValues, behaviourNames, behaviours, checkSeed, startEmulator } from "webextract-emulator";
import { parse } from "yaml";
import { operations } from "../../test/internals/service";

const read = (name: string): string => readFileSync(join(__dirname, "../../emulator", name), "utf8");
const page = read("docs/behaviours.md");

describe("the pages of the emulator", () => {
  it("has a row for each operation", () => {
    const page = read("docs/operations.md");
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
    const names = [...page.matchAll(/^\| (\w+) \|/gm)].map(([, name]) => name).filter((name) => name !== "behaviour");
    assert.deepEqual(names, behaviourNames);
  });

  it("shows a valid file of faults, and a row for each kind", async () => {
    const page = read("docs/faults.md");
    const [, file] = /```yaml\n(behaviour:.*?)```/s.exec(page) ?? [];
    assert.ok(file !== undefined);
    const emulator = await startEmulator();
    emulator.setFaults(parse(file));
    assert.equal(emulator.faults.length, 3);
    await emulator.close();
    const { kind } = parse(read("admin.openapi.yaml")).components.schemas.Fault.properties;
    const rows = [...page.matchAll(/^\| ([\w, ]+) \|/gm)].flatMap(([, names]) => names?.split(", ") ?? []);
    assert.deepEqual(
      kind.enum.filter((name: string) => !rows.includes(name)),
      [],
    );
  });

  it("shows a valid seed", () => {
    const [, seed] = /```yaml\n(taskGroups:.*?)```/s.exec(read("docs/runs.md")) ?? [];
    assert.ok(seed !== undefined);
    checkSeed(parse(seed));
  });
});
