// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests have variables

import assert from "node:assert/strict";
import type { Manifests } from "../internals/manifest";
import { ManifestFolder } from "./manifestFolder";

const from = "from: { sourceTaskId: s, taskGroupId: g }\n";
const open = (properties: string): string =>
  `${from}actions:\n  open:\n    actionType: x\n    properties:\n      ${properties}\n`;

/** What one slip makes of a manifest, and where: one problem each. */
const mistakes: readonly (readonly [name: string, text: string, says: string])[] = [
  ["no space behind the colon of a map", "from:{ sourceTaskId: s }\n", '1:1: needs a space behind "from:"'],
  [
    "no space behind the only colon of a map",
    `${from}run:\n  waitFor:finished\n`,
    '3:3 run: needs a space behind "waitFor:"',
  ],
  [
    "no space behind a colon above others",
    `${from}run:\n  waitFor:finished\n  pollSeconds: 3\n`,
    '3:3: needs a space behind "waitFor:"',
  ],
  [
    "no space behind a colon in brackets",
    `${from}run: { waitFor:finished }\n`,
    '2:8 run.waitFor:finished: needs a space behind "waitFor:"',
  ],
  [
    "no space behind a hyphen",
    `${from}startUrls:\n  urls:\n    -https://a.test\n`,
    '4:5 startUrls.urls[0]: needs a space behind "-"',
  ],
  ["a no-break space behind a colon", `${from}run:\n  waitFor:\u00a0finished\n`, "3:11 run: has a no-break space"],
  [
    "no-break spaces before a name",
    `${from}run:\n\u00a0\u00a0waitFor: finished\n`,
    "3:1 \u00a0\u00a0waitFor: has a no-break space",
  ],
  [
    "a no-break space behind a hyphen",
    `${from}startUrls:\n  urls:\n    -\u00a0https://a.test\n`,
    "4:6 startUrls.urls[0]: has a no-break space",
  ],
  [
    "a no-break space behind a word",
    `${from}run: { waitFor: finished\u00a0}\n`,
    "2:25 run.waitFor: has a no-break space",
  ],
  [
    "an ideographic space",
    `${from}run:\n  waitFor:\u3000finished\n`,
    "3:11 run: has a special space (U+3000) where YAML needs a plain space",
  ],
  ["a brace without an end", `${from}run: { waitFor: finished\nprofile: p\n`, "2:6: is not valid YAML: the { that"],
  [
    "a bracket that ends with a brace",
    `${from}startUrls: { urls: [a }\n`,
    "2:20: is not valid YAML: the [ that begins here has no end",
  ],
  ["a brace too much", `${from}run: { waitFor: finished }}\n`, "2:27: is not valid YAML: the } has no { before it"],
  ["a quote without an end", open('Url: "a\n      B: c'), '6:12: is not valid YAML: the " that begins here has no end'],
  ["a variable without quotes in a list", `${from}startUrls: { urls: [\${shop}/a] }\n`, "2:21: has a variable without"],
  ["a variable without quotes in a map", "from: { sourceTaskId: ${shop} }\n", "1:23: has a variable without quotes"],
  [
    "a variable of other tools",
    "from: { sourceTaskId: {{shop}}, taskGroupId: g }\n",
    '1:23 from.sourceTaskId: has {{ without quotes, which begins a map; a variable is "${name}", in quotes',
  ],
  ["a backslash in double quotes", open('Pattern: "\\d+"'), "6:17: is not valid YAML: \\d is no escape sequence"],
  [
    "a quote within quotes",
    open("Name: 'it's'"),
    "6:17: is not valid YAML: the value has ended before this: put the whole value in quotes",
  ],
  [
    "brackets behind a value",
    open("XPath: a\n      Css: {a: b[c]}"),
    "7:17: is not valid YAML: the value has ended before this: put the whole value in quotes",
  ],
  [
    "two values without a comma",
    `${from}startUrls: { urls: ["a" "b"] }\n`,
    "2:25: is not valid YAML: a comma is missing before this",
  ],
  [
    "a line without a colon",
    `${from}run = {}\n`,
    "2:1: is not valid YAML: the line has no colon with a space behind it",
  ],
  ["an asterisk", open("XPath: *"), "6:14: is not valid YAML: * alone is no value: put it in quotes"],
];

