import assert from "node:assert/strict";
import fc, { runs } from "../fastCheck";
import { ManifestFolder } from "./manifestFolder";

/** What a document of a manifest contains: strings, numbers, booleans, lists and maps. */
type Value = string | number | boolean | Value[] | { [name: string]: Value };
type Task = Record<string, Value> & { name: string };

const word = fc.constantFrom("a", "Open", "next.page", "x-1", "shop_2", "ü", "本", "😀", "0", "constructor");
const text = fc.oneof(
  word,
  fc.constantFrom("", " ", "# no comment", "a: b", "- a", "---", "'", '"', "\\", "two\nlines", "\ttab", "~", "true"),
  fc.string({ unit: "grapheme", maxLength: 12 }).map((each) => each.replaceAll("${", "$")),
);
const line = fc.tuple(word, word).map(([a, b]) => `https://${a}.test/${b}?q=#1`);
const properties = fc.dictionary(word, text, { minKeys: 1, maxKeys: 4 });
const loop = fc.record({ loopType: word, items: fc.array(line, { minLength: 1, maxLength: 4 }) });
const action = fc.record({ actionType: word, properties, loop }, { requiredKeys: ["actionType", "properties"] });
/** Each name of an export has a file of its own. */
const exported = (path: string) => fc.record({ path: fc.constant(path), maxRows: fc.integer({ min: 1, max: 99 }) });
const exports = fc.oneof(
  fc.record({ rows: exported("rows-{lotNo}.ndjson") }),
  fc.record({ rows: exported("rows-{lotNo}.ndjson"), all: exported("all-{lotNo}.ndjson") }),
);

/** One task after the other, each valid. */
const tasks = fc.array(
  fc.record(
    {
      from: fc.oneof(fc.record({ adoptTaskId: word }), fc.record({ sourceTaskId: word, taskGroupId: word })),
      actions: fc.dictionary(word, action, { minKeys: 1, maxKeys: 3 }),
      startUrls: fc.record({ urls: fc.array(line, { minLength: 1, maxLength: 4 }) }),
      run: fc.record({ waitFor: fc.constant("finished"), triggers: fc.record({ at: text, list: fc.array(text) }) }),
      forceDestroy: fc.boolean(),
      exports,
      opts: fc.record({ protect: fc.boolean() }),
    },
    { requiredKeys: ["from", "run"] },
  ),
  { minLength: 1, maxLength: 6 },
);

/** Writes values as YAML, with everything between them that must not matter. */
class NoisyWriter {
  private at = 0;

  constructor(private readonly choices: readonly number[]) {}

  file(all: readonly Task[]): string {
    const asCollection = all.length > 1 && this.choose(3) === 0;
    const documents = asCollection ? [this.collection(all)] : all.map((each) => this.document(each));
    const isMarked = documents.length > 1 || this.choose(2) === 0;
    const written = documents.map((each, index) => {
      const marker = isMarked && (index > 0 || this.choose(2) === 0) ? `---${this.lineEnd()}` : "";
      const end = index < documents.length - 1 && this.choose(4) === 0 ? `...${this.lineEnd()}` : "";
      return `${this.lines()}${marker}${this.lines()}${each}${this.lines()}${end}`;
    });
    // Documents without content are none.
    const empty = isMarked ? "---\n".repeat(this.choose(3)) : "";
    const whole = `${written.join("")}${empty}${this.lines()}`;
    const byteOrderMark = this.choose(3) === 0 ? "\ufeff" : "";
    return byteOrderMark + (this.choose(3) === 0 ? whole.replaceAll("\n", "\r\n") : whole);
  }

  private document(task: Task): string {
    return this.choose(4) === 0 ? `${this.flow(task)}${this.lineEnd()}` : this.blockMap(task, 0);
  }

  private collection(all: readonly Task[]): string {
    return this.blockMap({ tasks: Object.fromEntries(all.map(({ name, ...task }) => [name, task])) }, 0);
  }

  private blockMap(map: Record<string, Value>, indent: number): string {
    return this.shuffled(Object.entries(map))
      .map(([key, value]) => `${this.lines()}${" ".repeat(indent)}${this.scalar(key)}:${this.block(value, indent)}`)
      .join("");
  }

  /** The value behind a key or a dash, to the end of its last line. */
  private block(value: Value, indent: number): string {
    const inner = indent + 1 + this.choose(3);
    if (typeof value !== "object" || this.choose(3) === 0 || Object.keys(value).length === 0) {
      return ` ${this.flow(value, inner)}${this.lineEnd()}`;
    }
    if (!Array.isArray(value)) {
      return `${this.lineEnd()}${this.blockMap(value, inner)}`;
    }
    const items = value.map((item) => `${this.lines()}${" ".repeat(inner)}-${this.block(item, inner)}`);
    return `${this.lineEnd()}${items.join("")}`;
  }

