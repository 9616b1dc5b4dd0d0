import assert from "node:assert/strict";
import MarkdownIt from "markdown-it";
import { slowIt } from "../../test/environment";
import fc from "../../test/fastCheck";
import { harmlessValues, hostileStrings, secretValues } from "../../test/hostile";
import { planReport, propertyChanges, readPlan } from "./internals/planReport";

type Inputs = Record<string, unknown>;

const urnOf = (type: string, name: string): string =>
  `urn:pulumi:dev::test::pulumi-nodejs:dynamic/webextract:${type}::${name}`;

interface Given {
  op?: string;
  type?: string;
  name?: string;
  id?: string;
  old?: Inputs;
  now?: Inputs;
  [other: string]: unknown;
}

function step({ op = "update", type = "ExtractionTask", name = "novels", id, old, now, ...rest }: Given): Inputs {
  const provider = { __provider: "exports.handler=()=>1" };
  return {
    op,
    urn: urnOf(type, name),
    ...(old && { oldState: { id, inputs: { ...provider, ...old } } }),
    ...(now && { newState: { inputs: { ...provider, ...now } } }),
    ...rest,
  };
}

const report = (steps: Inputs[], rest: Inputs = {}): string => planReport(readPlan(JSON.stringify({ steps, ...rest })));
const actions = (properties: Inputs, loop?: Inputs): Inputs => ({
  from: { adoptTaskId: "novels" },
  actions: { open: { actionType: "NavigateAction", properties, ...(loop && { loop }) } },
});
const loop = (items: string[]): Inputs => ({
  loopType: "UrlList",
  items: items.map((item) => `${item}\n`).join(""),
  count: items.length,
  sha256: `${items.length}`.padStart(64, "0"),
});

