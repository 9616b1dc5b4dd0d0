import assert from "node:assert/strict";
import { allTests } from "../../eachTest";
import { compileSchema, RowChecker, SchemaChecker } from "../../internals/resources";
import { failure, World } from "../life";

describe("DataExport with a JSON Schema", () => {
  const world = allTests(() => World.create());
  before(() => {
    world.emulator.change.insertRows("task-1", [
      '{"price":"1.50","constructor":"x","day":"2026-11-21"}',
      '{"price":"$5","constructor":"x","day":"2026-11-21"}',
      '{"price":"2.50","day":"today"}',
    ]);
  });

  const args = (checks: object = {}): Record<string, unknown> => ({
    taskId: "task-1",
    scope: "all",
    path: "out/{n}.ndjson",
    checks: { schema: "row.schema.json", ...checks },
  });
  const write = (schema: unknown): void => world.write("row.schema.json", JSON.stringify(schema));
  const problems = (): Promise<string[]> => world.providers.problems("DataExport", args());
  const price = { type: "string", pattern: String.raw`^\d+\.\d\d$` };

  it("counts the rows that it does not allow, and names the places in the schema", async () => {
    const properties = { price, constructor: { type: "string" }, day: { format: "date" } };
    write({ type: "object", required: ["price", "constructor"], properties });
    assert.equal(
      (await failure(world.declare("DataExport").up(args()))).split("\n")[1],
      "  checks.schema: 2 of 3 rows are not valid (rows 2, 3), by #/properties/price/pattern, #/required",
    );
    write({ type: "object", properties: { day: { format: "date" } } });
    const each = world.declare("DataExport");
    await each.up(args({ onFail: "warn" }));
    assert.deepEqual(each.state.checked, { rows: 3, failed: ["schema"], invalid: 1 });
    assert.match(
      world.warnings.join(),
      /checks\.schema: 1 of 3 rows are not valid \(row 3\), by #\/properties\/day\/format/,
    );
  });

  it("takes an integer of many digits for a number, and its string for a string", async () => {
    world.emulator.change.addTask({ taskId: "task-2", taskGroupId: "group-1", actions: [] });
    world.emulator.change.insertRows("task-2", ['{"id":639308323497897245}', '{"id":"639308323497897245"}']);
    write({ properties: { id: { type: "integer" } } });
    const each = world.declare("DataExport");
    await each.up({ ...args({ onFail: "warn", fields: { id: { type: "integer", unique: true } } }), taskId: "task-2" });
    assert.match(world.warnings.join(), /1 of 2 rows are not valid \(row 2\), by #\/properties\/id\/type/);
    const id = { filled: 1, empty: 0, wrongType: 0, repeated: 1 };
    assert.deepEqual(each.state.checked, {
      rows: 2,
      failed: ["fields.id.unique", "schema"],
      fields: { id },
      invalid: 1,
    });
  });

  it("shows a change of the file in the diff, and not one of its line ends", async () => {
    world.write("row.schema.json", '{\n"type":"object"}');
    const each = world.declare("DataExport");
    await each.up(args());
    world.write("row.schema.json", '\ufeff{\r\n"type":"object"}');
    assert.equal(await each.up(args()), "nothing");
    write({ type: "object", required: ["price"] });
    world.operations();
    const before = each.state.checks as { schemaSha256: string };
    assert.equal(await each.up(args()), "updated");
    assert.notEqual((each.state.checks as { schemaSha256: string }).schemaSha256, before.schemaSha256);
    assert.deepEqual(world.operations(), []);
    assert.equal(await each.up(args({ schema: undefined })), "updated");
    assert.deepEqual(each.state.checks, {});
  });

  it("is not used if the file has changed since the check", async () => {
    write({ type: "object" });
    const provider = world.providers.provider("DataExport");
    const inputs = await world.providers.checked("DataExport", args());
    write({ type: "string" });
    assert.match(await failure(provider.create(inputs)), /of task "task-1" changed after the check/);
  });

  it("may be of draft-07 or draft 2020-12", async () => {
    write({
      $schema: "http://json-schema.org/draft-07/schema#",
      definitions: { price },
      properties: { price: { $ref: "#/definitions/price" } },
    });
    assert.deepEqual(await problems(), []);
    write({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $defs: { price },
      dependentRequired: { a: ["b"] },
      properties: { price: { $ref: "#/$defs/price" } },
    });
    assert.deepEqual(await problems(), []);
    write({ $schema: "http://json-schema.org/draft-04/schema#" });
    assert.deepEqual(await problems(), [
      'checks.schema names "row.schema.json", which cannot be used: no schema with key or ref "http://json-schema.org/draft-04/schema#"',
    ]);
  });

  it("numbers the rows over all pages, and stops at a row that takes too long, of which it says the number", () => {
    const validate = compileSchema('{"properties":{"id":{"pattern":"^(a+)+$"}}}', 300);
    const checker = new RowChecker({ checks: {}, schema: new SchemaChecker(validate) });
    const page = (ids: readonly string[]) => ({
      count: ids.length,
      objects: () => assert.fail("no field is checked"),
      texts: () => ids.map((id) => JSON.stringify({ id })),
    });
    checker.add(page(["a", "!", "a"]));
    checker.add(page([]));
    checker.add(page(["!", "a"]));
    const invalid = "2 of 5 rows are not valid (rows 2, 4), by #/properties/id/pattern";
    assert.deepEqual(checker.failed(), [{ check: "schema", reason: invalid }]);
    checker.add(page(["a", `${"a".repeat(60)}!`, "!"]));
    checker.add(page(["!"]));
    assert.deepEqual(checker.failed(), [
      { check: "schema", reason: invalid.replace("of 5", "of 9") },
      {
        check: "schema",
        reason: "row 7 could not be validated in time: use patterns without repetitions within repetitions",
      },
    ]);
  });

  for (const [what, schema, reason] of [
    ["no JSON", "{", /^is not valid JSON: /],
    ["no object", "[]", /^is not a JSON object/],
    [
      "a wrong type",
      '{"properties":{"price":{"type":"text"}}}',
      /^is not valid at "#\/properties\/price\/type": must be /,
    ],
    ["an unknown keyword", '{"minimun":1}', /^cannot be used: strict mode: unknown keyword: "minimun"$/],
    ["a bad pattern", '{"properties":{"a":{"pattern":"("}}}', /^cannot be used: Invalid regular expression: /],
    [
      "another address",
      '{"$ref":"https://shop.test/row.json"}',
      /^cannot be used: can't resolve reference https:\/\/shop\.test\/row\.json from id #$/,
    ],
    ["a reference to itself", '{"$ref":"#"}', /^is nested too deeply, or refers to itself without end$/],
    [
      "references in a circle",
      '{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"allOf":[{"$ref":"#"}]}}}',
      /^is nested too deeply, or refers to itself without end$/,
    ],
    [
      "a circle below a field",
      '{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}',
      /^is nested too deeply, or refers to itself without end$/,
    ],
    [
      "thousands of levels",
      `${'{"not":'.repeat(5000)}{}${"}".repeat(5000)}`,
      /^is nested too deeply, or refers to itself without end$/,
    ],
    [
      "references that multiply",
      JSON.stringify({
        $ref: "#/$defs/d0",
        $defs: Object.fromEntries(
          Array.from({ length: 60 }, (_, index) => {
            const next = { $ref: `#/$defs/d${index + 1}` };
            return [`d${index}`, index === 59 ? {} : { allOf: [next, next] }];
          }),
        ),
      }),
      /^cannot be validated in time: its references to other parts multiply/,
    ],
    [
      "20,000 parts",
      JSON.stringify({ allOf: Array.from({ length: 20_000 }, (_, index) => ({ required: [`f${index}`] })) }),
      /^has \d+ bytes; at most 65536 are allowed$/,
    ],
    ["an asynchronous schema", '{"$async":true}', / has \$async$/],
  ] as const) {
    it(`is refused in the preview with ${what}`, async () => {
      world.write("row.schema.json", schema);
      const [problem = "", ...others] = await problems();
      assert.deepEqual(others, []);
      const begin = 'checks.schema names "row.schema.json", which ';
      assert.ok(problem.startsWith(begin), problem);
      assert.match(problem.slice(begin.length), reason);
    });
  }

  it("fails the check if it refers to itself without end for some rows only", async () => {
    const $defs = { a: { allOf: [{ $ref: "#/$defs/b" }] }, b: { allOf: [{ $ref: "#/$defs/a" }] } };
    write({ properties: { price: { $ref: "#/$defs/a" } }, $defs });
    assert.match(
      await failure(world.declare("DataExport").up(args())),
      /3 of 3 rows are not valid \(rows 1, 2, 3\), by a part that refers to itself without end/,
    );
  });

  it("is refused if the file does not exist", async () => {
    const found = await world.providers.problems("DataExport", args({ schema: "none.json" }));
    const path = world.path("none.json");
    assert.deepEqual(found, [
      `checks.schema names "none.json", which does not exist (looked for "${path}", relative to the program's folder)`,
    ]);
  });
});
