import assert from "node:assert/strict";
import MarkdownIt from "markdown-it";
import { isLarge, slowIt } from "../../test/environment";
import { allHostileStrings, hostileStrings, secretValues } from "../../test/hostile";
import { Comparing } from "./comparing";
import { conditionOf } from "./internals/compare";

describe("the report of webextract compare", () => {
  let files: Comparing;
  before(() => {
    files = new Comparing();
  });
  after(() => files.remove());

  const row = (price: number, others = {}) => ({ price: String(price), ...others });
  const many = (count: number, others = {}) => Array.from({ length: count }, (_, index) => row(index, others));

  describe("a condition", () => {
    const failed = async (base: unknown[], head: unknown[], ...failOn: string[]): Promise<unknown> =>
      (await files.compare(files.rows("b.ndjson", base), files.rows("h.ndjson", head), { failOn, key: ["price"] })).json
        .failed;

    it("fails beyond its limit, and not at it", async () => {
      const [base, head] = [many(20), many(18)];
      assert.deepEqual(await failed(base, head, "rows<-9.9%", "rows<-10%", "rows<0%", "rows>-20%", "rows>0%"), [
        { condition: "rows<-9.9%", found: "-10%" },
        { condition: "rows<0%", found: "-10%" },
        { condition: "rows>-20%", found: "-10%" },
      ]);
      assert.deepEqual(await failed(base, head, "removed>1", "removed>2", "removed>10%", "removed>9%", "added<1"), [
        { condition: "removed>1", found: "2" },
        { condition: "removed>9%", found: "10%" },
        { condition: "added<1", found: "0" },
      ]);
    });

    it("fails if it is about rows by their key, and none has a key of its own", async () => {
      const twice = [...many(3), ...many(3)];
      const found = "no row could be compared";
      const changed = { condition: "changed>0", found };
      assert.deepEqual(await failed(many(3), twice, "rows<0%", "changed>0", "removed>99%"), [
        changed,
        { condition: "removed>99%", found },
      ]);
      assert.deepEqual(await failed(many(3, { v: 1 }), [row(2, { v: 1 }), ...twice], "changed>0"), [changed]);
      assert.deepEqual(await failed([...many(3), row(9)], twice, "changed>0"), []);
      assert.deepEqual(await failed([], [], "changed>0"), []);
    });

    it("shows more digits where the number would look like the limit", async () => {
      assert.deepEqual(await failed(many(30_001), many(27_000), "rows<-10%"), [
        { condition: "rows<-10%", found: "-10.003%" },
      ]);
    });

    it("measures the filled share in percentage points, of any name of a field", async () => {
      const name = "a<1% b";
      const head = many(20).map((each, index) => ({ ...each, [name]: index === 0 ? " " : "x" }));
      assert.deepEqual(await failed(many(20, { [name]: "x" }), head, `filled:${name}<-5%`, `filled:${name}<-4.9%`), [
        { condition: `filled:${name}<-4.9%`, found: "-5%" },
      ]);
      assert.deepEqual(
        await failed(many(2, { old: "x" }), many(2), "filled:old<-99%", "fields-gone", "filled:price<0%"),
        [
          { condition: "filled:old<-99%", found: "-100%" },
          { condition: "fields-gone", found: "old" },
        ],
      );
    });

    it("measures changed rows, and takes rows in place of none as more than any limit", async () => {
      assert.deepEqual(await failed(many(4, { v: "1" }), many(4, { v: "2" }), "changed>99%", "changed>4"), [
        { condition: "changed>99%", found: "100%" },
      ]);
      assert.deepEqual(await failed([], many(1), "rows>1000%", "added>100%", "removed>0%"), [
        { condition: "rows>1000%", found: "BASE has no rows" },
        { condition: "added>100%", found: "BASE has no rows" },
      ]);
    });

    it("is refused if it means nothing, or names a field that no side has", async () => {
      for (const text of [
        ...["rows", "rows<", "rows<10", "rows=1%", "rows<-10 %", "rows<1e3%", "rows<--1%", "filled<-1%", "filled:<-1%"],
        ..."filled:a<-1 removed>-1 removed> changed>+1 added>-0 gone fields-gone>0 unchanged>1".split(" "),
        ...["", "rows<-10%\n"],
      ]) {
        assert.throws(() => conditionOf(text), /It must be like rows<-10%, filled:price<-5%, /, text);
      }
      const file = files.rows("b.ndjson", many(1));
      assert.equal(
        await files.failure(file, file, { failOn: ["filled:prise<-1%"] }),
        '--fail-on names "prise", which is no field of the rows; did you mean "price"?',
      );
      assert.match(await files.failure(file, file, { failOn: ["added>0"] }), /^--fail-on "added>0" needs --key\./);
    });

    it("stands first in the report if it fails", async () => {
      const [base, head] = [files.rows("b.ndjson", many(2)), files.rows("h.ndjson", many(1))];
      const options = { failOn: ["rows>5%", "rows<-10%"] };
      const { text, hasProblems } = await files.compare(base, head, options);
      assert.match(text, /^rows<-10% failed: -50%\n\nBase: /);
      assert.equal(hasProblems, true);
      const { text: markdown } = await files.compare(base, head, { ...options, markdown: true });
      assert.match(markdown, /^## Rows\n\n> \[!CAUTION\]\n> - `rows<-10%` failed: `-50%`\n\n- Base: /);
      assert.equal((await files.compare(base, base, options)).hasProblems, false);
    });
  });

  it("shows the kinds of values, their lengths and the most frequent ones", async () => {
    const values = [
      "1",
      "-2.5e3",
      "2026-02-28",
      "2026-02-30",
      "2026-01-01T10:00:00Z",
      "https://a.test/x",
      "http:/x",
      "x y",
      "x y",
      "01",
    ];
    const base = files.rows("b.ndjson", [...values.map((v) => ({ v })), { v: " " }, {}]);
    const { text } = await files.compare(base, files.rows("h.ndjson", [{ v: "x" }]));
    const [, cells = ""] = /^v +(.*)$/m.exec(text) ?? [];
    assert.deepEqual(cells.split(/ {2,}/), [
      "83.3% -> 100%",
      "other 41.7%, number 16.7%, date 16.7%, empty 16.7%, URL 8.3% -> other",
      "9 -> 1",
      "1 to 20 -> 1",
      "x y (2), -2.5e3 (1), 01 (1)",
      "x (1)",
    ]);
  });

  it("shows no value with --no-values", async () => {
    const base = files.rows(
      "b.ndjson",
      ["one", "two", "two"].map((id) => ({ id: `secret-${id}`, v: "secret-old" })),
    );
    const head = files.rows(
      "h.ndjson",
      ["one", "three"].map((id) => ({ id: `secret-${id}`, v: "secret-new" })),
    );
    for (const key of [[], ["id"]]) {
      for (const markdown of [false, true]) {
        const { text, json } = await files.compare(base, head, { key, markdown, values: false });
        assert.doesNotMatch(text, /secret/);
        assert.doesNotMatch(JSON.stringify(json), /secret/);
        assert.match((await files.compare(base, head, { key, markdown })).text, /secret-/);
      }
    }
  });

  it("guesses no name with --no-values, because the first line of a CSV without a header has values", async () => {
    const file = files.write("plain.csv", "Jane Doe,1\nJohn Doe,2\n");
    const names = { key: ["Jane Do"] };
    assert.match(await files.failure(file, file, names), /did you mean "Jane Doe"\?$/);
    const says = /^(?:--key|--fail-on) names "Jane Do", which is no field of the rows\.$/;
    assert.match(await files.failure(file, file, { ...names, values: false }), says);
    assert.match(await files.failure(file, file, { failOn: ["filled:Jane Do<-1%"], values: false }), says);
  });

  describe("of hostile names and values", () => {
    const markdown = new MarkdownIt({ html: true, linkify: true });
    markdown.linkify.set({ fuzzyEmail: true, fuzzyLink: true }).add("ftp:", "https:").add("xmpp:", "mailto:");
    /** What is shown, without what stands in code, where nothing comes alive. */
    const aliveIn = (text: string): string => markdown.render(text).replace(/<code>[^<]*<\/code>/g, "");

    const sides = async (texts: readonly string[], options = {}) => {
      const of = (end: string) =>
        texts.map((text, index) => ({
          id: `${index}`,
          key: `${text}${index}`,
          [text]: `${text}x`,
          [`${text}~`]: text + end,
        }));
      return files.compare(files.rows("b.ndjson", of("a")), files.rows("h.ndjson", of("b")), options);
    };
    const ofUsualLength = hostileStrings.filter(({ text }) => text.length < 10_000);
    /** Some at a time, because each comparison starts a database. Those beside each other in the list can be the same name when they are read. */
    const groups = Array.from({ length: isLarge ? 8 : 2 }, (_, first) =>
      ofUsualLength.filter((_string, index) => index % 8 === first),
    );
    /** The report of as many harmless names, made once for each number of them. */
    const harmless = (options: object) => {
      const made = new Map<number, Promise<string>>();
      return ({ length }: readonly unknown[]): Promise<string> => {
        const names = Array.from({ length }, (_, index) => `harmless ${index}`);
        const text = made.get(length) ?? sides(names, options).then((compared) => compared.text);
        made.set(length, text);
        return text;
      };
    };

    it("is inert Markdown that differs from a harmless one in code only", async function () {
      this.timeout(120_000);
      const options = { key: ["key"], markdown: true };
      // The fields stand in the order of their names.
      const linesIn = (text: string): string[] => aliveIn(text).split("\n").sort();
      const expectedOf = harmless(options);
      for (const group of groups) {
        const expected = linesIn(await expectedOf(group));
        const { text: report } = await sides(
          group.map(({ text }) => text),
          options,
        );
        assert.deepEqual(linesIn(report), expected, group.map(({ what }) => what).join());
      }
    });

    it("has the same lines as a harmless one on a terminal, and no control character", async function () {
      this.timeout(120_000);
      const options = { key: ["key"], failOn: ["changed>0"] };
      const expectedOf = harmless(options);
      for (const group of groups) {
        const what = group.map((each) => each.what).join();
        const expected = (await expectedOf(group)).split("\n").length;
        const report = (
          await sides(
            group.map(({ text }) => text),
            options,
          )
        ).text;
        assert.equal(report.split("\n").length, expected, what);
        assert.doesNotMatch(report, /[^\P{Cc}\n]|[\p{Cf}\p{Cs}\u2028\u2029]/u, what);
      }
    });

    slowIt("is at most 60,000 characters long, and counts what is left out", async function () {
      this.timeout(120_000);
      const texts = allHostileStrings.map(({ text }) => text);
      const { text, json } = await sides(texts, { key: ["id"], markdown: true });
      assert.ok(text.length <= 60_000, `${text.length} characters`);
      assert.doesNotMatch(aliveIn(text), /<(?!\/?(?:h2|ul|li|table|thead|tbody|tr|th|td|p)\b)/);
      assert.ok(json.fields.length > 100);
    });

    it("keeps fields with names of SQL, and hides what looks like a secret", async () => {
      const names = ['"; DROP TABLE base_0; --', "c0", "rowid", "k0", "row", "NULL", "'", "{'a':", "$x", "?", "$1"];
      const of = (end: string) => [Object.fromEntries([["id", "1"], ...names.map((name) => [name, name + end])])];
      const { json } = await files.compare(files.rows("b.ndjson", of("1")), files.rows("h.ndjson", of("2")), {
        key: ["id"],
      });
      assert.deepEqual(
        json.fields.map(({ name, changed }: { name: string; changed: number }) => [name, changed]),
        [...names.sort().map((name) => [name, 1]), ["id", 0]],
      );
      const keyed = await files.compare(files.path("b.ndjson"), files.path("b.ndjson"), {
        key: ["row", "k0", "rowid"],
      });
      assert.equal(keyed.json.unchanged, 1);
      const secrets = Object.values(secretValues).flatMap(({ name, value }) => (name === undefined ? [value] : []));
      for (const key of [[], ["id"]]) {
        const rows = (end: string) => secrets.map((value, id) => ({ id: `${id}`, v: `${value} ${end}` }));
        const [base, head] = [files.rows("b.ndjson", rows("a")), files.rows("h.ndjson", rows("b"))];
        for (const markdownToo of [false, true]) {
          const { text } = await files.compare(base, head, { key, markdown: markdownToo });
          assert.match(text, /\[secret\]/);
        }
      }
    });
  });
});
