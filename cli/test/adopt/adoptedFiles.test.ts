// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests have variables

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ts from "typescript";
import { parse } from "yaml";
import { slowIt } from "../../../test/environment";
import fc, { runs } from "../../../test/fastCheck";
import { harmlessValues, hostileStrings, secretValues } from "../../../test/hostile";
import { shownText } from "../../../test/internals/service";
import { ManifestFolder } from "../../../test/manifest/manifestFolder";
import type { AdoptedFiles, AdoptTarget } from "../internals/adopt";
import { adoptedFiles, adoptedTask, Secrets, targetProblem, writeFiles } from "../internals/adopt";

type Shown = Record<string, unknown>;

const open = (properties: Record<string, unknown>, actionId = "open"): Shown => ({
  actionType: "NavigateAction",
  actionId,
  properties: Object.entries(properties).map(([name, value]) => ({ name, value })),
});
const each = (loopItems: unknown[], loopType: unknown = "UrlList"): Shown => ({
  actionType: "LoopAction",
  actionId: "each",
  loopType,
  loopItems,
});
/** Items that are no string, number or boolean. */
const oddItems = [{ url: "https://a.test/" }, [], null, Number.POSITIVE_INFINITY];
const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `https://käse.test/${index}`);

describe("the files of adopted tasks", () => {
  const manifests = new ManifestFolder();
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "webextract-adopt-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  after(() => manifests.remove());

  it("name what cannot be declared: items and numbers that cannot be written again, properties that are shown twice or without a name", () => {
    for (const odd of oddItems) {
      const { document = "" } = files([each(["https://a.test/", odd])]);
      assert.match(
        document,
        /# .*The list of the loop is not declared, because .* the service does not show it as lines of text/,
      );
      assert.ok(!document.includes("items:"), document);
    }
    const pairs = [
      { Name: "Wait", Value: "1" },
      { name: "Wait", value: "2" },
      { value: "3" },
      { name: "Far", value: Number.POSITIVE_INFINITY },
    ];
    const { document = "" } = files([{ actionType: "NavigateAction", actionId: "open", properties: pairs }]);
    assert.match(document, /Wait: "1"/);
    assert.match(document, /# .*second property "Wait"/);
    assert.match(document, /# .*does not show its name/);
    assert.match(document, /# .*"Far" is not declared, because its name or its value is no text, number or boolean/);
  });

  const files = (shown: Shown[], target: Partial<AdoptTarget> = {}, taskIds = ["novels"]): AdoptedFiles =>
    adoptedFiles(
      taskIds.map((taskId) => adoptedTask(taskId, shown, new Secrets((text) => text.replaceAll("my-credential", "")))),
      { folder, ...target },
    );
  const manifestOf = (shown: Shown[], taskId = "novels"): string => files(shown, {}, [taskId]).document ?? "";
  const actionsOf = (text: string): Record<string, { properties?: Record<string, unknown>; loop?: unknown }> =>
    (manifests.tasksOf(text)[0]?.args.actions ?? {}) as ReturnType<typeof actionsOf>;
  const programOf = (text: string): { names: string[]; args: Record<string, unknown>[] } => {
    const names: string[] = [];
    const args: Record<string, unknown>[] = [];
    class ExtractionTask {
      constructor(name: string, given: Record<string, unknown>) {
        names.push(name);
        args.push(given);
      }
    }
    const { outputText } = ts.transpileModule(
      text.replaceAll(/^import .*$/gm, "").replaceAll(/^export const/gm, "const"),
      {
        compilerOptions: { target: ts.ScriptTarget.ES2022 },
      },
    );
    const read = (key: string): string => `value of ${key}`;
    const Config = class {
      readonly requireSecret = read;
      readonly requireSecretObject = (key: string): string[] => [read(key)];
    };
    new Function("ExtractionTask", "pulumi", `"use strict";${outputText}`)(ExtractionTask, { Config });
    return { names, args };
  };

  it("declare the task with all of its properties and lists, and say what the service does not show", () => {
    const text = manifestOf([{ ...open({ Url: "https://shop.test/#a: b", Wait: 2 }), name: "Open\nit" }, each(["a"])]);
    assert.equal(
      text,
      `# Task "novels", written by webextract adopt.
# Action "open": Open it
# The API does not show the start URLs of a task. They stay as they are. If you declare startUrls, the next up uploads them.

name: novels
from:
  adoptTaskId: novels
actions:
  open:
    actionType: NavigateAction
    properties:
      Url: "https://shop.test/#a: b"
      Wait: 2
  each:
    actionType: LoopAction
    loop:
      loopType: UrlList
      items:
        - a
`,
    );
  });

  it("have invisible characters, and what a CI system obeys, as escapes that YAML and TypeScript read", () => {
    const values = [
      "\ufeffbom",
      "\u200bz\u202ertl",
      "soft\u00adhyphen",
      "\u{e0041}",
      "a\n::error::b",
      "##[error]",
      "::c",
    ];
    const properties = Object.fromEntries(values.map((value, index) => [`${value.trim()}${index}`, value]));
    const shown = [open(properties)];
    assert.deepEqual(actionsOf(manifestOf(shown)).open?.properties, properties);
    const program = files(shown, { language: "typescript" }).document ?? "";
    assert.deepEqual(programOf(program).args[0]?.actions, { open: { actionType: "NavigateAction", properties } });
    for (const text of [manifestOf(shown), program]) {
      assert.equal(shownText(text), text);
    }
  });

  it("leave out what is typed into a field for a password, by its selector or its neighbours", () => {
    for (const [name, value, actionId] of [
      ["Selector", "input[type=password]", "enter"],
      ["XPath", "//input[@id='userPasswort']", "enter"],
      ["Label", "PIN", "enter"],
      ["Selector", "#login", "enter-passwd"],
    ] as const) {
      const text = manifestOf([open({ [name]: value, Text: "hunter2", Wait: "2" }, actionId)]);
      assert.doesNotMatch(text, /hunter2/);
      assert.match(text, /^ {6}Text: \$\{novels-[\w-]+-Text\}$/m);
      assert.match(text, /^ {6}Wait: "2"$/m);
      assert.ok(text.includes(value));
    }
    for (const name of ["TextToSet", "Wert", "Payload2", "value_1", "输入"]) {
      const typed = { Selector: "input[type=password]", [name]: "hunter2", Clear: "true", TimeoutMs: 2000 };
      const text = manifestOf([open(typed)]);
      assert.doesNotMatch(text, /hunter2/, name);
      assert.match(text, /^ {6}Clear: "true"\n {6}TimeoutMs: 2000$/m);
    }
    for (const shown of [
      { ...open({ TextToSet: "hunter2" }), element: { kind: "password" } },
      { actionType: "EnterPasswordAction", actionId: "enter", TextToSet: "hunter2" },
      open({ Element: { Selector: "#password" }, TextToSet: "hunter2" }),
      open({ TextToSet: "hunter2", Hint: "密码" }),
    ]) {
      assert.doesNotMatch(manifestOf([shown]), /hunter2/);
    }
    const harmless = { Selector: "#compass, .spinner", Text: "Leipzig" };
    assert.deepEqual(actionsOf(manifestOf([open(harmless)])).open?.properties, harmless);
  });

  it("keep each space and line break of strings that have nothing else", () => {
    const values = ["", " ", "\n", " \n", "\n \n", "\t\n", "  \n\n", "\u00a0\n"];
    const properties = Object.fromEntries(values.map((value, index) => [`P${index}`, value]));
    assert.deepEqual(actionsOf(manifestOf([open(properties)])).open?.properties, properties);
  });

  it("quote strings that a reader of YAML 1.1 or 1.2 would take for another type", () => {
    const words = ["", ..."no y 012 1_000 1.0 0x1F 60:30 2024-01-01 ~ null true << = .inf".split(" ")];
    const properties = Object.fromEntries(words.map((word, index) => [`p${index}`, word]));
    const text = manifestOf([open(properties), each(words.filter((word) => word !== ""))]);
    for (const version of ["1.1", "1.2"] as const) {
      const { actions } = parse(text, { version });
      assert.deepEqual(actions.open.properties, properties, version);
      assert.deepEqual(
        actions.each.loop.items,
        words.filter((word) => word !== ""),
        version,
      );
    }
  });

  it("read back as the same arguments, in both languages, whatever the names and values are", () => {
    const text = fc.string({
      unit: fc.constantFrom(..."aZ0 :#-{}[]$&*!|>'\"%@`,?~=\\\n\t\r\u0000\u0007\u0085\u2028\ufeffä中🙂".split(/(?:)/u)),
    });
    const value = fc.oneof(
      text,
      fc.constantFrom("${x}", "$${", "no", "---", "...", "a\n---\nb"),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.boolean(),
    );
    const name = fc
      .oneof(text, fc.constantFrom("constructor", "<<", "${x}", "1", "no"))
      .filter((key) => key.trim() !== "" && key !== "__proto__");
    const line = fc
      .oneof(text, fc.constantFrom("${x}", "no", "- a"))
      .filter((item) => item.trim() !== "" && !/[\r\n]/.test(item) && !item.startsWith("\ufeff"));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(name, value), { minLength: 1, maxLength: 4 }),
        fc.array(line, { minLength: 1, maxLength: 4 }),
        name.filter((id) => id !== "each"),
        (pairs, items, actionId) => {
          const properties = Object.fromEntries(pairs);
          const shown = [open(properties, actionId), each(items)];
          const strings = Object.fromEntries(Object.entries(properties).map(([key, each]) => [key, String(each)]));
          const [task] = manifests.tasksOf(manifestOf(shown));
          const expected = Object.fromEntries([
            [actionId, { actionType: "NavigateAction", properties: strings }],
            ["each", { actionType: "LoopAction", loop: { loopType: "UrlList", items } }],
          ]);
          assert.deepEqual(task?.args, { from: { adoptTaskId: "novels" }, actions: expected });
          const { args } = programOf(files(shown, { language: "typescript" }).document ?? "");
          const written = JSON.parse(JSON.stringify(args[0]), (_, each) => each) as { actions: typeof expected };
          const [, again] = Object.entries(written.actions).find(([id]) => id === actionId) ?? [];
          assert.deepEqual(
            Object.entries(again?.properties ?? {})
              .map(([key, each]) => [key, String(each)])
              .sort(),
            Object.entries(JSON.parse(JSON.stringify(strings))).sort(),
          );
        },
      ),
      runs(300),
    );
  });

  describe("are accepted by validate and hold every value that is not named as left out", () => {
    const white = fc.string({
      unit: fc.constantFrom(" ", "\n", "\r", "\t", "a", "#", "-", ":", "\u00a0", "\u2028"),
      maxLength: 12,
    });
    const wide = fc.oneof(white, fc.constantFrom(...hostileStrings.map(({ text }) => text)));
    const value = fc.oneof(wide, fc.double(), fc.bigInt().map(Number), fc.boolean());
    const action = fc.record({
      properties: fc.array(fc.tuple(wide, value), { maxLength: 6 }),
      items: fc.array(wide, { maxLength: 30 }),
      actionId: wide,
      name: wide,
    });
    const secrets = new Secrets((text) => text.replaceAll("my-credential", ""));

    const shownAction = (
      { properties, items, actionId, name }: typeof action extends fc.Arbitrary<infer T> ? T : never,
      at: number,
    ): Shown => ({
      actionType: "LoopAction",
      actionId: `${actionId}${at}`,
      name,
      properties: properties.map(([key, each], index) => ({ name: `${key}${index}`, value: each })),
      loopType: "TextList",
      loopItems: items,
    });

    const check = (count: number, given: Shown[][], target: Partial<AdoptTarget>): void => {
      const tasks = Array.from({ length: count }, (_, index) => {
        const shown = given[index % given.length] ?? [];
        return adoptedTask(
          `${hostileStrings[index % hostileStrings.length]?.text.replace(/\p{Cs}/gu, "")}${index}`,
          shown,
          secrets,
        );
      });
      const { files: planned, document } = adoptedFiles(tasks, { folder: manifests.path, ...target });
      const texts =
        document === undefined ? planned.map(({ path, content }) => [path, content]) : [["all.yaml", document]];
      for (const [, text = ""] of texts) {
        // Standard output shows an invisible character as its escape, and a reviewer of a file must see it too.
        assert.equal(shownText(text), text);
      }
      manifests.write(Object.fromEntries(texts));
      const names = new Set(
        [...texts.join("\n").matchAll(/\$\{([\w-]+)\} is|The variable ([\w-]+) is/g)].map(([, , name = ""]) => name),
      );
      const variables = Object.fromEntries([...names].map((name) => [name, name.endsWith("items") ? ["a"] : "x"]));
      const paths =
        document === undefined ? (planned[0]?.path.startsWith("tasks/") ? "tasks/*.yaml" : "all.yaml") : "all.yaml";
      const read = new Map(
        manifests.tasks(paths, variables).map(({ args }) => [(args.from as Shown).adoptTaskId, args]),
      );
      assert.equal(read.size, count);
      for (const { taskId, actions } of tasks) {
        const args = read.get(taskId) as {
          actions?: Record<string, { properties?: object; loop?: { items?: string[]; itemsFile?: string } }>;
        };
        assert.deepEqual(Object.keys(args.actions ?? {}).sort(), actions.map(({ actionId }) => actionId).sort());
        for (const { actionId, properties, loop } of actions) {
          const written = args.actions?.[actionId];
          for (const [name, each] of properties) {
            const got = Object.entries(written?.properties ?? {}).find(([key]) => key === name)?.[1];
            assert.equal(String(got), typeof each === "symbol" ? "x" : String(each), name);
          }
          if (loop !== undefined && typeof loop.items !== "symbol" && written?.loop?.itemsFile === undefined) {
            assert.deepEqual(written?.loop?.items, loop.items);
          }
        }
      }
    };

    for (const [count, many] of [
      [1, 300],
      [60, 20],
      [500, 3],
    ] as const) {
      const test = count === 500 ? slowIt : it;
      test(`for ${count} task${count === 1 ? "" : "s"} with any values`, () => {
        fc.assert(
          fc.property(
            fc.array(fc.array(action, { maxLength: 3 }), { minLength: 1, maxLength: Math.min(count, 8) }),
            fc.constantFrom<Partial<AdoptTarget>>({}, { out: "tasks" }, { out: "all.yaml" }),
            (given, target) =>
              check(
                count,
                given.map((each) => each.map(shownAction)),
                target,
              ),
          ),
          runs(many),
        );
      });
    }

    it("names what it leaves out: text that is no text, a list that is none, and a number that may have lost digits", () => {
      const text = manifestOf([
        open({ Half: "a\ud800b", "a\udc00": "x", Large: 2 ** 60, Good: "y" }),
        { ...each([]), actionId: "object", loopItems: { a: 1 } },
        { ...each(["a\ud800"]), actionId: "half" },
        open({ Url: "u" }, "\ud800"),
      ]);
      assert.deepEqual(actionsOf(text), {
        open: { actionType: "NavigateAction", properties: { Large: "1152921504606847000", Good: "y" } },
      });
      for (const note of [
        '"Half" is not declared, because its name or its value is no text',
        '"Large" is declared as a string',
        '"object" .*does not show it as lines of text',
        '"half" .*does not show it as lines of text',
      ]) {
        assert.match(text, new RegExp(`# .*${note}`));
      }
    });

    it("in files whose names every system takes and that differ without case, whatever the ids are", () => {
      const ids = [
        ...hostileStrings.map(({ text }) => text),
        "ß",
        "SS",
        "CON",
        "con",
        "aux.x",
        "caf\u00e9",
        "cafe\u0301",
        "-".repeat(400),
        `${"a".repeat(179)}🙂🙂`,
      ];
      const items = many(21);
      const { files: planned } = files(
        [each(items)],
        { out: "tasks" },
        ids.map((id) => id.replace(/\p{Cs}/gu, "")),
      );
      const names = planned.map(({ path }) => path.replace(/^.*\//, ""));
      for (const name of names) {
        assert.ok(Buffer.byteLength(name) <= 255, name);
        assert.match(name, /^[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}_.-]*\.(?:yaml|txt)$/u);
        assert.doesNotMatch(name, /^(?:con|prn|aux|nul|com\d|lpt\d)\./i);
      }
      assert.equal(new Set(planned.map(({ path }) => path.normalize("NFC").toUpperCase())).size, planned.length);
    });
  });

  it("put a list of more than 20 items into a file beside the declaration", () => {
    const { files: planned, document } = files([each(many(21))], { out: "tasks/novels.yaml" });
    assert.equal(document, undefined);
    assert.deepEqual(
      planned.map(({ path, present }) => [path, present]),
      [
        ["tasks/novels.yaml", "nothing"],
        ["tasks/items/novels-each.txt", "nothing"],
      ],
    );
    assert.equal(
      planned[1]?.content,
      many(21)
        .map((item) => `${item}\n`)
        .join(""),
    );
    assert.deepEqual(parse(planned[0]?.content ?? "").actions.each.loop, {
      loopType: "UrlList",
      itemsFile: "tasks/items/novels-each.txt",
    });
    const elsewhere = files([each(many(21))], { out: "tasks", itemsDir: "lists" });
    assert.deepEqual(
      elsewhere.files.map(({ path }) => path),
      ["tasks/novels.yaml", "lists/novels-each.txt"],
    );
    assert.deepEqual(
      files([each(many(20))], { out: "tasks" }).files.map(({ path }) => path),
      ["tasks/novels.yaml"],
    );
  });

  it("are one for each task in a folder, with names that every file system takes, and one for all tasks otherwise", () => {
    const ids = ["a/b", "A b", "a:b", "ä.1", "..", ""];
    const { files: inFolder } = files([open({ Url: "u" })], { out: "tasks" }, ids);
    assert.deepEqual(
      inFolder.map(({ path }) => path),
      ["a-b", "A-b-2", "a-b-3", "ä.1", "task", "task-2"].map((name) => `tasks/${name}.yaml`),
    );
    const together = files([open({ Url: "u" })], { out: "all.yaml" }, ["one", "two"]);
    const [all] = together.files;
    assert.deepEqual(
      manifests.tasksOf(all?.content ?? "").map(({ name, args }) => [name, args.from]),
      [
        ["one", { adoptTaskId: "one" }],
        ["two", { adoptTaskId: "two" }],
      ],
    );
    const [alone] = files([open({ Url: "u" })], { out: "shelf.yaml" }, ["one"]).files;
    manifests.write({ "shelf.yaml": alone?.content ?? "" });
    assert.deepEqual(
      manifests.tasks().map(({ name }) => name),
      ["shelf"],
    );
  });

  it("say what a task was called before its name was changed, in the plan and in the files", () => {
    const ids = ["same", "same ", "__proto__", "cafe\u0301", "a\n# b"];
    for (const language of ["yaml", "typescript"] as const) {
      const plan = files([open({ Url: "u" })], { out: "tasks", language }, ids);
      assert.deepEqual(
        plan.tasks.map(({ name, originalName }) => [name, originalName]),
        [
          ["same", undefined],
          ["same-2", "same "],
          ["task-__proto__", "__proto__"],
          ["caf\u00e9", undefined],
          ["a-b", "a\n# b"],
        ],
      );
      const heads = plan.files.map(({ content }) => /^(?:#|\/\/) (Task .*)$/m.exec(content)?.[1]);
      assert.deepEqual(heads, [
        'Task "same", written by webextract adopt.',
        'Task "same-2", written by webextract adopt. Original name: "same ".',
        'Task "task-__proto__", written by webextract adopt. Original name: "__proto__".',
        'Task "caf\u00e9", written by webextract adopt.',
        'Task "a-b", written by webextract adopt. Original name: "a # b".',
      ]);
    }
  });

  it("are a program in TypeScript, with a variable for each task", () => {
    const { files: planned } = files([open({ Url: "u" })], { out: "tasks.ts" }, [
      "class",
      "class!",
      "9",
      "my-shop task",
    ]);
    const [program] = planned;
    assert.deepEqual(program?.content.match(/export const \w+/g), [
      "export const taskClass",
      "export const taskClass2",
      "export const task9",
      "export const taskMyShopTask",
    ]);
    assert.deepEqual(programOf(program?.content ?? "").names, ["class", "class-2", "9", "my-shop-task"]);
  });

  describe("never contain what may be a secret, but a variable with a comment", () => {
    const shown = Object.values(secretValues).map(({ name = "Value", value }, index) =>
      open({ [name]: value }, `a${index}`),
    );
    const credential = open({ Echo: "=my-credential=" }, "own");
    const list = {
      ...each(["https://shop.test/", "https://shop.test/?token=hidden-7"]),
      name: "Bearer hidden-token-8",
    };
    const all = [...shown, credential, list];
    const assertHidden = (text: string): void => {
      for (const { secret } of Object.values(secretValues)) {
        assert.ok(!text.includes(secret) && !text.includes(JSON.stringify(secret)), `${secret} in ${text}`);
      }
      assert.doesNotMatch(text, /my-credential|hidden-/);
    };

    it("in a manifest, which names each variable that is not set, and takes them all", () => {
      const text = manifestOf(all);
      assertHidden(text);
      const names = [...text.matchAll(/\$\{([\w-]+)\}/g)].map(([, name = ""]) => name);
      assert.equal(new Set(names).size, all.length);
      for (const name of names) {
        assert.match(
          text,
          new RegExp(`# The variable ${name} is a secret\\. Set it with: pulumi config set --secret ${name}`),
        );
      }
      assert.throws(() => actionsOf(text), /novels-own-Echo}?,? which has no value/);
      const values = Object.fromEntries(names.map((name) => [name, `value of ${name}`]));
      const [task] = manifests.tasksOf(text, { ...values, "novels-each-items": ["a", "b"] });
      const actions = task?.args.actions as ReturnType<typeof actionsOf>;
      assert.deepEqual(actions.own?.properties, { Echo: "value of novels-own-Echo" });
      assert.deepEqual(actions.each?.loop, { loopType: "UrlList", items: ["a", "b"] });
    });

    it("in a program, which reads them as secrets of the configuration", () => {
      const text = files(all, { language: "typescript" }).document ?? "";
      assertHidden(text);
      assert.match(
        text,
        /\/\/ The variable novels-own-Echo is a secret\. Set it with: pulumi config set --secret novels-own-Echo\n[\s\S]* Echo: config\.requireSecret\("novels-own-Echo"\)/,
      );
      const actions = programOf(text).args[0]?.actions as ReturnType<typeof actionsOf>;
      assert.deepEqual(actions.own?.properties, { Echo: "value of novels-own-Echo" });
      assert.deepEqual(actions.each?.loop, { loopType: "UrlList", items: ["value of novels-each-items"] });
    });

    it("with a name of its own for each", () => {
      const text = manifestOf([open({ "a Password": "x1", "a:Password": "x2", 密Password: "x3" }, "-")]);
      const names = [...text.matchAll(/\$\{([\w-]+)\}/g)].map(([, name = ""]) => name);
      assert.deepEqual(names, ["novels-a-Password", "novels-a-Password-2", "novels-Password"]);
    });

    it("with a name of its own for each, also of tasks whose names differ only in special characters", () => {
      const { document = "" } = files([open({ Password: "x1" })], {}, ["a-b", "aäb"]);
      const names = [...document.matchAll(/\$\{([\w-]+)\}/g)].map(([, name = ""]) => name);
      assert.deepEqual(names, ["a-b-open-Password", "a-b-open-Password-2"]);
    });

    it("and contain what only looks a little like one", () => {
      const shownValues = harmlessValues.map(({ name = "Value", value }, index) =>
        open({ [name]: value }, `a${index}`),
      );
      const actions = actionsOf(manifestOf(shownValues));
      assert.deepEqual(
        Object.values(actions).map(({ properties }) => Object.values(properties ?? {})[0]),
        harmlessValues.map(({ value }) => value),
      );
    });
  });

  it("leave out what cannot be declared, with the reason, and are valid without any action", () => {
    const shown = [
      open({ Url: "u", Parts: ["a"], None: null, "": "x" }),
      { actionType: "ClickAction", actionId: "click" },
      { actionType: "X" },
      { actionId: "untyped" },
      open({ Url: "other" }),
      ...[each([]), each(["a\nb"]), each([" "]), each(["a"], null), each(["\ufeffa"])].map((loop, index) => ({
        ...loop,
        actionId: `loop${index}`,
      })),
    ];
    const text = manifestOf(shown);
    assert.deepEqual(actionsOf(text), { open: { actionType: "NavigateAction", properties: { Url: "u" } } });
    const reasons = [
      ...[
        "Parts",
        "None",
        'Property "" is not declared, because its name or its value is no text',
        '"click" (ClickAction)',
        "its actionId",
        "its actionType",
        'a second action "open"',
      ],
      ..."01234"
        .split("")
        .map((index) => `"loop${index}" .*it is empty, or the service does not show it as lines of text`),
    ];
    for (const reason of reasons) {
      assert.match(text, new RegExp(`# .*${reason.replace(/[()]/g, "\\$&")}`));
    }
    assert.deepEqual(manifests.tasksOf(manifestOf([]))[0]?.args, { from: { adoptTaskId: "novels" } });
  });

  it("are the same for every form in which services show properties", () => {
    const values = { Url: "https://shop.test/", Wait: 2 };
    const base = { actionType: "NavigateAction", actionId: "open" };
    const [list, map, flat] = [open(values), { ...base, properties: values }, { ...base, ...values, name: "Open" }].map(
      (shown) => actionsOf(manifestOf([shown])),
    );
    assert.deepEqual(list?.open?.properties, { Url: "https://shop.test/", Wait: "2" });
    assert.deepEqual(map, list);
    assert.deepEqual(flat, list);
  });

  it("are not written where nothing changes, and not over a file that has appeared since", async () => {
    mkdirSync(join(folder, "tasks"));
    const plan = (): AdoptedFiles["files"] => files([each(many(21))], { out: "tasks" }).files;
    const first = plan();
    await writeFiles(first, folder);
    await assert.rejects(writeFiles(first, folder), /"tasks\/novels.yaml" cannot be written/);
    assert.deepEqual(
      plan().map(({ present }) => present),
      ["same", "same"],
    );
    const written = () =>
      ["novels.yaml", "items/novels-each.txt"].map((name) => statSync(join(folder, "tasks", name)).ino);
    const before = written();
    await writeFiles(plan(), folder);
    assert.deepEqual(written(), before);
    writeFileSync(join(folder, "tasks/novels.yaml"), "mine");
    assert.deepEqual(
      plan().map(({ present }) => present),
      ["other", "same"],
    );
    await writeFiles(plan(), folder);
    assert.equal(written()[1], before[1]);
    assert.match(readFileSync(join(folder, "tasks/novels.yaml"), "utf8"), /adoptTaskId/);
  });

  it("refuse targets that contradict each other", () => {
    const problem = (target: Partial<AdoptTarget>): string | undefined => targetProblem({ folder, ...target });
    assert.match(problem({ itemsDir: "items" }) ?? "", /--items-dir needs --out/);
    assert.match(problem({ out: "a.ts", language: "yaml" }) ?? "", /"a\.ts", whose ending must be \.yaml\./);
    assert.match(problem({ out: "a.yml", language: "typescript" }) ?? "", /"a\.yml", whose ending must be \.ts\./);
    writeFileSync(join(folder, "a.txt"), "");
    assert.match(problem({ out: "a.txt" }) ?? "", /"a\.txt", whose ending must be \.yaml or \.ts\./);
    for (const out of ["books.js", "tasks.json", "main.py", "Main.go"]) {
      assert.match(problem({ out }) ?? "", /^--out names the file ".*", whose ending must be \.yaml or \.ts\.$/);
    }
    assert.equal(problem({ out: "tasks.d" }), undefined);
    assert.equal(problem({ out: "a.ts" }), undefined);
    assert.equal(problem({ out: "folder", language: "typescript" }), undefined);
  });
});
