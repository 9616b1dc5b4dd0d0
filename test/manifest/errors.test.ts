// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests have variables

import assert from "node:assert/strict";
import fs from "node:fs";
import { join } from "node:path";
import sinon from "sinon";
import { slowIt } from "../environment";
import { describeProblem } from "../internals/manifest";
import { errorCases, shownOf } from "./errorCases";
import { Later, ManifestFolder } from "./manifestFolder";

describe("the errors of a manifest", () => {
  const folder = new ManifestFolder();
  after(() => folder.remove());

  const variables = { shop: "https://shop.test", urls: ["a"], missing: undefined, later: new Later([]) };
  const messages = (paths?: string | string[]): string[] => folder.read(paths, variables).problems.map(describeProblem);

  for (const each of errorCases) {
    it(`name the place and the remedy of ${each.name}`, () => {
      folder.write({ "novels.yaml": each.text });
      assert.deepEqual(messages().join("\n").split("\n"), shownOf(each));
    });
  }

  it("refuse an output in place of a list of names, or in it: the names would be lost", () => {
    folder.write({
      "novels.yaml":
        'from: { adoptTaskId: t }\nwas: "${all}"\nopts: { ignoreChanges: "${some}" }\nrun: { rerunOn: "${some}", triggers: "${all}" }\n',
    });
    const all = new Later([]);
    const found = folder.read(".", { all, some: ["novels", all] }).problems;
    assert.deepEqual(
      found.map(({ path, reason }) => `${path}: ${reason.split(";")[0]}`),
      ["was", "opts.ignoreChanges", "run.rerunOn"].map((path) => `${path}: must be known when the program runs`),
    );
  });

  it("come all at once, of all files and in their order", () => {
    folder.write({ "b.yaml": "acions: {}\nrun: { waitFor: x }\n", "a/z.yaml": "", "a/c.yml": "from:\n\tx" });
    const found = folder.read().problems.map(({ file, line, path }) => [file, line, path]);
    assert.deepEqual(found, [
      ["a/c.yml", 2, ""],
      ["a/z.yaml", undefined, ""],
      ["b.yaml", 1, ""],
      ["b.yaml", 1, "acions"],
      ["b.yaml", 2, "run.waitFor"],
    ]);
  });

  it("name paths that lead to no manifest, and where they were looked for", () => {
    folder.write({ "empty/readme.md": "" });
    const paths = ["none.yaml", "empty", "empty/*.yaml", "{a,b}.yaml", ""];
    const why = (path: string): string =>
      `leads to no file that ends in .yaml or .yml (looked for "${join(folder.path, path)}", relative to the program's folder; the only wildcards are *, ? and **)`;
    assert.deepEqual(
      messages(paths),
      paths.map((path) => `${path === "" ? '""' : path}: ${why(path)}`),
    );
  });

  it("name a folder that cannot be read, and say nothing of the files that it leads to", () => {
    folder.write({ "locked/novels.yaml": "from: {}" });
    const refused = Object.assign(new Error("no"), { code: "EACCES" });
    const within = (path: unknown): boolean => String(path).startsWith(join(folder.path, "locked"));
    const { readdirSync, statSync } = fs;
    sinon.replace(fs, "readdirSync", ((path: string, ...rest: never[]) => {
      if (within(path)) throw refused;
      return readdirSync(path, ...rest);
    }) as typeof readdirSync);
    assert.deepEqual(messages(["locked", "locked/*.yaml", "**"]), ["locked: cannot be read (EACCES)"]);
    sinon.replace(fs, "statSync", ((path: string, ...rest: never[]) => {
      if (within(path)) throw refused;
      return statSync(path, ...rest);
    }) as typeof statSync);
    assert.deepEqual(messages(["locked/novels.yaml", "locked/*.yaml"]), [
      "locked/novels.yaml: cannot be read (EACCES)",
      "locked: cannot be read (EACCES)",
    ]);
    sinon.restore();
    assert.match(messages(["none/*.yaml"]).join("; "), /^none\/\*\.yaml: leads to no file[^;]*; [^;]*$/);
  });

  it("name a file that is not UTF-8", () => {
    folder.write({ "novels.yaml": Buffer.from("retry: \xe9", "latin1") });
    assert.deepEqual(messages(), ["novels.yaml: is not UTF-8 text"]);
  });

  it("name both files of two tasks with one name", () => {
    const from = "from: { adoptTaskId: t }\n";
    folder.write({ "a/novels.yaml": from, "b/novels.yaml": from });
    assert.deepEqual(messages(), [
      'b/novels.yaml:1:1: is the second task with the name "novels"; the first is a/novels.yaml:1. Give one of them another name\n' +
        "  1 | from: { adoptTaskId: t }\n    | ^",
    ]);
  });

  it("name both files of two exports with one name", () => {
    const task = (name: string): string =>
      `from: { adoptTaskId: t }\nrun: {}\nexports: { ${name}: { path: "{lotNo}.csv" } }\n`;
    folder.write({ "a.yaml": task("b-c"), "a-b.yaml": task("c") });
    assert.deepEqual(
      folder.read().problems.map(({ file, line, path, reason }) => [file, line, path, reason]),
      [
        [
          ...["a.yaml", 3, "exports.b-c"],
          'is the second export with the name "a-b-c"; the first is a-b.yaml:3. Give one of them another name',
        ],
      ],
    );
  });

  it("refuse aliases that nest too deeply", () => {
    const rest = Array.from({ length: 150 }, (_, index) => `    k${index + 1}: &a${index + 1} [*a${index}]\n`);
    folder.write({ "novels.yaml": `run:\n  triggers:\n    k0: &a0 [x]\n${rest.join("")}` });
    const [problem] = folder.read().problems;
    assert.equal(problem?.reason, "is refused: aliases nest more than 100 levels");
  });

  slowIt("refuse merge keys and defaults that copy too much", function () {
    this.timeout(240_000);
    const entries = Array.from({ length: 3000 }, (_, index) => `p${index}: x`).join(", ");
    const uses = Array.from(
      { length: 400 },
      (_, index) => `  t${index}: { run: { triggers: { <<: *all, own: y } } }\n`,
    );
    folder.write({ "novels.yaml": `defaults: { run: { triggers: &all { ${entries} } } }\ntasks:\n${uses.join("")}` });
    const [problem] = folder.read().problems;
    assert.match(problem?.reason ?? "", /^is refused: it stands for more than 1000000 values/);
    const own = Array.from({ length: 400 }, (_, index) => `  t${index}: { run: { triggers: { own: y } } }\n`);
    folder.write({ "novels.yaml": `defaults: { run: { triggers: { ${entries} } } }\ntasks:\n${own.join("")}` });
    assert.match(folder.read().problems[0]?.reason ?? "", /^is refused: /);
  });

  it("show no control characters", () => {
    folder.write({ "novels.yaml": 'from: { adoptTaskId: t }\n"\\u001b[31m\\n": "\u0085\u2028"\n' });
    assert.deepEqual(
      messages().filter((message) => /[^\P{Cc}\n]/u.test(message)),
      [],
    );
  });
});
