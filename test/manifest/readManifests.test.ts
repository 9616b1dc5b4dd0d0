// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests have variables

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { isLarge } from "../environment";
import fc, { runs } from "../fastCheck";
import type { Manifests } from "../internals/manifest";
import { anyVariables, globIn, readInSteps, readManifests } from "../internals/manifest";
import { Later, ManifestFolder } from "./manifestFolder";

const from = "from: { adoptTaskId: t }\n";

function openOf(task: Manifests["tasks"][number] | undefined): { properties: unknown } {
  const actions = task?.args.actions as { open: { properties: unknown } };
  return actions.open;
}

describe("reading manifests", () => {
  const folder = new ManifestFolder();
  after(() => folder.remove());

  const properties = (text: string, variables?: Record<string, unknown>): unknown => {
    const [task] = folder.tasksOf(`${from}actions: { open: { actionType: A, properties: ${text} } }\n`, variables);
    return openOf(task).properties;
  };

  it("refuses two exports with one file, in whichever spelling, and accepts one file for each run", () => {
    const problemsOf = (files: Record<string, string>): string[] => {
      folder.write(files);
      return folder.read().problems.map(({ file, line, path, reason }) => `${file}:${line} ${path} ${reason}`);
    };
    const one = (path: string, more = ""): string => `${from}run: {}\nexports: { rows: { path: "${path}" }${more} }\n`;
    const shared = (file: string, other: string): string =>
      `path leads to "${folder.path}/${file}", which is the file of export "${other}" too: give each export a file of its own`;
    assert.deepEqual(problemsOf({ "a.yaml": one("rows/x.ndjson"), "b.yaml": one("./rows//x.ndjson") }), [
      `b.yaml:3 exports.rows ${shared("rows/x.ndjson", "a-rows")}`,
    ]);
    assert.deepEqual(problemsOf({ "a.yaml": one("{lotNo}.ndjson", ', more: { path: "./{lotNo}.ndjson" }') }), [
      `a.yaml:3 exports.more ${shared("{lotNo}.ndjson", "a-rows")}`,
    ]);
    assert.deepEqual(problemsOf({ "a.yaml": one("{lotNo}.ndjson"), "b.yaml": one("{lotNo}.ndjson") }), []);
    assert.deepEqual(problemsOf({ "a.yaml": one("{n}.ndjson"), "b.yaml": one("{n}.ndjson") }), []);
  });

  describe("the type of a value", () => {
    it("is a string as written where a string belongs", () => {
      const written = [
        ...["2", "012", "1.10", "1_000", "0x1F", "1e3", "639308323497897245", ".5", "+1"],
        ...["no", "yes", "on", "true", "False", "2024-01-01", "12:30:45", "=", "<<x", ".inf", "NaN"],
      ];
      const list = Object.fromEntries(written.map((each, index) => [`p${index}`, each]));
      const text = Object.entries(list).map(([name, each]) => `${name}: ${each}`);
      assert.deepEqual(properties(`{ ${text.join(", ")} }`), list);
    });

    it("is a string for keys, choices, ids and items of lists", () => {
      const [task] = folder.tasksOf(
        "from: { sourceTaskId: 012, taskGroupId: 1_0 }\nretry: no\n" +
          "actions: { 012: { actionType: 1.0, loop: { loopType: on, items: [012, 1.10, no, 2024-01-01] } } }\n" +
          "exports: { 1: { path: 1.0, lotNo: 639308323497897245 } }\n",
      );
      assert.deepEqual(task?.args, {
        from: { sourceTaskId: "012", taskGroupId: "1_0" },
        retry: "no",
        actions: {
          "012": { actionType: "1.0", loop: { loopType: "on", items: ["012", "1.10", "no", "2024-01-01"] } },
        },
      });
      assert.deepEqual(
        task?.exports.map(({ name, args }) => [name, args]),
        [["novels-1", { scope: "batch", path: "1.0", lotNo: "639308323497897245" }]],
      );
    });

    it("is that of the argument in the checks of an export", () => {
      const [task] = folder.tasksOf(
        `${from}run: {}\nexports:\n  rows:\n    path: x\n    checks:\n      minRows: 10\n      fields: { price: { filled: 0.95, type: number, unique: true } }\n      onFail: warn\n`,
      );
      assert.deepEqual(task?.exports[0]?.args.checks, {
        minRows: 10,
        fields: { price: { filled: 0.95, type: "number", unique: true } },
        onFail: "warn",
      });
    });

    it("is that of the string for quoted, folded and literal scalars", () => {
      const text = '{ a: "1", b: \'no\', c: "", d: !!str 12, e: "x\\ty", f: two\n words }';
      assert.deepEqual(properties(text), { a: "1", b: "no", c: "", d: "12", e: "x\ty", f: "two words" });
      const block = "\n      a: |\n        1\n        2\n      b: >-\n        1\n        2";
      const [task] = folder.tasksOf(`${from}actions:\n  open:\n    actionType: A\n    properties:${block}\n`);
      assert.deepEqual(openOf(task).properties, { a: "1\n2\n", b: "1 2" });
    });

    it("has the escapes and line breaks of quoted strings resolved", () => {
      const parts = [
        "a",
        " ",
        "\\n",
        '\\"',
        "\\\\",
        "\\u00e9",
        "\\\n  ",
        "\n  ",
        "\r\n  ",
        "\n\n  ",
        "é",
        "😀",
        "#",
        ": ",
        "'",
      ];
      const content = fc.array(fc.constantFrom(...parts)).map((all) => all.join(""));
      fc.assert(
        fc.property(content, fc.constantFrom("", "!!str ", "&a ", "&a !!str\n   "), (text, before) => {
          const scalar = `${before}"${text}"`;
          assert.deepEqual(properties(`{ a: ${scalar} }`), { a: parse(`{ a: ${scalar} }`).a });
        }),
      );
    });

    it("is a number or a boolean only where one belongs", () => {
      const [task] = folder.tasksOf(
        `${from}forceDestroy: True\nopts: { protect: false }\nrun: { timeoutSeconds: 0.5, pollSeconds: 7 }\n`,
      );
      assert.equal(task?.args.forceDestroy, true);
      assert.deepEqual(task?.opts, { protect: false });
      assert.deepEqual(task?.run?.args, { timeoutSeconds: 0.5, pollSeconds: 7 });
    });

    it("is a string with the tag of one, also where any value can stand", () => {
      const [task] = folder.tasksOf(`${from}run: { triggers: { a: !!str 1, b: !!str true, c: !!str null } }\n`);
      assert.deepEqual(task?.run?.args.triggers, { a: "1", b: "true", c: "null" });
    });

    it("is under triggers what reads back as written", () => {
      const given = '{ a: 1, b: 1.10, c: 012, d: true, e: no, f: ~, g: 639308323497897245, h: "1", i: [0.5, -2, 1e3] }';
      const [task] = folder.tasksOf(`${from}run: { triggers: ${given} }\n`);
      assert.deepEqual(task?.run?.args.triggers, {
        ...{ a: 1, b: "1.10", c: "012", d: true, e: "no", f: null, g: "639308323497897245", h: "1" },
        i: [0.5, -2, "1e3"],
      });
    });
  });

  describe("the name of a task", () => {
    const names = (paths?: string | string[], variables?: Record<string, unknown>): string[] =>
      folder.tasks(paths, variables).map(({ name }) => name);

    it("is that of its file, what it says itself, or its key", () => {
      folder.write({
        "a.yaml": from,
        "b.yml": `name: \${prefix}-own\n${from}`,
        "c.yaml": `tasks: { 1: { ${from.trim()} }, two: { ${from.trim()} } }\n---\n${from}---\nname: last\n${from}---\n`,
      });
      assert.deepEqual(names(".", { prefix: "my" }), ["a", "my-own", "1", "two", "c", "last"]);
    });

    it("is followed by that of the run and the exports, and so are earlier names", () => {
      const urn = "urn:pulumi:dev::p::pulumi-nodejs:dynamic/webextract:ExtractionTask::old";
      const [task] = folder.tasksOf(
        `${from}was: [tales, "${urn}"]\nrun: { was: [start] }\nexports: { rows: { path: x, was: [data, "${urn}"] }, all: { path: y, scope: all } }\n`,
      );
      assert.deepEqual([task?.name, task?.was], ["novels", ["tales", urn]]);
      assert.deepEqual([task?.run?.name, task?.run?.was], ["novels", ["tales", "start"]]);
      assert.deepEqual(
        task?.exports.map(({ name, was }) => [name, was]),
        [
          ["novels-rows", ["novels-data", "tales-rows", "tales-data", urn]],
          ["novels-all", ["tales-all"]],
        ],
      );
    });
  });

  describe("defaults", () => {
    it("merge maps, and give way to lists, single values and nulls", () => {
      folder.write({
        "all.yaml": `
defaults:
  from: { sourceTaskId: s, taskGroupId: g }
  actions: { open: { actionType: A, properties: { Url: x, Wait: 1 } } }
  startUrls: { urls: [http://a, http://b] }
  run: { waitFor: finished }
tasks:
  plain:
  other:
    from: { taskGroupId: h }
    actions: { open: { properties: { Url: y } }, next: { actionType: B, properties: { Max: 2 } } }
    startUrls: { urls: [http://c] }
    run: ~
`,
      });
      const [plain, other] = folder.tasks();
      const open = { actionType: "A", properties: { Url: "x", Wait: "1" } };
      assert.deepEqual(plain?.args, {
        from: { sourceTaskId: "s", taskGroupId: "g" },
        actions: { open },
        startUrls: { urls: ["http://a", "http://b"] },
      });
      assert.deepEqual(plain?.run?.args, { waitFor: "finished" });
      assert.deepEqual(other?.args, {
        from: { sourceTaskId: "s", taskGroupId: "h" },
        actions: {
          open: { actionType: "A", properties: { Url: "y", Wait: "1" } },
          next: { actionType: "B", properties: { Max: "2" } },
        },
        startUrls: { urls: ["http://c"] },
      });
      assert.equal(other?.run, undefined);
    });

    it("give way to a null in place of an action, a property or an export", () => {
      const [task] = folder.tasksOf(`
defaults:
  from: { adoptTaskId: t }
  actions:
    open: { actionType: A, properties: { Url: x, Wait: 1 } }
    next: { actionType: B, properties: { Max: 2 } }
  exports: { rows: { path: a, scope: all }, more: { path: b, scope: all } }
tasks:
  novels:
    actions: { open: { properties: { Wait: null } }, next: ~ }
    exports: { rows: }
`);
      assert.deepEqual(task?.args.actions, { open: { actionType: "A", properties: { Url: "x" } } });
      assert.deepEqual(
        task?.exports.map(({ name }) => name),
        ["novels-more"],
      );
      assert.throws(
        () => folder.tasksOf("defaults: { from: { adoptTaskId: t } }\ntasks: { a: { actions: { open: null } } }\n"),
        /tasks\.a\.actions\.open: must be a map; got nothing/,
      );
    });
  });

  describe("runs and exports", () => {
    it("run again with their task, unless the document says otherwise", () => {
      const rerunOn = (run: string): unknown => folder.tasksOf(`${from}run: ${run}\n`)[0]?.run?.rerunOn;
      assert.deepEqual(rerunOn("{}"), ["novels"]);
      assert.equal(rerunOn("{ triggers: 1 }"), undefined);
      assert.deepEqual(rerunOn("{ triggers: 1, rerunOn: [novels] }"), ["novels"]);
      assert.deepEqual(rerunOn("{ rerunOn: [] }"), []);
    });

    it("read the rows of the run, unless the export says otherwise", () => {
      const [task] = folder.tasksOf(
        `${from}run: {}\nexports: { a: { path: x }, b: { path: y, lotNo: 1 }, c: { path: z, scope: all } }\n`,
      );
      assert.deepEqual(
        task?.exports.map(({ readsRun, args }) => [readsRun, args]),
        [
          [true, { scope: "batch", path: "x" }],
          [false, { scope: "batch", path: "y", lotNo: "1" }],
          [false, { scope: "all", path: "z" }],
        ],
      );
    });
  });

  describe("variables", () => {
    it("replace a value with their own, and parts of a string", () => {
      const values = { shop: "https://a.test", pages: 2, on: true };
      assert.deepEqual(properties('{ A: "${shop}/x", B: "${pages}", C: "p${pages}${on}" }', values), {
        A: "https://a.test/x",
        B: "2",
        C: "p2true",
      });
      const [task] = folder.tasksOf(
        `${from}startUrls: { urls: "\${urls}" }\nrun: { timeoutSeconds: "\${t}", triggers: { at: "\${t}" } }\nforceDestroy: \${on}\n`,
        { urls: ["https://a.test"], t: 5, on: true },
      );
      assert.deepEqual(task?.args.startUrls, { urls: ["https://a.test"] });
      assert.equal(task?.args.forceDestroy, true);
      assert.deepEqual(task?.run?.args, { timeoutSeconds: 5, triggers: { at: 5 } });
    });

    it("stay outputs", () => {
      const token = new Later(["secret"]);
      const values = properties('{ A: "${token}", B: "Bearer ${token}!" }', { token }) as Record<string, Later>;
      assert.equal(values.A, token);
      assert.deepEqual(values.B?.parts, ["Bearer ", token, "!"]);
    });

    it("are not what stands behind $${", () => {
      const text = '{ A: "$${shop}", B: "a$${", C: "$$${shop}", D: "$shop }", "$${k}": "$$${shop}$${shop}" }';
      assert.deepEqual(properties(text, { shop: "s" }), {
        A: "${shop}",
        B: "a${",
        C: "$${shop}",
        D: "$shop }",
        "${k}": "$${shop}${shop}",
      });
    });

    it("do not come from the environment, and are not read twice", () => {
      folder.write({ "novels.yaml": `${from}retry: "\${HOME}"\n` });
      assert.deepEqual(
        folder.read().problems.map(({ path }) => path),
        ["retry"],
      );
      assert.deepEqual(properties('{ A: "${a}" }', { a: "${b}", b: "c" }), { A: "${b}" });
    });

    it("may have any name and value in a check without a program", () => {
      folder.write({
        "novels.yaml": `name: shop-\${n}\n${from}retry: "\${x}"\nforceDestroy: \${y}\nrun: { triggers: "a\${z}" }\n`,
      });
      const { tasks, problems } = readManifests({ paths: ["."], folder: folder.path, variables: anyVariables });
      assert.deepEqual(problems, []);
      assert.deepEqual(
        tasks.map(({ name }) => name),
        ["shop-${n}"],
      );
    });
  });

  describe("YAML", () => {
    it("may have anchors, aliases, merge keys, comments, a byte order mark and CRLF", () => {
      const text = `\ufefffrom: { adoptTaskId: t } # the task
actions:
  a: &a
    actionType: &type A
    properties: &common { Url: x, Wait: 1 }
  b: { <<: *a, actionType: *type }
  c: { actionType: C, properties: { <<: [{ Wait: 2 }, *common], Own: 3 } }
`.replaceAll("\n", "\r\n");
      const actions = folder.tasksOf(text)[0]?.args.actions;
      const properties = { Url: "x", Wait: "1" };
      assert.deepEqual(actions, {
        a: { actionType: "A", properties },
        b: { actionType: "A", properties },
        c: { actionType: "C", properties: { Url: "x", Wait: "2", Own: "3" } },
      });
    });

    it("may hold anchors in keys x-… at the top, of which nothing else is read", () => {
      const parts =
        'x-parts:\n  open: &open { actionType: A, properties: { Url: x } }\n  wrong: [*none, "${b"]\nx-: 1\n';
      const ofOne = folder.tasksOf(`${parts}${from}actions: { open: *open }\n`)[0]?.args;
      assert.deepEqual(ofOne?.actions, { open: { actionType: "A", properties: { Url: "x" } } });
      const [several] = folder.tasksOf(
        `${parts}tasks: { one: { ${from.trim()}, actions: { open: { <<: *open } } } }\n`,
      );
      assert.deepEqual(several?.args.actions, ofOne?.actions);
      folder.write({
        "novels.yaml": `${from}max-rows: 3\nactions: { open: { x-note: 1, actionType: A, properties: { Url: x } } }\n`,
      });
      assert.deepEqual(
        folder.read().problems.map(({ path }) => path),
        ["max-rows", "actions.open.x-note"],
      );
    });

    it("may have names that JavaScript gives to every object", () => {
      const given = properties("{ constructor: a, toString: c }") as object;
      assert.deepEqual(Object.entries(given), [
        ["constructor", "a"],
        ["toString", "c"],
      ]);
    });
  });

  describe("files", () => {
    const files = (paths: string | string[]): string[] => folder.tasks(paths).map(({ name }) => name);

    it("are found in folders and by globs, in the order of their paths, each once", () => {
      folder.write({
        ...Object.fromEntries(["b", "a/z", "a/b/deep", "c"].map((name) => [`tasks/${name}.yaml`, from])),
        "tasks/.hidden.yaml": "no",
        "tasks/node_modules/x.yaml": "no",
        "tasks/readme.md": "no",
        "tasks/d.YML": from,
      });
      assert.deepEqual(files("tasks"), ["deep", "z", "b", "c", "d"]);
      assert.deepEqual(files("tasks/*.yaml"), ["b", "c"]);
      assert.deepEqual(files("./tasks/**/*.yaml"), ["deep", "z", "b", "c"]);
      assert.deepEqual(files("tasks/**/?.*"), ["z", "b", "c", "d"]);
      assert.deepEqual(files(join(folder.path, "tasks/a*/*")), ["z"]);
      assert.deepEqual(files(["tasks/c.yaml", "tasks"]), ["c", "deep", "z", "b", "d"]);
    });

    it("may be behind symbolic links, but links to folders are not followed", () => {
      folder.write({ "shared/a.yaml": from, "tasks/b.yaml": from });
      symlinkSync(join(folder.path, "shared"), join(folder.path, "tasks/shared"));
      symlinkSync(join(folder.path, "shared/a.yaml"), join(folder.path, "tasks/c.yaml"));
      symlinkSync("/", join(folder.path, "tasks/root"));
      assert.deepEqual(files("tasks"), ["b", "c"]);
      assert.deepEqual(files("tasks/**/*.yaml"), ["b", "c"]);
      assert.deepEqual(files("tasks/shared"), ["a"]);
    });

    it("give the name of a task without one, also if its name is empty", () => {
      for (const name of ["", "name:\n", "name: ~\n", "? name\n"]) {
        assert.deepEqual(
          folder.tasksOf(`${from}${name}`).map((task) => task.name),
          ["novels"],
        );
      }
    });

    it("are refused in a folder if they are a link that leads nowhere, or no regular file", () => {
      folder.write({ "tasks/a.yaml": from });
      symlinkSync(join(folder.path, "nowhere.yaml"), join(folder.path, "tasks/b.yaml"));
      execFileSync("mkfifo", [join(folder.path, "tasks/c.yml")]);
      symlinkSync(join(folder.path, "nowhere"), join(folder.path, "tasks/readme.md"));
      const { problems } = folder.read("tasks");
      assert.deepEqual(
        problems.map(({ file, reason }) => [file, reason]),
        [
          ["tasks/b.yaml", "cannot be read (ENOENT)"],
          ["tasks/c.yml", "is not a file"],
        ],
      );
    });

    it("are not those of the whole folder if the path is empty", () => {
      folder.write({ "novels.yaml": from });
      assert.deepEqual([folder.read("").tasks, folder.read(" ").problems.length], [[], 1]);
    });

    it("are found in steps, so that a command hears Ctrl-C between two folders", () => {
      folder.write(Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`tasks/${index}/no.txt`, ""])));
      const reading = readInSteps({ paths: ["tasks"], folder: folder.path, variables: anyVariables });
      let steps = 0;
      while (reading.next().done !== true) {
        steps += 1;
      }
      assert.ok(steps > 30);
    });

    it("fit a glob in linear time", () => {
      folder.write({ [`tasks/${"a".repeat(200)}.yaml`]: from });
      const files = ["*a".repeat(60), "**/".repeat(60), "*?".repeat(60), `${"**/*a*a/".repeat(20)}`];
      for (const glob of files) {
        assert.match(folder.read(`tasks/${glob}b`).problems[0]?.reason ?? "", /^leads to no file/, glob);
      }
    });

    it("fit a glob as its regular expression says", () => {
      const part = fc.constantFrom("*", "?", "a", "b", "**", "/", "**/");
      const glob = fc.array(part, { maxLength: 8 }).map((all) => `*${all.join("")}`);
      const paths = fc.array(fc.constantFrom("a", "b", "ab", "ba", "aab"), { minLength: 1, maxLength: 4 });
      const name = paths.map((all) => all.join("/"));
      fc.assert(
        fc.property(glob, name, (pattern, path) => {
          const parts = pattern.split("/").filter((each) => each !== "");
          const ofName = (each: string): string => each.replace(/\*+/g, "[^/]*").replaceAll("?", "[^/]");
          const expression = parts.map((each) => (each === "**" ? "(?:[^/]+/)*" : `${ofName(each)}/`)).join("");
          assert.equal(globIn(pattern)?.matches(path), new RegExp(`^${expression}$`).test(`${path}/`), pattern);
        }),
      );
    });
  });

  it("never crashes and never hangs, whatever the file contains", () => {
    const words = [
      "from: ",
      "tasks:",
      "- ",
      "{",
      "}",
      "[",
      "]",
      "&a ",
      "*a",
      "<<: ",
      "\n",
      "  ",
      "\t",
      '"',
      "'",
      "|\n",
    ];
    const more = [
      "${",
      "$${",
      "}",
      "!!str ",
      "!x ",
      "%YAML 1.1\n",
      "---\n",
      "...\n",
      "? ",
      ": ",
      "#",
      "\u0000",
      "\ud800",
    ];
    const names = ["defaults", "actions", "run", "exports", "properties", "name", "null", "~", "1e999", "__proto__"];
    const soup = fc.array(fc.constantFrom(...words, ...more, ...names), { maxLength: 60 }).map((all) => all.join(""));
    const text = fc.oneof(soup, fc.string({ unit: "binary" }), fc.json());
    fc.assert(
      fc.property(text, fc.boolean(), (content, inTask) => {
        folder.write({ "novels.yaml": inTask ? `${from}${content}` : content });
        const { problems, tasks } = folder.read(".", { a: 1, later: new Later([]) });
        assert.ok(problems.length > 0 || tasks.length > 0);
      }),
      runs(1000),
    );
  });

  it("reads only files that a program may name: no link, path or glob leads out of its folder", () => {
    const elsewhere = new ManifestFolder();
    try {
      elsewhere.write({ "secret.yaml": `${from}# hidden\n`, "more/other.yaml": from });
      folder.write({ "tasks/own.yaml": from });
      symlinkSync(join(elsewhere.path, "secret.yaml"), join(folder.path, "tasks/link.yaml"));
      symlinkSync(elsewhere.path, join(folder.path, "tasks/linked"));
      const read = (path: string, allowedFolders?: string[]): Manifests =>
        readManifests({
          paths: [path],
          folder: folder.path,
          ...(allowedFolders && { settings: { allowedFolders } }),
          variables: anyVariables,
        });
      const outside = join(elsewhere.path, "secret.yaml");
      for (const path of ["tasks", "tasks/*.yaml", "tasks/linked/secret.yaml", outside, "/proc/self/environ"]) {
        const reasons = read(path, []).problems.map(({ reason }) => reason);
        assert.ok(reasons.length > 0, path);
        for (const reason of reasons) {
          assert.match(reason, /^is the file "\/.*outside of the program's folder\..* webextract:allowedFolders$/);
        }
      }
      assert.deepEqual(read("tasks/own.yaml", []).problems, []);
      const names = read("tasks", [elsewhere.path]).tasks.map(({ name }) => name);
      assert.deepEqual(names.sort(), ["link", "own"]);
      assert.deepEqual(read(outside).problems, [], "on the command line, the user has named it");
    } finally {
      elsewhere.remove();
    }
  });

  it("refuses in linear time what is nested without end", () => {
    for (const each of ["[", "{", "- ", "? ", "a: ", "&a ", "! ", "{a: ", "- - ", "[[],"]) {
      folder.write({ "novels.yaml": each.repeat(isLarge ? 20_000 : 5_000) });
      assert.ok(folder.read().problems.length > 0, each);
    }
  });
});
