// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests have variables

import assert from "node:assert/strict";
import { join } from "node:path";
import Ajv from "ajv";
import ts from "typescript";
import { parse } from "yaml";
import schema from "../../../src/manifest/manifest.schema.json";
import fc, { runs } from "../../../test/fastCheck";
import { ManifestFolder } from "../../../test/manifest/manifestFolder";
import { repositoryRoot } from "../../../test/realEngine/harness";
import { adoptedFiles, adoptedTask, Secrets } from "../internals/adopt";

interface ShownTask {
  taskId: string;
  actions: Record<string, unknown>[];
}

/** Names that a language or a file system treats in its own way. */
const oddNames = [
  ...["class", "default", "await", "new", "arguments", "eval", "undefined", "exports", "require", "ExtractionTask"],
  ...["1", "012", "2nd-shop", "a.b", "a b", "größe", "東京", "🙂", "constructor", "toString"],
  ...["it's", 'say "hi"', "`tick`", "${name}", "$${", "\\n", "</script>", "a/b", "..", "-", "no", "~", "<<", "null"],
];

const oddValues = [
  ...["", " ", "no", "012", "1_000", "2024-01-01", "~", "${x}", "$${x}", "`${x}`", "it's", '"', "\\", "\\u0041"],
  ...[
    "line\nline",
    "tab\t",
    "\u2028",
    "\u0000",
    "größe 東京 🙂",
    "*/",
    "//",
    "# x",
    "- a",
    "a: b",
    "{",
    "[",
    "&a",
    "!x",
  ],
  ...[0, -0, 1.5, 1e-7, 1e21, 2 ** 53, true, false],
];

const everyKind: ShownTask[] = [
  ...oddNames.map((taskId) => ({
    taskId,
    actions: [
      {
        actionType: "NavigateAction",
        actionId: taskId,
        name: `*/ ${taskId}\n// `,
        properties: Object.fromEntries(oddNames.map((name, index) => [name, oddValues[index % oddValues.length]])),
      },
    ],
  })),
  {
    taskId: "values",
    actions: [
      {
        actionType: "EnterTextAction",
        actionId: "enter",
        properties: oddValues.map((value, index) => ({ name: `p${index}`, value })),
      },
      { actionType: "ClickAction", actionId: "flat", Selector: "a > b", Wait: 2, AjaxLoad: true },
      { actionType: "LoopAction", actionId: "urls", loopType: "UrlList", loopItems: ["https://ä.test/${x}?a=b#c"] },
      {
        actionType: "LoopAction",
        actionId: "texts",
        loopType: "TextList",
        loopItems: ["no", "012", " x ", "東京", "`"],
      },
      {
        actionType: "LoopAction",
        actionId: "long",
        loopType: "TextList",
        loopItems: Array.from({ length: 5_000 }, (_, index) => `item ${index} "größe" \${x}`),
      },
      { actionType: "LoopAction", actionId: "both", loopType: "L", loopItems: ["a"], properties: { Max: "3" } },
    ],
  },
  { taskId: "bare", actions: [] },
];

const validate = new Ajv({ strict: true, allowUnionTypes: true, strictRequired: false }).compile(schema);

const declared = (tasks: readonly ShownTask[], language: "yaml" | "typescript"): string =>
  adoptedFiles(
    tasks.map(({ taskId, actions }) => adoptedTask(taskId, actions, new Secrets())),
    { language, folder: repositoryRoot },
  ).document ?? "";

/** What tsc says with all strict checks. The other files are read once. */
class Compiler {
  private readonly options: ts.CompilerOptions = {
    strict: true,
    noUnusedLocals: true,
    exactOptionalPropertyTypes: false,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    types: ["node"],
    paths: { "pulumi-webextract": [join(repositoryRoot, "dist/index.d.ts")] },
  };
  private readonly path = join(repositoryRoot, "cli/test/adopt/adopted.ts");
  private readonly files = new Map<string, ts.SourceFile | undefined>();
  private last: ts.Program | undefined;

  complaints(text: string): string[] {
    const host = ts.createCompilerHost(this.options);
    const { getSourceFile, fileExists, readFile } = host;
    host.getSourceFile = (path, ...rest) => {
      if (path === this.path) {
        return ts.createSourceFile(path, text, ts.ScriptTarget.ES2022);
      }
      if (!this.files.has(path)) {
        this.files.set(path, getSourceFile(path, ...rest));
      }
      return this.files.get(path);
    };
    host.fileExists = (path) => path === this.path || fileExists(path);
    host.readFile = (path) => (path === this.path ? text : readFile(path));
    this.last = ts.createProgram([this.path], this.options, host, this.last);
    const source = this.last.getSourceFile(this.path);
    const found = [...this.last.getSyntacticDiagnostics(source), ...this.last.getSemanticDiagnostics(source)];
    return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
  }
}

describe("the declarations of adopted tasks", () => {
  const compiler = new Compiler();
  const manifests = new ManifestFolder();
  after(() => manifests.remove());

  const checkYaml = (tasks: readonly ShownTask[]): void => {
    const text = declared(tasks, "yaml");
    manifests.write({ "tasks.yaml": text });
    const { problems, tasks: read } = manifests.read("tasks.yaml");
    assert.deepEqual(problems, [], text);
    assert.equal(read.length, tasks.length);
    assert.ok(validate(parse(text)), JSON.stringify(validate.errors));
  };

  it("compile with every strict check, whatever the names and values are", () => {
    assert.deepEqual(compiler.complaints(declared(everyKind, "typescript")), []);
    const wrong = declared(everyKind, "typescript").replace("adoptTaskId:", "adoptTaskID:");
    assert.match(compiler.complaints(wrong).join("\n"), /adoptTaskID/);
  });

  it("are valid manifests, for webextract validate and for the JSON Schema", () => {
    checkYaml(everyKind);
    for (const task of everyKind) {
      checkYaml([task]);
    }
  });

  const text = fc.oneof(
    fc.constantFrom(...oddNames, ...oddValues.filter((value) => typeof value === "string")),
    fc.string({ unit: "binary", maxLength: 8 }),
  );
  const value = fc.oneof(text, fc.constantFrom(...oddValues), fc.double(), fc.constant(null), fc.constant([1]));
  const properties = fc.oneof(
    fc.dictionary(text, value, { maxKeys: 4 }),
    fc.array(fc.record({ name: text, value }), { maxLength: 4 }),
    fc.constant(undefined),
  );
  const action = fc.record(
    {
      actionType: text,
      actionId: text,
      name: text,
      properties,
      loopType: text,
      loopItems: fc.array(text, { maxLength: 30 }),
      Selector: value,
    },
    { requiredKeys: ["actionType"] },
  );
  const tasks = fc.uniqueArray(fc.record({ taskId: text, actions: fc.array(action, { maxLength: 4 }) }), {
    minLength: 1,
    maxLength: 4,
    selector: ({ taskId }) => taskId,
  });

  it("are valid manifests for tasks of any shape", () => {
    fc.assert(fc.property(tasks.filter(haveIds), checkYaml), runs(500));
  });

  it("compile for tasks of any shape", () => {
    const property = fc.property(tasks.filter(haveIds), (given) => {
      assert.deepEqual(compiler.complaints(declared(given, "typescript")), []);
    });
    fc.assert(property, { numRuns: 10 });
  });
});

/** The service gives every task an id. */
function haveIds(tasks: readonly ShownTask[]): boolean {
  return tasks.every(({ taskId }) => taskId.trim() !== "");
}
