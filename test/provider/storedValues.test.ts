import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { declaredKey, noteUrn } from "../internals/engine";
import { InProcess, pathOf, unknownText } from "../program/inProcess";

const batch = { taskId: "t", scope: "batch", lotNo: "7" };

/** What an earlier version accepted: its type, its arguments, and the problem of a new resource with them. */
const stored: [type: string, args: Record<string, unknown>, problem: RegExp, changed: Record<string, unknown>][] = [
  [
    "DataExport",
    { ...batch, path: "{{lotNo}}.ndjson" },
    /no placeholder: write \{lotNo\}/,
    { path: "new-{{lotNo}}.ndjson" },
  ],
  ["DataExport", { ...batch, path: "~/rows.ndjson" }, /a path with "~"/, { path: "~/new.ndjson" }],
  ["DataExport", { ...batch, path: "rows.ndjson.GZ" }, /must not end in "\.GZ"/i, { path: "new.ndjson.GZ" }],
  ["DataExport", { ...batch, path: "rows.ndjson.GZ" }, /must not end in "\.GZ"/i, { format: "json" }],
  [
    "DataExport",
    { ...batch, path: "x.ndjson", pipe: ["load", "$lotNo"] },
    /write \{lotNo\}/,
    { pipe: ["load", "-x", "$lotNo"] },
  ],
  ["DataExport", { ...batch, path: "x.ndjson", pipe: ["~/load"] }, /a path with "~"/, { pipe: ["~/other"] }],
  [
    "DataExport",
    { ...batch, path: "x.ndjson", checks: { schema: "~/s.json" } },
    /a path with "~"/,
    { checks: { schema: "~/t.json" } },
  ],
  ["TaskStartUrls", { taskId: "t", file: "~/urls.txt" }, /a path with "~"/, { file: "~/new.txt" }],
  [
    "ExtractionTask",
    { from: { adoptTaskId: "t" }, startUrls: { file: "~/urls.txt" } },
    /a path with "~"/,
    { startUrls: { file: "~/new.txt" } },
  ],
];

describe("arguments that an earlier version accepted, and this one does not", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "stored-"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const [type, args, problem, changed] of stored) {
    it(`are a warning while the state has them, and refused if new or changed: ${type} ${JSON.stringify(args)}`, async () => {
      const providers = new InProcess({ baseUrl: "http://127.0.0.1:1" }, folder);
      const ofArgument = async (given: Record<string, unknown>, olds: Record<string, unknown>): Promise<string[]> =>
        (await providers.problems(type, given, olds)).filter((each) => problem.test(each));
      assert.equal((await ofArgument(args, {})).length, 1);
      assert.deepEqual(providers.warnings, []);
      assert.deepEqual(await ofArgument(args, args), []);
      const told = providers.warnings.filter((each) => problem.test(each));
      assert.equal(told.length, 1);
      assert.match(String(told[0]), /The state has it, so it stays\. A new value like this is refused\.$/);
      assert.equal((await ofArgument({ ...args, ...changed }, args)).length, 1);
    });
  }

  it("stay a warning at a replace, where the engine checks them again without those of the state", async () => {
    const providers = new InProcess({ baseUrl: "http://127.0.0.1:1" }, folder);
    const [type, args] = stored[0] ?? ["", {}];
    const problems = async (urn: string, olds: object): Promise<number> => {
      const given = { ...args };
      noteUrn(given, urn);
      return (await providers.problems(type, given, { ...olds })).filter((each) => /no placeholder/.test(each)).length;
    };
    assert.deepEqual(
      [await problems("urn:one", args), await problems("urn:one", {}), await problems("urn:two", {})],
      [0, 0, 1],
    );
  });
});

describe("a transform that changes which task a resource has", () => {
  const settings = { actions: { open: { actionType: "N", properties: { Url: "https://a.test/" } } } };
  const from = (adoptTaskId: string) => ({ from: { adoptTaskId } });
  const cases: [type: string, declared: object, given: Record<string, unknown>, paths: string[]][] = [
    ["TaskActionConfig", { taskId: "a" }, { taskId: "a", ...settings }, []],
    ["TaskActionConfig", { taskId: "a" }, { taskId: "b", ...settings }, ["taskId"]],
    ["TaskActionConfig", { taskId: unknownText }, { taskId: unknownText, ...settings }, []],
    ["TaskActionConfig", { taskId: unknownText }, { taskId: "b", ...settings }, ["taskId"]],
    ["TaskActionConfig", { taskId: 7 }, { taskId: 7, ...settings }, []],
    ["CloudRun", { taskId: "a", profile: "one" }, { taskId: "b", profile: "two" }, ["taskId", "profile"]],
    ["CloudRun", { taskId: "a" }, { taskId: "a", profile: "one" }, ["profile"]],
    ["TaskCopy", { adoptTaskId: "a" }, { adoptTaskId: "b" }, ["adoptTaskId"]],
    ["TaskCopy", {}, { sourceTaskId: "a", taskGroupId: "g" }, []],
    ["ExtractionTask", from("a"), from("a"), []],
    ["ExtractionTask", from("a"), from("b"), ["adoptTaskId"]],
  ];

  for (const [type, declared, given, paths] of cases) {
    it(`is refused, and no other: ${type} ${JSON.stringify(declared)} as ${JSON.stringify(given)}`, async () => {
      const profiles = JSON.stringify({ one: { accessToken: "of-one-4711" }, two: { accessToken: "of-two-4712" } });
      const providers = new InProcess({ baseUrl: "http://127.0.0.1:1", profiles });
      const problems = await providers.problems(type, { ...given, [declaredKey]: declared });
      const found = problems.filter((each) => each.includes("was changed by a transform"));
      assert.deepEqual(found.map(pathOf), paths);
      assert.equal(problems.length, paths.length);
      if (paths.length === 0) {
        assert.ok(!(declaredKey in (await providers.checked(type, { ...given, [declaredKey]: declared }))));
      }
    });
  }
});