describe("the report of a plan", () => {
  it("shows the old and the new value of each property, and lists by what was added and removed", () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `https://shop.test/${index}`);
    const text = report([
      step({ op: "same", name: "other", old: {}, now: {} }),
      step({
        id: "task-1",
        old: actions({ Url: "https://a.test/", Wait: "1", Gone: "x" }, loop(many)),
        now: actions({ Url: "https://b.test/", Wait: "1", New: "" }, loop(["first", ...many.slice(4)])),
      }),
    ]);
    assert.equal(
      text,
      `## Preview

1 to update.

### Task \`novels\` (\`task-1\`)

**update** ExtractionTask \`novels\`

| property | old | new |
|---|---|---|
| \`actions.open.properties.Url\` | \`https://a.test/\` | \`https://b.test/\` |
| \`actions.open.properties.Gone\` | \`x\` |  |
| \`actions.open.properties.New\` |  | \`""\` |
| \`actions.open.loop.items\` | | +1 / -4<br>\`+ first\`<br>\`- https://shop.test/0\`<br>\`- https://shop.test/1\`<br>\`- https://shop.test/2\`<br>… and 1 more |
`,
    );
  });

  it("shows the number of lines and the digest of a list in a file, and a list in another order as that", () => {
    const file = (count: number): Inputs => ({
      file: "urls.txt",
      count,
      sha256: `${count}`.repeat(64),
      hosts: [`h${count}`],
    });
    const text = report([
      step({
        old: { ...actions({}, loop(["a", "b"])), startUrls: file(1) },
        now: { ...actions({}, loop(["b", "a"])), startUrls: file(2) },
      }),
    ]);
    assert.match(text, /`startUrls\.count` \| `1` \| `2`/);
    assert.match(text, /`startUrls\.sha256` \| `1{64}` \| `2{64}`/);
    assert.match(text, /items` \| \| the same lines in another order/);
    assert.doesNotMatch(text, /actions\S*(?:sha256|count)/);
  });

  it("shows long values and lines that begin alike from shortly before they differ", () => {
    const path = "//div[@class='container']".repeat(8);
    const list = (end: string): string[] => [`https://shop.test/${"a".repeat(200)}/${end}`];
    const text = report([
      step({
        old: actions({ Selector: `${path}/ul`, Short: "//ul/li[1]" }, loop(list("1"))),
        now: actions({ Selector: `${path}/ol`, Short: "//ul/li[2]" }, loop(list("2"))),
      }),
    ]);
    assert.deepEqual(text.match(/^\| `actions.*$/gm), [
      "| `actions.open.properties.Selector` | `…@class='container']/ul` | `…@class='container']/ol` |",
      "| `actions.open.properties.Short` | `//ul/li[1]` | `//ul/li[2]` |",
      `| \`actions.open.loop.items\` | | +1 / -1<br>\`+ …${"a".repeat(19)}/2\`<br>\`- …${"a".repeat(19)}/1\` |`,
    ]);
  });

  it("shows what differs in a line break at the end, in the type, in a digest of the user or in an empty map", () => {
    const text = report([
      step({ old: actions({ Script: "a\nb" }), now: actions({ Script: "a\nb\n" }) }),
      step({
        type: "CloudRun",
        old: { triggers: { sha256: "1", count: 1, version: "2" } },
        now: { triggers: { sha256: "3", count: 2, version: 2, empty: {} } },
      }),
    ]);
    assert.deepEqual(text.match(/^\| `.*$/gm), [
      "| `actions.open.properties.Script` | `a⏎b` | `a⏎b⏎` |",
      "| `triggers.sha256` | `1` | `3` |",
      "| `triggers.count` | `1` | `2` |",
      '| `triggers.version` | `"2"` | `2` |',
      "| `triggers.empty` |  | `{}` |",
    ]);
  });

  it("groups what belongs to a task: by its resource, by its id, and before the task exists", () => {
    const run = { propertyDependencies: { taskId: [urnOf("TaskCopy", "new")] } };
    const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
    const text = report([
      step({ op: "same", type: "TaskCopy", name: "novels", id: "task-1", old: {} }),
      step({ op: "create", type: "CloudRun", name: "ofNovels", now: { taskId: "task-1" } }),
      { ...step({ op: "create", type: "CloudRun", name: "ofNew" }), newState: { inputs: { taskId: unknown }, ...run } },
      step({ op: "create", type: "DataExport", name: "ofOther", now: { taskId: "task-9", path: "x" } }),
      { op: "create", urn: "urn:pulumi:dev::test::random:index/id:Id::id", newState: { inputs: { a: unknown } } },
      step({ op: "create", type: "TaskCopy", name: "new", now: { sourceTaskId: "s" } }),
    ]);
    const headings = [...text.matchAll(/^### (.*)$|^\*\*create\*\* (.*)$/gm)].map(([, title, line]) => title ?? line);
    assert.deepEqual(headings, [
      ...["Task `new`", "CloudRun `ofNew`", "TaskCopy `new`"],
      ...["Task `novels`", "CloudRun `ofNovels`"],
      ...["Task `task-9`", "DataExport `ofOther`"],
      ...["Other resources", "`random:index/id:Id` `id`"],
    ]);
    assert.match(text, /`taskId` \| {2}\| `\(known after the up\)`/);
  });

  it("calls a task that no resource of the plan declares by its id, not by a configuration with the same id", () => {
    const config = { taskId: "task-1", actions: {} };
    const text = report(
      ["one", "two"].map((name) =>
        step({ type: "TaskActionConfig", name, id: "task-1", old: config, now: { ...config, onDelete: "restore" } }),
      ),
    );
    assert.deepEqual(text.match(/^###.*$/gm), ["### Task `task-1`"]);
  });

  it("begins with removed rows and paid runs", () => {
    const copy = { sourceTaskId: "s", taskGroupId: "g" };
    const text = report([
      step({ op: "delete", type: "TaskCopy", name: "gone", id: "task-1", old: copy }),
      step({ op: "delete", name: "forced", id: "task-2", old: { from: copy, forceDestroy: true } }),
      step({ op: "delete", name: "kept", old: { from: copy, onDelete: "retain" } }),
      step({ op: "delete", name: "adopted", old: { from: { adoptTaskId: "x" } } }),
      {
        ...step({ op: "delete", type: "TaskCopy", name: "retained" }),
        oldState: { inputs: copy, retainOnDelete: true },
      },
      {
        ...step({ op: "delete", type: "DataExport", name: "rows" }),
        oldState: { inputs: { path: "{lotNo}.csv", onDelete: "removeFile" }, outputs: { file: "7.csv" } },
      },
      step({ op: "delete", type: "DataExport", name: "other", old: { path: "r.csv", onDelete: "removeFile" } }),
      step({
        op: "create-replacement",
        type: "CloudRun",
        name: "again",
        old: {},
        now: {},
        replaceReasons: ["triggers"],
      }),
      step({ op: "replace", type: "CloudRun", name: "again", old: { onDelete: "stop" }, now: {} }),
      step({ op: "delete-replaced", type: "CloudRun", name: "again", old: {} }),
      step({ op: "create", type: "CloudRun", name: "known", now: { adoptLotNo: "1" } }),
      step({ op: "update", type: "CloudSubtasks", name: "parts", old: {}, now: { desired: "started" } }),
    ]);
    const [, warnings = ""] = /> \[!WARNING\]\n((?:>.*\n)*)/.exec(text) ?? [];
    assert.deepEqual(warnings.trim().split("\n"), [
      "> - TaskCopy `gone` removes the rows of task `task-1`; the up fails if there are any, unless forceDestroy allows it.",
      "> - ExtractionTask `forced` removes all rows of task `task-2`.",
      "> - CloudRun `again` starts a run, which may cost money, because `triggers` changed.",
      "> - CloudSubtasks `parts` starts subtasks, which may cost money.",
      "> - DataExport `rows` removes the file `7.csv`.",
      "> - DataExport `other` removes the file `r.csv`.",
    ]);
    assert.match(text, /^1 to adopt, 1 to update, 1 to replace, 7 to delete\.$/m);
  });

  it("says that an import starts no run", () => {
    const text = report([step({ op: "import", type: "CloudRun", name: "found", now: { taskId: "task-1" } })]);
    assert.match(text, /^1 to import\.$/m);
    assert.doesNotMatch(text, /may cost money/);
  });

  it("deletes and replaces no resource in whose place an earlier up has left one to be deleted", () => {
    const from = { sourceTaskId: "s", taskGroupId: "g" };
    const left = step({ op: "delete-replaced", id: "task-1", old: { from } });
    assert.match(report([left]), /No changes\./);
    const text = report([step({ id: "task-2", old: { from }, now: { from, onDelete: "retain" } }), left]);
    assert.match(text, /^1 to update\.$/m);
    assert.match(text, /^### Task `novels` \(`task-2`\)$/m);
  });

  it("names no file that is a secret", () => {
    const secret = { "4dabf18193072939515e22adb298388d": "x" };
    const removed = (path: unknown): Inputs => ({
      ...step({ op: "delete", type: "DataExport" }),
      oldState: { inputs: { path, onDelete: "removeFile" }, outputs: { file: secret } },
    });
    assert.match(report([removed("{lotNo}.csv")]), /^> - DataExport `novels` removes the file `\{lotNo\}\.csv`\.$/m);
    assert.match(report([removed(secret)]), /^> - DataExport `novels` removes its file\.$/m);
  });

  it("cuts no character in half, and keeps no whole text beside changed lines", () => {
    for (const before of ["", "x"]) {
      const long = `${before}${"📚".repeat(100)}`;
      const text = report([step({ old: actions({ V: `${long}📕` }), now: actions({ V: `${long}📗` }) })]);
      assert.match(text, /\| `…(?:📚){10}📕` \| `…(?:📚){10}📗` \|/);
      const odd = report([step({ old: actions({ V: `${long}a1` }), now: actions({ V: `${long}a2` }) })]);
      assert.match(odd, /\| `…(?:📚){10}a1` \| `…(?:📚){10}a2` \|/);
    }
    const [change] = readPlan(
      JSON.stringify({ steps: [step({ old: { urls: "a\nb" }, now: { urls: "a\nc" } })] }),
    ).changes;
    assert.deepEqual(change && propertyChanges(change), [
      { path: "urls", lines: { added: 1, removed: 1, examples: ["+ c", "- b"] } },
    ]);
  });

  it("shows a message once that the engine repeats", () => {
    const message = { severity: "warning", message: "warning: again" };
    assert.equal(report([], { diagnostics: [message, message] }).match(/again/g)?.length, 1);
  });

  it("names the label of a run, and not one that an earlier run had", () => {
    const run = (name: string, old: string | undefined, now: string | undefined, replaceReasons?: string[]): Inputs =>
      step({
        op: old === undefined ? "create" : "replace",
        type: "CloudRun",
        name,
        ...(old !== undefined && { old: { runLabel: old, __runLabels: [old] } }),
        now: { runLabel: now, __runLabels: [old, now] },
        replaceReasons,
      });
    const text = report([
      run("first", undefined, "a"),
      run("next", "a", "b", ["runLabel"]),
      run("both", "a", "b", ["triggers", "runLabel"]),
      run("trigger", "a", "a", ["triggers"]),
    ]);
    assert.deepEqual(text.match(/^> - .*$/gm), [
      "> - CloudRun `first` starts a run under the label `a`, which may cost money.",
      "> - CloudRun `next` starts a run under the label `b`, which may cost money.",
      "> - CloudRun `both` starts a run under the label `b`, which may cost money, because `triggers` changed.",
      "> - CloudRun `trigger` starts a run, which may cost money, because `triggers` changed.",
    ]);
    assert.match(text, /\| `runLabel` \| `a` \| `b` \|/);
    assert.doesNotMatch(text, /__runLabels/);
  });

  it("never shows a secret, and shows that it changes", () => {
    const sealed = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", plaintext: '"hidden-1"' };
    const old = { Cookie: "[secret]", Sealed: sealed, Password: "hidden-2", Url: "https://me:hidden-3@a.test/" };
    const now = { ...old, Sealed: "x", Password: "hidden-4", Url: "https://b.test/?token=hidden-5" };
    const text = report([
      step({
        old: actions(old, loop(["https://a.test/?token=hidden-6"])),
        now: actions(now, loop(["b"])),
        detailedDiff: { "actions.open.properties.Cookie": { kind: "update" }, 'actions["a.b"]': {}, "from[0]": {} },
      }),
    ]);
    assert.doesNotMatch(text, /hidden|plaintext/);
    assert.match(text, /properties\.Cookie` \| `\[secret\]` \| `\[secret\]`/);
    assert.match(text, /properties\.Sealed` \| `\[secret\]` \| `\[secret\]`/);
  });

  it("hides a number with the name of a secret", () => {
    const text = report([step({ old: { triggers: { password: 12_345 } }, now: { triggers: { password: 54_321 } } })]);
    assert.doesNotMatch(text, /12345|54321/);
  });

  it("never shows a value of a secret's shape, wherever it stands, and shows harmless values", () => {
    const entries = Object.values(secretValues);
    const named = Object.fromEntries(
      entries.map(({ name = "Value", value }, index) => [`x${index}`, { [name]: value }]),
    );
    const values = entries.filter(({ name }) => name === undefined).map(({ value }) => value);
    const text = [
      report([step({ old: {}, now: { given: named } })]),
      ...entries.map(({ name = "Value", value }) => report([step({ old: {}, now: { [name]: value } })])),
      ...values.map((value) =>
        report(
          [
            step({
              name: value,
              old: actions({}, loop([value])),
              now: actions({ [value]: "x" }, loop([`a ${value}`])),
            }),
            step({ type: "CloudRun", op: "create", now: { runLabel: value }, replaceReasons: [value] }),
          ],
          { diagnostics: [{ severity: "error", message: `failed: ${value}` }] },
        ),
      ),
    ].join("\n");
    for (const { value, secret } of entries) {
      assert.ok(
        !text.includes(secret),
        `${value} in ${text
          .split("\n")
          .filter((line) => line.includes(secret))
          .join("\n")}`,
      );
    }
    for (const { name = "Value", value } of harmlessValues.filter(({ value: each }) => /^[\w./ -]+$/.test(each))) {
      const shown = report([step({ old: {}, now: { [name]: value } })]);
      assert.ok(shown.includes(`| \`${value}\` |`), shown);
    }
  });

  it("shows properties with names that every object inherits", () => {
    for (const name of ["__proto__", "toString", "constructor", "hasOwnProperty"]) {
      const text = report([step({ old: actions({}), now: actions({ [name]: "x" }), op: "toString" })]);
      assert.match(text, new RegExp(`properties\\.${name}\` \\|  \\| \`x\` \\|`));
      assert.doesNotMatch(text, /native code/);
    }
  });

  describe("in a comment of a pull request", () => {
    const markdown = new MarkdownIt({ html: true, linkify: true });
    markdown.linkify.set({ fuzzyEmail: true, fuzzyLink: true }).add("ftp:", "https:").add("xmpp:", "mailto:");

    /** What is shown, without what stands in code, where nothing comes alive. */
    const aliveIn = (text: string): string => markdown.render(text).replace(/<code>[^<]*<\/code>/g, "");
    const codeIn = (text: string): string[] =>
      [...markdown.render(text).matchAll(/<code>([^<]*)<\/code>/g)].map(([, shown = ""]) => shown);

    const everywhere = (foreign: string): string =>
      report(
        [
          step({
            name: foreign,
            op: foreign,
            old: actions({ [foreign]: "x", V: foreign }, loop([foreign])),
            now: actions({ V: `${foreign}2` }, loop([`${foreign}3`])),
          }),
          step({ type: foreign, op: "create", now: { a: foreign } }),
          step({ type: "TaskCopy", op: "delete", name: foreign, id: foreign, old: { sourceTaskId: foreign } }),
          step({ type: "DataExport", op: "delete", old: { path: foreign, onDelete: "removeFile" } }),
          step({ type: "CloudRun", op: "create", now: { runLabel: foreign, taskId: foreign } }),
          step({ type: "CloudRun", op: "replace", old: {}, now: { x: foreign }, replaceReasons: [foreign] }),
        ],
        { diagnostics: [{ severity: "error", message: foreign }] },
      );

    const isInert = (foreign: string): void => {
      const text = everywhere(foreign);
      const alive = aliveIn(text);
      const tags = new Set([...alive.matchAll(/<\/?([^ >]*)[^>]*>/g)].map(([, tag]) => tag));
      const own = "h2 h3 p blockquote ul li table thead tbody tr th td br strong".split(" ");
      assert.deepEqual(
        [...tags].filter((tag) => !own.includes(tag ?? "")),
        [],
        text,
      );
      assert.doesNotMatch(alive, /@|https?:|www\.|evil|forged|octo/i, text);
      for (const [row] of alive.matchAll(/<tr>[\s\S]*?<\/tr>/g)) {
        assert.equal(row.match(/<t[dh]>/g)?.length, 3, row);
      }
    };

    for (const { what, text } of hostileStrings) {
      it(`shows ${what} as code`, () => {
        isInert(text);
      });
    }

    it("shows any mix of signs as code, and each value as it is", () => {
      const sign = fc.constantFrom(
        ..."`|\\<>@[]()*_~#!$&;:/ ab\n-".split(""),
        "``",
        "\\|",
        "https://a.test",
        "@me",
        "&lt;",
      );
      fc.assert(fc.property(fc.string({ unit: sign, maxLength: 30 }), (foreign) => isInert(`${foreign}`)));
      fc.assert(
        fc.property(fc.string({ unit: sign, minLength: 1, maxLength: 30 }), (value) => {
          fc.pre(!value.includes("\n") && !value.includes("://"));
          const escaped = markdown.utils.escapeHtml(value);
          assert.ok(codeIn(report([step({ old: {}, now: { given: value } })])).includes(escaped), value);
        }),
      );
    });
  });

  it("shows a changed secret whose name is the beginning of another changed name, and names with two underscores", () => {
    const secret = (name: string): Inputs => ({ [name]: { "4dabf18193072939515e22adb298388d": "x" } });
    const text = report([
      step({
        old: { open: secret("a"), open2: "1", toString2: "1", given: { __inner: "1" } },
        now: { open: secret("a"), open2: "2", toString2: "1", given: { __inner: "2" } },
        detailedDiff: { open: { kind: "update" }, open2: { kind: "update" }, "given.toString": { kind: "update" } },
      }),
    ]);
    assert.match(text, /\| `open` \| `.*\[secret\].*` \| `.*\[secret\].*` \|/);
    assert.match(text, /\| `open2` \| `1` \| `2` \|/);
    assert.match(text, /\| `given.__inner` \| `1` \| `2` \|/);
    assert.doesNotMatch(text, /native code|toString`/);
  });

  it("calls an adoption so, and sorts tasks by their names", () => {
    const text = report([
      ...["t10", "t9"].map((name) => step({ op: "create", name, now: { from: { adoptTaskId: name } } })),
      step({ op: "create", type: "TaskCopy", name: "copy", now: { sourceTaskId: "s", adoptTaskId: "c" } }),
      step({ op: "create", type: "CloudRun", name: "run", now: { taskId: "t9", adoptLotNo: "1" } }),
      step({ op: "create", name: "made", now: { from: { sourceTaskId: "s" } } }),
    ]);
    assert.match(text, /^4 to adopt, 1 to create\.$/m);
    assert.deepEqual(text.match(/^\*\*.*$/gm), [
      "**adopt** TaskCopy `copy`: changes only values that differ",
      "**create** ExtractionTask `made`",
      "**adopt** ExtractionTask `t9`: changes only values that differ",
      "**adopt** CloudRun `run`: starts nothing",
      "**adopt** ExtractionTask `t10`: changes only values that differ",
    ]);
  });

  it("shows what is removed beside any number of runs, and counts in words what does not fit", () => {
    const runs = Array.from({ length: 1_200 }, (_, index) =>
      step({ name: `run-${index}`, type: "CloudRun", op: "create", now: { taskId: "t", note: "x".repeat(80) } }),
    );
    const removed = step({
      name: "precious",
      type: "TaskCopy",
      op: "delete",
      id: "task-1",
      old: { onDelete: "removeData", forceDestroy: true },
    });
    const text = report([...runs, removed]);
    assert.match(text, /^> - TaskCopy `precious` removes all rows of task `task-1`\.$/m);
    assert.match(text, /^> - … and \d+ more starts that may cost money\.$/m);
    assert.match(text, /^\d+ more changes: \d+ to create\. Run/m);
  });

  slowIt("has at most 60,000 characters, however large the plan is", () => {
    const long = "ä|`\\".repeat(300);
    const wide = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`${long}${index}`, long]));
    const large = [
      Array.from({ length: 200 }, (_, index) =>
        step({ name: `${long}${index}`, old: actions({ a: "1" }), now: actions({ a: long }) }),
      ),
      Array.from({ length: 500 }, (_, index) =>
        step({ name: `n${index}`, type: "CloudRun", op: "create", now: { taskId: "t", triggers: long } }),
      ),
      Array.from({ length: 3 }, (_, index) =>
        step({ name: `n${index}`, old: actions(wide), now: actions({ b: "2" }) }),
      ),
      [
        step({
          old: actions({}, loop([long])),
          now: actions({}, loop(Array.from({ length: 200_000 }, (_, index) => `${index}`))),
        }),
      ],
    ];
    for (const steps of large) {
      const diagnostics = Array.from({ length: 100 }, () => ({ severity: "warning", message: long.repeat(10) }));
      const text = report(steps, { diagnostics });
      assert.ok(text.length <= 60_000, `${text.length}`);
      assert.ok(steps.length < 100 || /\d+ more changes: [\w, ]+\. Run `pulumi preview --diff`/.test(text));
    }
  });

  it("reads a plan behind what other steps have written to the same output", () => {
    const plan = { steps: [step({ op: "create", now: { a: 1 } })] };
    const whole = planReport(readPlan(JSON.stringify(plan)));
    const installed = 'Installing dependencies for policy pack...\n\nadded 3 packages {in} 2s\n{"level":"info"} done\n';
    for (const indent of [0, 4]) {
      assert.equal(planReport(readPlan(`${installed}${JSON.stringify(plan, null, indent)}\n`)), whole);
    }
  });

  it("reads plans with unknown steps, fields and values", () => {
    assert.match(report([]), /No changes\./);
    assert.match(planReport(readPlan('{"changeSummary":{},"steps":null,"future":1}')), /No changes\./);
    assert.match(report([], { diagnostics: [{ severity: "error", message: "no" }] }), /The preview failed\./);
    assert.match(report([{ op: "teleport", urn: "urn" }]), /1 to teleport/);
    for (const text of ["", "x", "[]", "null", "1", "{}", '{"steps":[{}]}', '{"type":"a"}\n{"type":"b"}']) {
      assert.throws(() => readPlan(text), /is not the output of "pulumi preview --json"/);
    }
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.jsonValue(),
            fc.record({
              op: fc.constantFrom("update", "replace", "x"),
              urn: fc.oneof(fc.string(), fc.constant(urnOf("CloudRun", "a"))),
              oldState: fc.jsonValue(),
              newState: fc.record({ inputs: fc.jsonValue(), propertyDependencies: fc.jsonValue() }),
              detailedDiff: fc.jsonValue(),
              replaceReasons: fc.jsonValue(),
            }),
          ),
        ),
        (steps) => {
          assert.ok(report([{ op: "same", urn: "urn" }, ...(steps as Inputs[])]).startsWith("## Preview"));
        },
      ),
    );
  });
});
