// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests have variables
import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { PassThrough } from "node:stream";
import { isLarge } from "../../test/environment";
import { allCommands, Terminal } from "./internals/cli";
import { CommandContext } from "./internals/compare";
import { useCliWorld } from "./webextract";

describe("rename", () => {
  const world = useCliWorld();

  const write = (path: string, text: string): void => {
    mkdirSync(dirname(world.path(path)), { recursive: true });
    writeFileSync(world.path(path), text);
  };
  const read = (path: string): string => readFileSync(world.path(path), "utf8");

  it("renames the file of a task, and notes its earlier name", async () => {
    write(
      "tasks/shop-1.yaml",
      "# yaml-language-server: $schema=x\n# A shop.\nfrom: { adoptTaskId: shop-1 } # ours\n\nrun: {}\n",
    );
    write("tasks/other.yaml", "from: { adoptTaskId: a }\nrun:\n  rerunOn: [shop-1, 'other']  # after the shop\n");
    const ended = await world.run("rename shop-1 books");
    assert.equal(ended.code, 0, ended.stderr);
    assert.deepEqual(readdirSync(world.path("tasks")).sort(), ["books.yaml", "other.yaml"]);
    assert.equal(
      read("tasks/books.yaml"),
      "# yaml-language-server: $schema=x\n# A shop.\nwas: [shop-1]\nfrom: { adoptTaskId: shop-1 } # ours\n\nrun: {}\n",
    );
    assert.equal(
      read("tasks/other.yaml"),
      "from: { adoptTaskId: a }\nrun:\n  rerunOn: [books, 'other']  # after the shop\n",
    );
    assert.equal((await world.run("validate tasks")).code, 0);
  });

  /** The file before and after `rename old new`. */
  const forms: Record<string, [before: string, after: string]> = {
    "a name": ["name: old\nfrom: { adoptTaskId: a }\n", "was: [old]\nname: new\nfrom: { adoptTaskId: a }\n"],
    "a name in quotes": [
      'from: { adoptTaskId: a }\nname: "old"\n',
      "was: [old]\nfrom: { adoptTaskId: a }\nname: new\n",
    ],
    "a key of a collection": [
      "tasks:\n  first: { from: { adoptTaskId: b } }\n  old: # ours\n    from: { adoptTaskId: a }\n",
      "tasks:\n  first: { from: { adoptTaskId: b } }\n  new: # ours\n    was: [old]\n    from: { adoptTaskId: a }\n",
    ],
    "a flow map": [
      "tasks: { old: { from: { adoptTaskId: a }, run: { rerunOn: [old] } } }\n",
      "tasks: { new: { was: [old], from: { adoptTaskId: a }, run: { rerunOn: [new] } } }\n",
    ],
    "the second document": [
      "name: first\nfrom: { adoptTaskId: b }\n---\nname: old\nfrom: { adoptTaskId: a }\n",
      "name: first\nfrom: { adoptTaskId: b }\n---\nwas: [old]\nname: new\nfrom: { adoptTaskId: a }\n",
    ],
    "earlier names in a flow list": [
      "name: old\nwas: [older] # see the log\nfrom: { adoptTaskId: a }\n",
      "name: new\nwas: [old, older] # see the log\nfrom: { adoptTaskId: a }\n",
    ],
    "earlier names in a block list": [
      "name: old\nwas:\n  - older\n  - oldest\nfrom: { adoptTaskId: a }\n",
      "name: new\nwas:\n  - old\n  - older\n  - oldest\nfrom: { adoptTaskId: a }\n",
    ],
    "earlier names with comments, without indentation": [
      "name: old\nwas:\n- older # one\n# two\n- oldest # three\nfrom: { adoptTaskId: a }\n",
      "name: new\nwas:\n- old\n- older # one\n# two\n- oldest # three\nfrom: { adoptTaskId: a }\n",
    ],
    "earlier names at the end of the file": [
      "name: old\nfrom: { adoptTaskId: a }\nwas:\n  - older",
      "name: new\nfrom: { adoptTaskId: a }\nwas:\n  - old\n  - older",
    ],
    "back to one of several earlier names": [
      "name: old\nwas:\n- new\n- oldest\nfrom: { adoptTaskId: a }\n",
      "name: new\nwas: [oldest, old]\nfrom: { adoptTaskId: a }\n",
    ],
    "a byte order mark": [
      "\ufeffname: old\nfrom: { adoptTaskId: a }\n",
      "\ufeffwas: [old]\nname: new\nfrom: { adoptTaskId: a }\n",
    ],
    "references beside variables": [
      "name: old\nfrom: { adoptTaskId: a }\nrun: { rerunOn: [old, '${x}', 'old'] }\n",
      "was: [old]\nname: new\nfrom: { adoptTaskId: a }\nrun: { rerunOn: [new, '${x}', new] }\n",
    ],
    "back to an earlier name": [
      "name: old\nwas: [new]\nfrom: { adoptTaskId: a }\n",
      "name: new\nwas: [old]\nfrom: { adoptTaskId: a }\n",
    ],
    "line breaks of Windows": [
      "name: old\r\nfrom: { adoptTaskId: a }\r\n",
      "was: [old]\r\nname: new\r\nfrom: { adoptTaskId: a }\r\n",
    ],
  };
  for (const [name, [before, after]] of Object.entries(forms)) {
    it(`changes ${name}, and nothing else`, async () => {
      write("tasks.yaml", before);
      const ended = await world.run("rename old new tasks.yaml");
      assert.equal(ended.code, 0, ended.stderr);
      assert.equal(read("tasks.yaml"), after);
      assert.equal((await world.run("validate tasks.yaml")).code, 0);
    });
  }

  it("writes names that YAML would read otherwise in quotes", async () => {
    for (const name of ["null", "a: b", "${x}", 'quote"', "ü", "# no", "*x"].slice(0, isLarge ? undefined : 3)) {
      write("tasks.yaml", "name: old\nfrom: { adoptTaskId: a }\n");
      const running = world.start(["rename", "old", name, "tasks.yaml"]);
      running.process.stdin.end();
      const { code, stderr } = await running.ended;
      assert.equal(code, 0, `${name}: ${stderr}`);
      const { tasks } = (await world.run("list tasks.yaml --json")).json();
      assert.deepEqual(
        tasks.map((task: { name: string }) => task.name),
        [name],
      );
    }
  });

  it("changes nothing while another rename changes the file", async () => {
    write("tasks.yaml", "name: old\nfrom: { adoptTaskId: a }\n");
    mkdirSync(world.path("tasks.yaml.lock"));
    const { code, stderr } = await world.run("rename old new tasks.yaml");
    assert.equal(code, 1);
    assert.match(stderr, /"tasks\.yaml" cannot be locked: another rename is changing it\. Nothing was changed\./);
    assert.match(read("tasks.yaml"), /^name: old/);
    rmdirSync(world.path("tasks.yaml.lock"));
    assert.equal((await world.run("rename old new tasks.yaml")).code, 0);
    assert.deepEqual(
      readdirSync(world.path(".")).filter((name) => name.endsWith(".lock")),
      [],
    );
  });

  it("changes nothing if a file was changed or has gone since it was read", async () => {
    const rename = allCommands().find(({ name }) => name === "rename");
    const path = world.path("tasks.yaml");
    for (const meanwhile of [() => writeFileSync(path, "changed"), () => rmSync(path)]) {
      write("tasks.yaml", "name: old\nfrom: { adoptTaskId: a }\n");
      const streams = { input: new PassThrough(), output: new PassThrough(), errors: new PassThrough() };
      const cli = new CommandContext(new Terminal(streams), new AbortController().signal);
      // The last step before the files are written.
      cli.checkInterrupted = (what) => void (what === "Nothing was changed." && meanwhile());
      await assert.rejects(
        async () => rename?.run({ arguments: ["old", "new", [path]], options: {} }, cli),
        /tasks\.yaml" was changed by another program in the meantime\. Nothing was changed\./,
      );
      assert.deepEqual(existsSync(path) ? read("tasks.yaml") : "changed", "changed");
    }
  });

  /** What is refused, with the files, the line and the words. */
  const refused: Record<string, [files: Record<string, string>, line: string, code: number, words: RegExp]> = {
    "a name that no task has": [
      { "tasks/books.yaml": "from: { adoptTaskId: a }" },
      "rename boks x",
      2,
      /declare no task "boks"; did you mean "books"\?/,
    ],
    "a name that is taken": [
      { "tasks/a.yaml": "from: { adoptTaskId: a }", "tasks/b.yaml": "from: { adoptTaskId: b }" },
      "rename a b",
      2,
      /"b" is the name or an earlier name of another task/,
    ],
    "an earlier name of another task": [
      { "tasks/a.yaml": "from: { adoptTaskId: a }", "tasks/b.yaml": "from: { adoptTaskId: b }\nwas: [c]" },
      "rename a c",
      2,
      /earlier name of another task/,
    ],
    "a folder as the name of a file": [
      { "tasks/a.yaml": "from: { adoptTaskId: a }" },
      "rename a ../b",
      2,
      /cannot be the name of a file/,
    ],
    "manifests with a problem": [
      { "tasks/a.yaml": "from: { adoptTaskId: a }\nrum: {}" },
      "rename a b",
      1,
      /tasks\/a\.yaml:2:1/,
    ],
    "a file that stands there": [
      { "tasks/a.yaml": "name: c\nfrom: { adoptTaskId: a }", "tasks/b.yaml": "from: { adoptTaskId: b }" },
      "rename b a",
      2,
      /"tasks\/a\.yaml" exists already, and the task has the name of its file/,
    ],
    "a reference that is a block": [
      {
        "tasks/a.yaml": "from: { adoptTaskId: a }\nrun:\n  rerunOn:\n    - >-\n      a\n    - b\n",
        "tasks/b.yaml": "from: { adoptTaskId: b }",
      },
      "rename a c",
      1,
      /tasks\/a\.yaml:4:7: the name is not written as "a" there/,
    ],
    "a task whose map another one shares": [
      { "tasks/a.yaml": "tasks:\n  a: &x { from: { adoptTaskId: a } }\n  b: *x\n" },
      "rename a c",
      1,
      /would not be valid\. Nothing was changed\. Change them by hand:\ntasks\/a\.yaml:2:\d+ tasks\.b\.was\[0\]: is an earlier name "a" of two tasks/,
    ],
    "a name that is too long for a file": [
      { "tasks/a.yaml": "from: { adoptTaskId: a }" },
      `rename a ${"x".repeat(300)}`,
      2,
      /cannot be the name of a file/,
    ],
    "a task that is an alias": [
      { "tasks/a.yaml": "tasks:\n  a: &x { from: { adoptTaskId: a } }\n  b: *x\n" },
      "rename b c",
      1,
      /no map of its own to note its earlier name in/,
    ],
  };
  for (const [what, [files, line, code, words]] of Object.entries(refused)) {
    it(`refuses ${what}, and changes nothing`, async () => {
      for (const [path, text] of Object.entries(files)) {
        write(path, text);
      }
      const ended = await world.run(line);
      assert.equal(ended.code, code, ended.stderr);
      assert.match(ended.stderr, words);
      for (const [path, text] of Object.entries(files)) {
        assert.equal(read(path), text);
      }
      assert.deepEqual(readdirSync(world.path("tasks")).length, Object.keys(files).length);
      assert.ok(!existsSync(world.path("b.yaml")));
    });
  }

  it("says what it has changed if a file cannot be written", async () => {
    write("tasks/a.yaml", "from: { adoptTaskId: a }\n");
    write("tasks/b.yaml", "from: { adoptTaskId: b }\nrun: { rerunOn: [a] }\n");
    // No temporary file can stand beside one with such a long name.
    const long = `tasks/${"y".repeat(245)}.yaml`;
    write(long, "from: { adoptTaskId: c }\nrun: { rerunOn: [a] }\n");
    const ended = await world.run("rename a z");
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, /yyy\.yaml" cannot be written: ENAMETOOLONG\. No file was written\./);
    assert.equal(readdirSync(world.path("tasks")).length, 3);
  });

  it("keeps the mode of a file, and a link", async () => {
    write("real.yaml", "from: { adoptTaskId: a }\n");
    chmodSync(world.path("real.yaml"), 0o600);
    mkdirSync(world.path("tasks"));
    symlinkSync("../real.yaml", world.path("tasks/old.yaml"));
    const ended = await world.run("rename old new");
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(readlinkSync(world.path("tasks/new.yaml")), "../real.yaml");
    assert.equal(read("real.yaml"), "was: [old]\nfrom: { adoptTaskId: a }\n");
    assert.equal(statSync(world.path("real.yaml")).mode & 0o777, 0o600);
    assert.ok(!existsSync(world.path("tasks/old.yaml")));
  });
});
