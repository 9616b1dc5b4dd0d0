import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InProcess } from "../../program/inProcess";

const good = "https://a.test/kids/?page=1&sort=a,b/c";

describe("lines with something beside the URL", () => {
  const folder = mkdtempSync(join(tmpdir(), "webextract-urls-"));
  after(() => rmSync(folder, { recursive: true }));

  /** What a check says of the same lines as a list and as a file, in each place that takes URLs. */
  const said = async (lines: readonly string[], loopType = "UrlList") => {
    writeFileSync(join(folder, "list.txt"), lines.map((line) => `${line}\n`).join(""));
    const loop = { actionId: "each", loopType };
    const actions = (list: object) => ({ each: { actionType: "LoopAction", loop: { loopType, ...list } } });
    const places: [string, Record<string, unknown>][] = [
      ...[{ urls: lines }, { file: "list.txt" }].map((list): [string, Record<string, unknown>] => [
        "TaskStartUrls",
        list,
      ]),
      ...[{ items: lines }, { itemsFile: "list.txt" }].flatMap((list): [string, Record<string, unknown>][] => [
        ["TaskLoopItems", { ...loop, ...list }],
        ["TaskParameters", { actions: actions(list) }],
      ]),
    ];
    const found: { problems: string; warnings: string[] }[] = [];
    for (const [type, args] of places) {
      const providers = new InProcess({ baseUrl: "http://127.0.0.1:1" }, folder);
      const problems = (await providers.problems(type, { taskId: "t", ...args })).join("\n");
      found.push({ problems, warnings: providers.warnings });
    }
    return found;
  };

  it("are refused where it is white space, with line and column", async () => {
    const ends = ["\u2028", "\u2029", "\u0085", "\0"].map((end) => `${end}https://b.test/`);
    for (const beside of ["\tKids", " Kids", " https://b.test/", " # kids", ...ends]) {
      for (const { problems } of await said([good, `https://a.test/kids/${beside}`])) {
        assert.match(problems, /(\[1\]|line 2) has white space inside a URL, in column 21: keep one URL on each line/);
      }
    }
    // No URL as a whole: its host would have the white space.
    for (const { problems } of (await said([good, "https://a.test https://b.test"])).slice(2)) {
      assert.match(problems, /has white space inside a URL, in column 15/);
    }
    for (const { problems, warnings } of await said([good, "  https://a.test/kids/  "])) {
      assert.deepEqual([problems, warnings], ["", []]);
    }
  });

  it("are a warning where white space was accepted by an earlier version and the list is the same", async () => {
    const beside = "https://a.test/kids/ Kids";
    const name = "stored.txt";
    const write = (lines: readonly string[]) =>
      writeFileSync(join(folder, name), lines.map((line) => `${line}\n`).join(""));
    const actions = (loop: object) => ({ each: { actionType: "LoopAction", loop: { loopType: "UrlList", ...loop } } });
    const from = { adoptTaskId: "t" };
    const forms: [string, (items: readonly string[] | undefined) => Record<string, unknown>][] = [
      ["TaskStartUrls", (urls) => ({ taskId: "t", ...(urls ? { urls } : { file: name }) })],
      [
        "TaskLoopItems",
        (items) => ({ taskId: "t", actionId: "e", loopType: "UrlList", ...(items ? { items } : { itemsFile: name }) }),
      ],
      ["TaskParameters", (items) => ({ taskId: "t", actions: actions(items ? { items } : { itemsFile: name }) })],
      ["ExtractionTask", (urls) => ({ from, startUrls: urls ? { urls } : { file: name } })],
    ];
    for (const [type, args] of forms) {
      for (const isFile of [true, false]) {
        const given = (lines: readonly string[]) => {
          write(lines);
          return args(isFile ? undefined : lines);
        };
        const providers = new InProcess({ baseUrl: "http://127.0.0.1:1" }, folder);
        const clean = await providers.checked(type, given([good]));
        // As the earlier version has stored it: the same form with other lines.
        const { sha256, joined } = (({ digest }) => ({ sha256: digest, joined: `${good}\n${beside}\n` }))({
          digest: createHash("sha256").update(`${good}\n${beside}\n`).digest("hex"),
        });
        const stored = JSON.parse(
          JSON.stringify(clean)
            .replaceAll(JSON.stringify(`${good}\n`), JSON.stringify(joined))
            .replace(/"sha256":"\w+"/, `"sha256":"${sha256}"`)
            .replace('"count":1', '"count":2'),
        );
        assert.deepEqual(providers.warnings, []);
        assert.deepEqual(await providers.checked(type, given([good, beside]), stored), stored, type);
        assert.match(
          providers.warnings.join(),
          /(\[1\]|line 2) has white space inside a URL, in column 21.*\. The state has it, so it stays\./,
        );
        assert.match(
          (await providers.problems(type, given([good, beside, good]), stored)).join(),
          /(\[1\]|line 2) has white space inside a URL, in column 21/,
        );
      }
    }
  });

  it("cause one warning where it may belong to the URL, which shows no value", async () => {
    const doubts = {
      "https://a.test/,Kids": "a comma with a word",
      "https://a.test/?a=1&amp;b=2": 'the text "&amp;"',
      "https://a.test/\u00a0": "an invisible character",
      "https://a.test/\u200bkids": "an invisible character",
      "https://a.test/\ufeffkids": "an invisible character",
      'https://a.test/"': "a quote",
      "https://a.test/{shelf}": "a variable in braces",
    };
    for (const [line, doubt] of Object.entries(doubts)) {
      for (const { problems, warnings } of await said([good, line])) {
        assert.equal(problems, "");
        assert.equal(warnings.length, 1, line);
        assert.match(warnings[0] ?? "", new RegExp(`(\\[1\\]|line 2) has ${doubt}`));
        assert.ok(!warnings[0]?.includes("a.test"));
      }
    }
    for (const { warnings } of await said(Array.from({ length: 12 }, (_, index) => `https://a.test/${index},Kids`))) {
      assert.equal(warnings.length, 1);
      assert.match(warnings[0] ?? "", /; and 7 more lines\. They are sent unchanged\.$/);
    }
  });

  it("are not looked for in a loop of other items, nor are items of URL loops that are no URLs refused", async () => {
    const isLoop = (_: unknown, index: number): boolean => index > 1;
    for (const { problems, warnings } of (await said(["blue {x}", "https://a.test/ Kids"], "TextList")).filter(
      isLoop,
    )) {
      assert.deepEqual([problems, warnings], ["", []]);
    }
    for (const { problems, warnings } of (await said(["kids and more"], "URLLIST")).filter(isLoop)) {
      assert.deepEqual([problems, warnings], ["", []]);
    }
    for (const { warnings } of (await said(["# comment"])).filter(isLoop)) {
      assert.match(warnings.join(), /has a comment/);
    }
  });
});