  private flow(value: Value, indent = 1): string {
    if (typeof value !== "object") {
      return this.scalar(value);
    }
    const isList = Array.isArray(value);
    const parts = isList
      ? value.map((each) => this.flow(each, indent))
      : this.shuffled(Object.entries(value)).map(([key, each]) => `${this.scalar(key)}: ${this.flow(each, indent)}`);
    const gap = (): string => (this.choose(4) === 0 ? `${this.lineEnd()}${this.lines()}${" ".repeat(indent)}` : " ");
    const lastComma = parts.length > 0 && this.choose(3) === 0 ? "," : "";
    const inside = parts.map((each) => `${gap()}${each}`).join(",");
    return `${isList ? "[" : "{"}${inside}${lastComma}${gap()}${isList ? "]" : "}"}`;
  }

  private scalar(value: string | number | boolean): string {
    if (typeof value !== "string") {
      return String(value);
    }
    const isPlain = /^[\p{L}][\w.-]*$/u.test(value) && !/^(?:true|false|null)$/i.test(value);
    const isSingle = !/[\p{Cc}\p{Cs}\u2028\u2029\ufeff]/u.test(value);
    const styles = [JSON.stringify(value), isSingle ? `'${value.replaceAll("'", "''")}'` : "", isPlain ? value : ""];
    const possible = styles.filter((each) => each !== "");
    return possible[this.choose(possible.length)] ?? "";
  }

  /** Lines that say nothing, many of them at times. */
  private lines(): string {
    const count = [0, 0, 0, 0, 1, 2, 150][this.choose(7)] ?? 0;
    const line = ["", "  ", "# note", "      # a: [", '#"', "# ---"][this.choose(6)];
    return `${line}\n`.repeat(count);
  }

  private lineEnd(): string {
    return ["\n", "\n", "  \n", " # note\n", " #: {\n"][this.choose(5)] ?? "\n";
  }

  private shuffled<T>(list: readonly T[]): T[] {
    const keyed = list.map((each) => ({ each, key: this.choose(1000) }));
    return keyed.sort((one, other) => one.key - other.key).map(({ each }) => each);
  }

  private choose(below: number): number {
    return (this.choices[this.at++ % this.choices.length] ?? 0) % below;
  }
}

describe("what stands between the values of a manifest", () => {
  const folder = new ManifestFolder();
  after(() => folder.remove());

  const read = (content: string): unknown[] => {
    folder.write({ "novels.yaml": content });
    const read = folder.tasks();
    const sorted = read.map(({ at: _at, earlierNames: _names, map: _map, wasList: _list, ...each }) => ({
      ...each,
      run: each.run && { ...each.run, references: [] },
      exports: each.exports.map(({ at: _place, ...rest }) => rest).sort((a, b) => (a.name < b.name ? -1 : 1)),
    }));
    return sorted.sort((a, b) => (a.name < b.name ? -1 : 1));
  };

  it("never matters: comments, blank lines, ends of lines, the order of keys, the style, the number of documents", () => {
    const choices = fc.array(fc.nat({ max: 5000 }), { minLength: 200, maxLength: 400, size: "max" });
    fc.assert(
      fc.property(tasks, choices, (given, all) => {
        const named = given.map((each, index) => ({ name: `task-${index}`, ...each }) as unknown as Task);
        const plain = named.map((each) => `--- ${JSON.stringify(each)}\n`).join("");
        assert.deepEqual(read(new NoisyWriter(all).file(named)), read(plain));
      }),
      runs(150),
    );
  });

  for (const count of [1, 60, 500]) {
    it(`may be the beginnings of ${count} documents, or ${count} lines`, () => {
      const document = (name: string): string => `name: t${name}\nfrom: { adoptTaskId: t }\n`;
      const documents = Array.from({ length: count }, (_, index) => document(String(index)));
      assert.equal(read(documents.join("---\n")).length, count);
      assert.equal(read(documents.map((each) => `# note\n---\n${each}...\n`).join("")).length, count);
      for (const noise of ["\n", "# note\n", "  # note\n\n"]) {
        const many = noise.repeat(count);
        assert.equal(read(`${many}${document("a")}${many}---\n${many}${document("b")}${many}`).length, 2);
      }
    });
  }
});
