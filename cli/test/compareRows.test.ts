import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { slowIt } from "../../test/environment";
import fc, { runs } from "../../test/fastCheck";
import { Comparing } from "./comparing";

type Row = Record<string, string | null>;

describe("webextract compare, row by row", () => {
  let files: Comparing;
  before(() => {
    files = new Comparing();
  });
  after(() => files.remove());

  const compareRows = (base: readonly unknown[], head: readonly unknown[], options = {}) =>
    files.compare(files.rows("base.ndjson", base), files.rows("head.ndjson", head), options);

  it("counts added, removed, changed and unchanged rows, and the rows in which each field differs", async () => {
    const { json } = await compareRows(
      [
        { sku: "a", price: "1", title: "A" },
        { sku: "b", price: "2", title: "B" },
        { sku: "c", price: "3", title: "C" },
      ],
      [
        { sku: "d", price: "4", title: "D" },
        { sku: "c", price: "3.0", title: "Z" },
        { sku: "a", price: "1", title: "A" },
      ],
      { key: ["sku"] },
    );
    assert.deepEqual(json, {
      failed: [],
      base: { rows: 3 },
      head: { rows: 3 },
      key: ["sku"],
      added: 1,
      removed: 1,
      changed: 1,
      unchanged: 1,
      notCompared: { base: { emptyKey: 0, duplicateKey: 0 }, head: { emptyKey: 0, duplicateKey: 0 } },
      keys: { added: [["d"]], removed: [["b"]], changed: [["c"]] },
      fields: [
        { name: "price", filled: { base: 1, head: 1 }, distinct: { base: 3, head: 3 }, changed: 1 },
        { name: "title", filled: { base: 1, head: 1 }, distinct: { base: 3, head: 3 }, changed: 1 },
        { name: "sku", filled: { base: 1, head: 1 }, distinct: { base: 3, head: 3 }, changed: 0 },
      ],
    });
  });

  it("shows up to five examples of a changed field, the smallest keys first", async () => {
    const rows = (price: string): Row[] => [..."gfedcba"].map((sku) => ({ sku, price }));
    const { text } = await compareRows(rows("1"), rows("2"), { key: ["sku"] });
    const examples = text.split("\n").filter((line) => line.startsWith("price  "));
    assert.deepEqual(
      examples.slice(1),
      [..."abcde"].map((sku) => `price  ${sku}    1    2`),
    );
  });

  it("counts a field that only one side has as changed in no row", async () => {
    const { json } = await compareRows([{ sku: "a", old: "1" }], [{ sku: "a", new: "2" }], { key: ["sku"] });
    assert.deepEqual([json.changed, json.unchanged], [0, 1]);
    assert.deepEqual(
      json.fields.map(({ name, only, changed }: Record<string, unknown>) => [name, only, changed]),
      [
        ["old", "base", 0],
        ["new", "head", 0],
        ["sku", undefined, 0],
      ],
    );
  });

  it("takes a missing value, null and an empty string as no value, and compares any other text exactly", async () => {
    const { json, text } = await compareRows(
      [
        '{"k":"1"}',
        '{"k":"2","v":null}',
        '{"k":"3","v":""}',
        '{"k":"4","v":" "}',
        '{"k":"5","v":"1.10"}',
        '{"k":"6","v":"é"}',
      ],
      [
        '{"k":"1","v":""}',
        '{"k":"2"}',
        '{"k":"3","v":null}',
        '{"k":"4","v":""}',
        '{"k":"5","v":"1.1"}',
        '{"k":"6","v":"e\u0301"}',
      ],
      { key: ["k"] },
    );
    assert.deepEqual([json.unchanged, json.changed], [3, 3]);
    assert.deepEqual(json.fields[0].filled, { base: 2 / 6, head: 2 / 6 });
    assert.match(text, /^v {6}5 {4}1\.10 {2}1\.1$/m);
  });

  it("counts a blank string as not filled, as the checks of an export do", async () => {
    const blanks = ["\u00a0", "\t\n", "\ufeff", "\u3000", "\u2028"].map((v) => ({ v }));
    const { json } = await compareRows([...blanks, { v: "\u200b" }, { v: "\u0000" }], [{ v: "x" }]);
    assert.deepEqual(
      [json.fields[0].filled, json.fields[0].distinct],
      [
        { base: 2 / 7, head: 1 },
        { base: 2, head: 1 },
      ],
    );
  });

  it("does not compare rows with an empty key or a key that occurs twice, and counts and names them", async () => {
    const { json, text } = await compareRows(
      [{ k: "a", v: "1" }, { k: "a", v: "2" }, { k: "b" }, { k: "c" }, { k: " " }, { v: "x" }],
      [{ k: "a", v: "1" }, { k: "b" }, { k: "b" }, { k: "c" }, { k: null }],
      { key: ["k"] },
    );
    const { added, removed, changed, unchanged, notCompared } = json;
    assert.deepEqual([added, removed, changed, unchanged], [0, 0, 0, 1]);
    assert.deepEqual(notCompared, {
      base: { emptyKey: 2, duplicateKey: 3 },
      head: { emptyKey: 1, duplicateKey: 3 },
    });
    assert.match(text, /^Not compared in .*base\.ndjson: 2 rows without a value of the key$/m);
    assert.match(text, /^Not compared in .*base\.ndjson: 2 rows whose key occurs more than once: a$/m);
    assert.match(text, /^Not compared in .*base\.ndjson: 1 row whose key occurs more than once in the other side$/m);
    assert.match(text, /^Not compared in .*head\.ndjson: 2 rows whose key occurs more than once: b$/m);
  });

  it("joins by several fields", async () => {
    const { json } = await compareRows(
      [
        { a: "1", b: "23", v: "x" },
        { a: "12", b: "3", v: "y" },
      ],
      [
        { a: "12", b: "3", v: "y" },
        { a: "1", b: "23", v: "z" },
        { a: "1", v: "z" },
      ],
      { key: ["a", "b", "a"] },
    );
    assert.deepEqual([json.key, json.changed, json.unchanged, json.added], [["a", "b"], 1, 1, 0]);
  });

  it("leaves ignored fields out of everything, and says so in each form of the report", async () => {
    const rows = (time: string, gone: object): Row[] => [..."abcde"].map((sku) => ({ sku, price: "1", time, ...gone }));
    const sides = [rows("10:00", { old: "x" }), rows("11:00", {})] as const;
    const options = { key: ["sku"], failOn: ["changed>20%", "fields-gone"] };
    const all = await compareRows(...sides, options);
    assert.deepEqual([all.json.changed, all.json.failed.length, "ignored" in all.json], [5, 2, false]);
    const html = files.path("ignored.html");
    const { json, text, hasProblems } = await compareRows(...sides, { ...options, ignore: ["time", "old"], html });
    assert.deepEqual([json.changed, json.unchanged, json.ignored, hasProblems], [0, 5, ["time", "old"], false]);
    assert.deepEqual(
      json.fields.map(({ name }: { name: string }) => name),
      ["price", "sku"],
    );
    assert.match(text, /^Ignored: time, old$/m);
    assert.match(readFileSync(html, "utf8"), /<li>Ignored: <bdi>time, old<\/bdi><\/li>/);
    const markdown = await compareRows(...sides, { ignore: ["time"], markdown: true });
    assert.match(markdown.text, /^- Ignored: `time`$/m);
    assert.equal(markdown.json.fittingKey, "sku");
  });

  it("refuses to ignore what is no field, or what a key or a condition names", async () => {
    const file = files.rows("b.ndjson", [{ sku: "1", time: "2" }]);
    const failure = (ignore: string, options = {}): Promise<string> =>
      files.failure(file, file, { ignore: [ignore], ...options });
    assert.equal(await failure("tim"), '--ignore names "tim", which is no field of the rows; did you mean "time"?');
    const both = (option: string, name: string): string =>
      `--ignore and ${option} both name "${name}". Leave one of them out. No rows were read.`;
    assert.equal(await failure("sku", { key: ["sku"] }), both("--key", "sku"));
    assert.equal(await failure("time", { failOn: ["filled:time<-5%"] }), both("--fail-on", "time"));
  });

  it("shows long values from before their difference, wherever it is, and hides a secret before it", async () => {
    const secret = `-----BEGIN PRIVATE KEY-----\n${"A1b2".repeat(600)}`;
    const begins = ["x".repeat(2_000), "é😀".repeat(9_000), secret, "y".repeat(1_000)];
    const rows = (end: string) => begins.map((begin, sku) => ({ sku: `${sku}`, v: `${begin}${end}` }));
    const { text } = await compareRows(rows("old"), rows("new"), { key: ["sku"] });
    const shown = text.split("\n").filter((line) => /^v +\d +[…[]/.test(line));
    assert.deepEqual(
      shown.map((line) => line.replace(/^v +\d +/, "").split(/ +/)),
      [
        [`…${"x".repeat(20)}old`, `…${"x".repeat(20)}new`],
        [`…😀${"é😀".repeat(6)}old`, `…😀${"é😀".repeat(6)}new`],
        ["[secret]", "[secret]"],
        [`…${"y".repeat(20)}old`, `…${"y".repeat(20)}new`],
      ],
    );
    const one = await compareRows([{ sku: "1", v: "z".repeat(3_000) }], [{ sku: "1", v: "z".repeat(3_001) }], {
      key: ["sku"],
    });
    assert.match(one.text, /^v +1 +…z{20} +…z{21}$/m);
  });

  slowIt("names each row by its key, however long the keys are and wherever they differ", async () => {
    const url = (path: string): string => `https://www.shop.example/gp/product/detail.html?category=garden${path}`;
    const long = "a".repeat(60);
    const short = "a".repeat(30);
    const cases = [
      ["&sku=K100", "&sku=K200", "&sku=K300"],
      [`/K100/${long}`, `/K200/${long}`, `/K300/${long}`],
      [`/1/${short}/K1/${short}`, `/1/${short}/K2/${short}`, `/2/${short}/K1/${short}`],
    ];
    for (const paths of cases) {
      const keys = paths.map(url);
      const [base, head] = ["1", "2"].map((price) => keys.map((link) => ({ link, price })));
      for (const options of [{ key: ["link"] }, { key: ["link"], markdown: true }]) {
        const { text, json } = await compareRows(base ?? [], head ?? [], options);
        const shown = text.split("\n").flatMap((line) => /^\W*price\W+(…\S+)/.exec(line)?.[1] ?? []);
        assert.deepEqual([shown.length, new Set(shown).size], [3, 3], text);
        assert.deepEqual(
          json.keys.changed,
          keys.map((key) => [key]),
        );
      }
      const [first, ...others] = (base ?? []) as Row[];
      const { text } = await compareRows([first], others, { key: ["link"] });
      const added = /^Added: (.*), (.*)$/m.exec(text) ?? [];
      assert.notEqual(added[1], added[2]);
    }
    const single = await compareRows([{ link: url("&sku=K100"), price: "1" }], [], { key: ["link"] });
    assert.match(single.text, /^Removed: https:\/\/www\.shop\S*….*&sku=K100$/m);
    assert.equal("keys" in (await compareRows([{ k: "1" }], [{ k: "2" }], { key: ["k"], values: false })).json, false);
  });

  it("names a field that fits as key, if exactly one does", async () => {
    const base = [
      { id: "1", v: "x" },
      { id: "2", v: "x" },
    ];
    const { json, text } = await compareRows(base, [{ id: "3", v: "x" }]);
    assert.equal(json.fittingKey, "id");
    assert.match(text, /^Every row has another value of id: use it as --key to compare row by row\.$/m);
    const two = await compareRows([{ id: "1", v: "x" }], [{ id: "3", v: "x" }]);
    assert.equal("fittingKey" in two.json, false);
    assert.deepEqual(Object.keys(two.json), ["failed", "base", "head", "fields"]);
  });

  it("refuses a key that is no field, and asks for a likely one", async () => {
    const [base, head] = [
      files.rows("b.ndjson", [{ price: "1", only: "1" }]),
      files.rows("h.ndjson", [{ price: "1" }]),
    ];
    const failure = (key: string): Promise<string> => files.failure(base, head, { key: [key] });
    assert.equal(await failure("prise"), '--key names "prise", which is no field of the rows; did you mean "price"?');
    assert.equal(await failure("Price"), '--key names "Price", which is no field of the rows; did you mean "price"?');
    assert.equal(await failure("zzz"), '--key names "zzz", which is no field of the rows.');
    assert.match(await failure("only"), /^--key names the field "only", which ".*h\.ndjson" does not have\./);
  });

  it("takes all rows as removed if the other side is empty, whatever the key", async () => {
    const base = files.rows("base.ndjson", [{ k: "1" }, { k: "2" }]);
    const empty = files.write("empty.ndjson", "");
    const { json } = await files.compare(base, empty, { key: ["k"], failOn: ["fields-gone", "rows<-10%"] });
    assert.deepEqual([json.removed, json.added, json.head.rows], [2, 0, 0]);
    assert.deepEqual(json.failed, [
      { condition: "fields-gone", found: "k" },
      { condition: "rows<-10%", found: "-100%" },
    ]);
    const both = await files.compare(empty, empty, { key: ["k"], failOn: ["filled:k<0%", "rows<0%"] });
    assert.deepEqual([both.json.fields, both.json.failed, both.json.unchanged], [[], [], 0]);
  });

  it("agrees with a comparison in memory, whatever the rows are", async function () {
    this.timeout(120_000);
    const value = fc.constantFrom(null, "", " ", "a", "b", "é", "1", "a,b", '"', "\n");
    // With any of the last three, the rows become maps, otherwise columns.
    const sides = fc.constantFrom("rowid", "it's", "K", "x\0y", "\ufeff").chain((other) => {
      const names = fc.constantFrom("k", "v", "w", "x y", "c0", 'q"', other);
      const rows = fc.array(fc.dictionary(names, value, { noNullPrototype: true }), { maxLength: 12 });
      return fc.tuple(rows, rows);
    });
    await fc.assert(
      fc.asyncProperty(sides, async ([base, head]) => {
        const names = new Set([...base, ...head].flatMap(Object.keys));
        const usable = [base, head].every((rows) => rows.length === 0 || rows.some((each) => "k" in each));
        const hasFields = [base, head].every((rows) => rows.every((each) => Object.keys(each).length === 0));
        fc.pre(names.size === 0 || usable || hasFields);
        const { json } = await compareRows(base, head, { key: ["k"] });
        const byName = (one: { name: string }, other: { name: string }): number => (one.name < other.name ? -1 : 1);
        assert.deepEqual({ ...json, fields: json.fields.sort(byName) }, naive(base, head));
      }),
      runs(50),
    );
  });
});

/** The same comparison in plain code. Fields are in the order of their names. */
function naive(base: readonly Row[], head: readonly Row[]): unknown {
  const textOf = (row: Row, name: string): string | undefined =>
    (Object.hasOwn(row, name) ? row[name] : "") || undefined;
  const isFilled = (value: string | undefined): boolean => value !== undefined && /\S/.test(value);
  const keysOf = (rows: readonly Row[]) => rows.map((row) => textOf(row, "k")).filter(isFilled) as string[];
  const isTwice = (key: string): boolean =>
    [base, head].some((rows) => keysOf(rows).filter((each) => each === key).length > 1);
  const byKey = (rows: readonly Row[]) =>
    new Map(
      rows.flatMap((row) => {
        const key = textOf(row, "k");
        return key !== undefined && isFilled(key) && !isTwice(key) ? [[key, row] as const] : [];
      }),
    );
  const namesOf = (rows: readonly Row[]): string[] => [...new Set(rows.flatMap(Object.keys))];
  const [ofBase, ofHead] = [namesOf(base), namesOf(head)];
  const names = [...new Set([...ofBase, ...ofHead])];
  const common = names.filter((name) => ofBase.includes(name) && ofHead.includes(name) && name !== "k");
  const [old, now] = [byKey(base), byKey(head)];
  const pairs = [...old].flatMap(([key, row]) => (now.has(key) ? [[row, now.get(key) as Row] as const] : []));
  const differs = ([one, other]: readonly [Row, Row], name: string): boolean =>
    textOf(one, name) !== textOf(other, name);
  const isChanged = (pair: readonly [Row, Row]): boolean => common.some((name) => differs(pair, name));
  const changed = pairs.filter(isChanged).length;
  // UTF-8 has the order of code points.
  const sorted = (keys: readonly string[]) => [...keys].sort().map((key) => [key]);
  const share = (rows: readonly Row[], name: string): number =>
    rows.length === 0 ? 0 : rows.filter((row) => isFilled(textOf(row, name))).length / rows.length;
  const distinct = (rows: readonly Row[], name: string): number =>
    new Set(rows.map((row) => textOf(row, name)).filter(isFilled)).size;
  const unusable = (rows: readonly Row[]) => ({
    emptyKey: rows.length - keysOf(rows).length,
    duplicateKey: keysOf(rows).filter(isTwice).length,
  });
  const fields = names.sort().map((name) => ({
    name,
    ...(!ofHead.includes(name) ? { only: "base" } : !ofBase.includes(name) ? { only: "head" } : {}),
    filled: { base: share(base, name), head: share(head, name) },
    distinct: { base: distinct(base, name), head: distinct(head, name) },
    changed: common.includes(name) ? pairs.filter((pair) => differs(pair, name)).length : 0,
  }));
  return {
    failed: [],
    base: { rows: base.length },
    head: { rows: head.length },
    key: ["k"],
    added: [...now.keys()].filter((key) => !old.has(key)).length,
    removed: [...old.keys()].filter((key) => !now.has(key)).length,
    changed,
    unchanged: pairs.length - changed,
    notCompared: { base: unusable(base), head: unusable(head) },
    keys: {
      added: sorted([...now.keys()].filter((key) => !old.has(key))),
      removed: sorted([...old.keys()].filter((key) => !now.has(key))),
      changed: sorted(pairs.filter(isChanged).map(([row]) => textOf(row, "k") ?? "")),
    },
    fields,
  };
}
