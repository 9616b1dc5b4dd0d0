import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as yaml from "yaml";
import { bundleOnDemand } from "../../scripts/bundle";
import { eagerMethods } from "../../scripts/eagerMethods";
import fc from "../fastCheck";
import { errorCases } from "../manifest/errorCases";

describe("generator methods that are made eager", () => {
  const classOf = (body: string): { all(): Iterable<unknown> } =>
    new Function(`return new (${eagerMethods(`(class {${body}})`, ["all"])})();`)();

  it("collect what they would yield, and return the values of yield*", () => {
    const body = `
      *all() { const two = yield* this.one(1); yield two; if (two > 1) yield { last: yield* this.one(two) }; }
      *one(n) { yield n; return n + 1; }
    `;
    assert.deepEqual(classOf(body).all(), [1, 2, 2, { last: 3 }]);
  });

  it("do nothing where nobody takes what they yield", () => {
    assert.deepEqual(classOf("*all() { this.one(); yield 2; } *one() { yield 1; }").all(), [2]);
  });

  it("begin again with each call", () => {
    const object = classOf("*all() { yield 1; }");
    assert.deepEqual([...object.all(), ...object.all()], [1, 1]);
  });
});

describe("the bundle of the YAML library", () => {
  const folder = mkdtempSync(join(tmpdir(), "webextract-"));
  let bundled: typeof yaml;
  before(async () => {
    await bundleOnDemand("manifest/yaml", folder);
    bundled = require(join(folder, "manifest", "yaml.js"));
  });
  after(() => rmSync(folder, { recursive: true }));

  const read = (library: typeof yaml, text: string): unknown => {
    const tokens = [...new library.Parser().parse(text)];
    const composer = new library.Composer({ schema: "failsafe", uniqueKeys: false, prettyErrors: false });
    const documents = [...composer.compose(tokens)];
    const { errors, comment } = composer.streamInfo();
    return JSON.stringify([tokens, documents.map(contentOf), errors.map(problemOf), comment]);
  };

  it("reads the manifests of the tests of errors as the library does", () => {
    for (const { text } of errorCases) {
      assert.equal(read(bundled, text), read(yaml, text));
    }
  });

  it("reads any text as the library does", () => {
    const part = fc.constantFrom(...parts);
    const text = fc.array(fc.oneof({ weight: 9, arbitrary: part }, fc.string({ unit: "binary" })), { maxLength: 40 });
    fc.assert(
      fc.property(text, (all) => {
        assert.equal(read(bundled, all.join("")), read(yaml, all.join("")));
      }),
      { numRuns: 3000 },
    );
  });
});

const indents = ["\n", "\n  ", "\n    ", "\n\t", "\r\n", " ", "\t"];
const indicators = [
  "- ",
  "? ",
  ": ",
  ":",
  ", ",
  "{",
  "}",
  "[",
  "]",
  "#",
  " # c",
  "&a ",
  "*a",
  "!!str ",
  "!t ",
  "|",
  ">-",
  "|2+",
  "%YAML 1.2\n",
];
const scalars = [
  "a",
  "b c",
  "<<",
  "~",
  "12",
  "key: ",
  "'q'",
  '"d\\n"',
  "'",
  '"',
  "\\",
  "$x",
  "---",
  "...",
  "--- ",
  "\ufeff",
  "@",
  "`",
];
const parts = [...indents, ...indicators, ...scalars];

function contentOf({
  contents,
  errors,
  warnings,
  directives,
  comment,
  commentBefore,
  range,
}: yaml.Document.Parsed): unknown {
  const shown: unknown[] = [];
  collect(contents, shown);
  return [shown, errors.map(problemOf), warnings.map(problemOf), directives?.yaml, comment, commentBefore, range];
}

/** All that a node says of itself: the two libraries have classes of their own. */
function collect(node: unknown, shown: unknown[]): void {
  if (typeof node !== "object" || node === null) {
    shown.push(node);
    return;
  }
  const { items, key, value, ...rest } = node as Record<string, unknown>;
  shown.push({ ...rest });
  for (const each of [...(Array.isArray(items) ? items : []), key, value]) {
    collect(each, shown);
  }
}

function problemOf({ code, message, pos }: yaml.YAMLError): unknown {
  return [code, message, pos];
}