/** What YAML reads in another way than it looks, and where. */
const oddities: readonly (readonly [name: string, text: string, says: readonly string[]])[] = [
  ["a value in smart quotes", open("Name: “Novels”"), ["6:13: begins with “"]],
  [
    "single smart quotes and low ones",
    open("Name: ‘a’\n      Other: „b“"),
    ["6:13: begins with ‘", "7:14: begins with „"],
  ],
  ["smart quotes around a key", open("“Name”: a"), ["6:7: begins with “"]],
  ["smart quotes that a comment cuts", open("Url: “https://a.test/ #1”"), ["6:12: begins with “"]],
  ["a URL with a comment", open("Url: https://a.test/ #top"), ['6:28: ends before " #"']],
  ["no value but a comment", `${from}retry: #1\n`, ['2:8: ends before " #"']],
  ["a no-break space at the end of an id", "from: { adoptTaskId: t1\u00a0}\n", ["1:24: has a no-break space (U+00A0)"]],
  ["a comment that looks like one", open("Url: a # top\n      Other: b ## c\n      More: 'd' #e"), []],
  ["smart quotes and no-break spaces within a value", open('A: a “b”\n      B: "“c”"\n      C: Prix :\u00a03'), []],
  ["colons and hyphens within values", open("A: a:b\n      B: div:hover\n      C: -x\n      D: https://a.test"), []],
];

describe("slips in a manifest", () => {
  const folder = new ManifestFolder();
  after(() => folder.remove());
  const read = (text: string): Manifests => {
    folder.write({ "novels.yaml": text });
    return folder.read();
  };
  const said = (found: Manifests["problems"]): string[] =>
    found.map(({ line, column, path, reason }) => `${line}:${column}${path === "" ? "" : ` ${path}`}: ${reason}`);

  for (const [name, text, says] of mistakes) {
    it(`are one problem in our words: ${name}`, () => {
      const { problems, warnings } = read(text);
      assert.deepEqual([problems.length, warnings], [1, []], said(problems).join("\n"));
      assert.equal(said(problems)[0]?.slice(0, says.length), says);
    });
  }

  for (const [name, text, says] of oddities) {
    it(`warn of what the value becomes, and leave the task as it is: ${name}`, () => {
      const { problems, warnings, tasks } = read(text);
      assert.deepEqual(problems, []);
      assert.equal(tasks.length, 1);
      assert.deepEqual(
        said(warnings).map((each, index) => each.slice(0, says[index]?.length)),
        says,
      );
    });
  }

  it("explain the problem of their value, and are no second message then", () => {
    const { problems, warnings } = read(`${from}run: { waitFor: “finished” }\n`);
    assert.deepEqual(warnings, []);
    assert.match(
      said(problems).join(),
      /^2:17 run\.waitFor: must be "started" or "finished"; got "“finished”"\. It begins with “/,
    );
  });

  it("are not seen in a URL without its scheme", () => {
    const { problems } = read(`${from}startUrls:\n  urls:\n    - localhost:8080/a\n`);
    assert.match(said(problems).join(), /is not an http or https URL/);
  });
});

describe("ignoreChanges in a manifest", () => {
  const folder = new ManifestFolder();
  after(() => folder.remove());
  const reasons = (opts: string): string[] => {
    folder.write({ "novels.yaml": `from: { adoptTaskId: t }\n${opts}` });
    return folder.read().problems.map(({ path, reason }) => `${path} ${reason}`);
  };

  for (const path of ["actions[", "[0", "actions[x]", 'actions["a', "actions.", ".actions", "actions]", "actions[]"]) {
    it(`refuses what is no path: ${path}`, () => {
      assert.match(
        reasons(`opts: { ignoreChanges: ['${path}'] }\n`).join(),
        /^opts\.ignoreChanges\[0\] is not a property path/,
      );
    });
  }

  it("refuses names that the resource does not have, each with its place", () => {
    const found = reasons(
      "opts: { ignoreChanges: [acions, actions.open.loop.itms] }\n" +
        "run: { opts: { ignoreChanges: [timeoutSecond] } }\n" +
        "exports: { rows: { path: x, opts: { ignoreChanges: [checks.fields.price.filed] } } }\n",
    );
    assert.deepEqual(
      found.map((each) => each.replace(/; (?:did you mean|valid).*/, "")),
      [
        'opts.ignoreChanges[0] names "acions", which is no argument here',
        'opts.ignoreChanges[1] names "itms", which is no argument here',
        'run.opts.ignoreChanges[0] names "timeoutSecond", which is no argument here',
        'exports.rows.opts.ignoreChanges[0] names "filed", which is no argument here',
      ],
    );
  });

  it("takes each path that the engine takes", () => {
    const paths = [
      "actions",
      "actions.open.properties.Url",
      'actions["a.b"].properties',
      "actions[*]",
      "*",
      "startUrls.urls[0]",
      '["from"]',
    ];
    assert.deepEqual(reasons(`opts: { ignoreChanges: [${paths.map((each) => `'${each}'`).join(", ")}] }\n`), []);
  });
});
