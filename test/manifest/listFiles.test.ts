// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests have variables

import assert from "node:assert/strict";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describeProblem } from "../internals/manifest";
import { resources } from "../internals/resources";
import { Later, ManifestFolder } from "./manifestFolder";

const from = "from: { adoptTaskId: t }\n";
const inUrls = (value: string): string => `${from}startUrls: { file: ${value} }\n`;
const inLoop = (value: string): string =>
  `${from}actions: { each: { actionType: L, loop: { loopType: U, itemsFile: ${value} } } }\n`;

describe("the lists and files that a manifest names", () => {
  let folder: ManifestFolder;
  beforeEach(() => {
    folder = new ManifestFolder();
  });
  afterEach(() => folder.remove());

  /** What `check` of the resource finds in these arguments. */
  async function ofResource(args: Record<string, unknown>): Promise<string[]> {
    const problems: { path: string; reason: string }[] = [];
    await resources.ExtractionTask?.check?.(
      { from: { adoptTaskId: "t" }, ...args },
      { folder: folder.path, settings: { allowedFolders: [] } as never, problems },
    );
    return problems.map(({ path, reason }) => `${path}: ${reason}`);
  }

  const bad: [name: string, content: string | Buffer | undefined][] = [
    ["missing.txt", undefined],
    ["blank.txt", " \n\n"],
    ["latin.txt", Buffer.from("https://a.test\nhttps://b\xe4.test\n", "latin1")],
    ["mac.txt", "https://a.test\rhttps://b.test\r\n"],
    ["urls.txt", "https://a.test\n\nnot a url\nhttps://b.test\nftp://c.test\n"],
    ["many.txt", "no\n".repeat(40)],
  ];

  it("can have been accepted by an earlier version: only what knows the state refuses white space in a URL", () => {
    folder.write({ "a.yaml": inUrls("urls.txt"), "urls.txt": "https://a.test/ Kids\n" });
    assert.match(folder.read().problems.map(describeProblem).join(), /line 1: has white space inside a URL/);
    assert.deepEqual(folder.read(".", {}, true).problems, []);
  });

  it("have the problems that the resource would find in a preview, each at its value", async () => {
    for (const [name, content] of bad) {
      for (const [text, args, column] of [
        [inUrls(name), { startUrls: { file: name } }, 20],
        [inLoop(name), { actions: { each: { actionType: "L", loop: { loopType: "U", itemsFile: name } } } }, 67],
      ] as const) {
        folder.write({ "novels.yaml": text, ...(content === undefined ? {} : { [name]: content }) });
        const { problems } = folder.read("novels.yaml");
        assert.deepEqual(
          problems.map(({ path, reason }) => `${path}: ${reason}`),
          await ofResource(args),
          name,
        );
        for (const { file, line, column: at } of problems) {
          assert.deepEqual([file, line, at], ["novels.yaml", 2, column]);
        }
      }
    }
    folder.write({ "novels.yaml": inLoop("urls.txt"), "urls.txt": "not a url\n" });
    assert.deepEqual(folder.read("novels.yaml").problems, []);
  });

  it("show the file, the line of the manifest and the line of the file", () => {
    folder.write({ "novels.yaml": inUrls("urls.txt"), "urls.txt": "https://a.test\nnot a url\n" });
    assert.deepEqual(folder.read("novels.yaml").problems.map(describeProblem), [
      'novels.yaml:2:20 startUrls.file "urls.txt", line 2: is not an http or https URL\n' +
        "  2 | startUrls: { file: urls.txt }\n    |                    ^",
    ]);
  });

  it("accept letters of every language in URLs, however many URLs came before", () => {
    const plain = Array.from({ length: 20_000 }, (_, index) => `https://a.test/${index}\n`).join("");
    folder.write({
      "novels.yaml": inUrls("urls.txt"),
      "urls.txt": `${plain}${"https://\u00fc.test/\u00fc\n".repeat(20_000)}`,
    });
    assert.deepEqual(folder.read("novels.yaml").problems, []);
  });

  it("refuse a folder, and a file that cannot be opened", () => {
    folder.write({ "novels.yaml": inUrls("urls") });
    mkdirSync(join(folder.path, "urls"));
    assert.match(folder.read("novels.yaml").problems[0]?.reason ?? "", /^names "urls", which is not a file/);
    folder.write({ "novels.yaml": inUrls("a.txt/b"), "a.txt": "" });
    assert.match(folder.read("novels.yaml").problems[0]?.reason ?? "", /^names "a\.txt\/b", which does not exist/);
    folder.write({ "novels.yaml": inUrls(`"${"x".repeat(300)}"`) });
    assert.match(folder.read("novels.yaml").problems[0]?.reason ?? "", /which cannot be read: ENAMETOOLONG/);
  });

  it("name the place of the defaults, once for all tasks", () => {
    const tasks = Array.from({ length: 50 }, (_, index) => `  t${index}:\n`).join("");
    folder.write({
      "all.yaml": `defaults:\n  from: { adoptTaskId: t }\n  startUrls: { file: missing.txt }\ntasks:\n${tasks}`,
    });
    const { problems } = folder.read("all.yaml");
    assert.deepEqual(
      problems.map(({ file, line, column }) => [file, line, column]),
      [["all.yaml", 3, 22]],
    );
  });

  it("are checked with the values of variables, but not where those are known later", () => {
    folder.write({ "novels.yaml": inUrls('"${dir}/urls.txt"'), "here/urls.txt": "https://a.test\n" });
    assert.deepEqual(folder.read("novels.yaml", { dir: "here" }).problems, []);
    assert.equal(folder.read("novels.yaml", { dir: "there" }).problems.length, 1);
    assert.deepEqual(folder.read("novels.yaml", { dir: new Later([]) }).problems, []);
    folder.write({ "novels.yaml": `${from}startUrls: { urls: ["\${a}/x", https://a.test, nothing] }\n` });
    const urls = (a: unknown): string[] => folder.read("novels.yaml", { a }).problems.map(({ path }) => path);
    assert.deepEqual(urls("https://b.test"), ["startUrls.urls[2]"]);
    assert.deepEqual(urls("b"), ["startUrls.urls[0]", "startUrls.urls[2]"]);
    assert.deepEqual(urls(new Later([])), []);
  });

  it("are not checked if the task ignores changes, because the engine keeps the old value then", () => {
    folder.write({ "novels.yaml": `${inUrls("missing.txt")}opts: { ignoreChanges: [startUrls] }\n` });
    assert.deepEqual(folder.read("novels.yaml").problems, []);
  });

  it("name a file that may not be read", () => {
    folder.write({ "novels.yaml": inUrls("urls.txt"), "urls.txt": "https://a.test\n" });
    chmodSync(join(folder.path, "urls.txt"), 0);
    const { problems } = folder.read("novels.yaml");
    // The user root may read any file.
    const expected = process.getuid?.() === 0 ? [] : ["EACCES"];
    assert.deepEqual(
      problems.map(({ reason }) => /cannot be read: (\w+)/.exec(reason)?.[1]),
      expected,
    );
  });
});
