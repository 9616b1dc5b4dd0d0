import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv";
import { parseAllDocuments } from "yaml";
import schema from "../../src/manifest/manifest.schema.json";
import { repositoryRoot } from "../realEngine/harness";
import { errorCases } from "./errorCases";

const validate = new Ajv({ strict: true, allowUnionTypes: true, strictRequired: false }).compile(schema);

/** What an editor says of each document. It parses YAML 1.2 with types, and does not know which name belongs to which file. */
function verdictOf(text: string): "refuses" | "accepts" | "is not asked" {
  const documents = parseAllDocuments(text, { merge: true, logLevel: "silent" });
  if (!Array.isArray(documents) || documents.length === 0 || documents.some(({ errors }) => errors.length > 0)) {
    return "is not asked";
  }
  try {
    return documents.every((each) => validate(each.toJS())) ? "accepts" : "refuses";
  } catch {
    return "is not asked";
  }
}

const readable = `
from: { sourceTaskId: 012, taskGroupId: "\${group}" }
actions:
  012: { actionType: A, properties: { MaxPages: 2, On: true, Empty: "", Url: "\${url}" } }
  b: { actionType: B, loop: { loopType: L, items: [1, "\${two}"], mode: append } }
startUrls: ~
forceDestroy: \${force}
was: [old]
opts: { protect: true, ignoreChanges: [startUrls] }
run: { waitFor: "\${wait}", timeoutSeconds: 5, triggers: { a: [1] }, rerunOn: [] }
exports: { rows: { path: x, maxRows: 3 }, all: { path: y, scope: all, lotNo: ~ } }
`;

describe("manifest.schema.json", () => {
  it("accepts all that a manifest may say", () => {
    assert.equal(verdictOf(readable), "accepts");
    assert.equal(verdictOf("tasks: { a: { from: { adoptTaskId: t } } }"), "accepts");
    const inherited =
      "defaults: { from: { sourceTaskId: s }, run: {} }\ntasks: { a: , b: { from: { taskGroupId: g } } }";
    assert.equal(verdictOf(inherited), "accepts");
    assert.equal(
      verdictOf(
        "defaults: { exports: { rows: { path: x } } }\n" +
          "tasks: { a: { actions: { open: ~, next: { properties: { Url: ~ } } }, exports: { rows: ~ } } }",
      ),
      "accepts",
    );
    const parts = "x-parts: { open: &open { actionType: A, properties: { Url: x } } }\n";
    for (const task of [
      readable.replace("actions:", "actions:\n  open: *open"),
      inherited,
      "tasks: { a: { from: { adoptTaskId: t } } }",
    ]) {
      assert.equal(verdictOf(parts + task), "accepts", task);
    }
    assert.equal(verdictOf("tasks: { a: { from: { adoptTaskId: t }, x-a: 1 } }"), "refuses");
  });

  for (const { name, text, schema: expected = "refuses" } of errorCases) {
    it(`${expected === "is not asked" ? "is not asked about" : expected} ${name}`, () => {
      assert.equal(verdictOf(text), expected);
    });
  }

  it("accepts every manifest of the examples and the templates", () => {
    const manifests = ["examples", "templates"].flatMap((folder) =>
      readdirSync(join(repositoryRoot, folder), { recursive: true, encoding: "utf8" })
        .filter(
          (path) => /(?:^|\/)tasks\/[^/]+\.ya?ml$/.test(path.replaceAll("\\", "/")) && !path.includes("node_modules"),
        )
        .map((path) => join(repositoryRoot, folder, path)),
    );
    assert.ok(manifests.length > 0);
    for (const path of manifests) {
      assert.equal(verdictOf(readFileSync(path, "utf8")), "accepts", path);
    }
  });

  it("explains every name", () => {
    const unexplained = Object.entries(schema.definitions).flatMap(([of, { properties }]) =>
      Object.entries(properties as Record<string, { description?: string }>).flatMap(([name, { description }]) =>
        description === undefined || /undefined/.test(description) ? [`${of}.${name}`] : [],
      ),
    );
    assert.deepEqual(unexplained, []);
  });
});
