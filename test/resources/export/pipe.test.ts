import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { watch } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { setEnvironment } from "../../environment";
import { failure, useWorld } from "../life";

const rows = ['{"id":1}', '{"id":2}'];
const asLines = rows.map((row) => `${row}\n`).join("");

/** A command that runs JavaScript, with functions to read stdin and to write a file into the program's folder. */
function node(script: string, ...args: string[]): string[] {
  const tools = `const fs = require("node:fs"); const stdin = () => fs.readFileSync(0); const [, ...args] = process.argv;`;
  return [process.execPath, "-e", `${tools} ${script}`, "--", ...args];
}

describe("DataExport with pipe", () => {
  const world = useWorld();
  beforeEach(() => {
    world.emulator.change.insertRows("task-1", rows);
  });

  const all = { taskId: "task-1", scope: "all", path: "out/rows.ndjson" };
  const keep = 'fs.appendFileSync("got", stdin())';
  const files = (): string[] => readdirSync(world.path("out")).sort();

  it("gives the file to the command, in its format and compression, once for each export", async () => {
    const each = world.declare("DataExport");
    const args = { ...all, path: "out/rows.csv.gz", format: "csv", compression: "gzip", pipe: node(keep) };
    await each.up(args);
    assert.equal(gunzipSync(readFileSync(world.path("got"))).toString(), "id\n1\n2\n");
    assert.deepEqual(files(), ["rows.csv.gz"]);
    assert.equal(await each.up(args), "nothing");
    assert.equal(await each.up({ ...args, pipeTimeoutSeconds: 60 }), "updated");
    const once = readFileSync(world.path("got")).length;
    assert.equal(await each.up({ ...args, pipe: node(`${keep}; 1`) }), "updated");
    assert.equal(readFileSync(world.path("got")).length, 2 * once);
  });

  it("replaces {lotNo} and {file} in the parts, and leaves other braces and the shell's characters", async () => {
    const lotNo = await world.finishedRun();
    const write = 'fs.writeFileSync("args", JSON.stringify(args))';
    const pipe = node(write, "--lot={lotNo}", "{file}", "{print $1}; $(id) {time}");
    await world.declare("DataExport").up({ ...all, scope: "batch", lotNo, path: "out/{lotNo}.ndjson", pipe });
    assert.deepEqual(JSON.parse(world.content("args")), [
      `--lot=${lotNo}`,
      `out/${lotNo}.ndjson`,
      "{print $1}; $(id) {time}",
    ]);
    assert.deepEqual(await world.providers.problems("DataExport", { ...all, pipe: ["psql", "{lotNo}"] }), [
      'pipe[1] contains "{lotNo}", which needs scope "batch"',
    ]);
  });

  it("is refused before any request if it names no command", async () => {
    for (const [pipe, paths] of [
      [[], ["pipe"]],
      [[""], ["pipe[0]"]],
      [["a", ""], ["pipe[1]"]],
      [["a", " "], []],
    ]) {
      assert.deepEqual(await world.providers.paths("DataExport", { ...all, pipe }), paths, JSON.stringify(pipe));
    }
  });

  it("replaces {file} by the name as it is, whatever is special in a replacement", async () => {
    const write = 'fs.writeFileSync("args", JSON.stringify(args))';
    const path = "out/$& $$ $1 $` {n}.ndjson";
    await world.declare("DataExport").up({ ...all, path, pipe: node(write, "{file}") });
    assert.deepEqual(JSON.parse(world.content("args")), ["out/$& $$ $1 $` 1.ndjson"]);
    assert.deepEqual(files(), ["$& $$ $1 $` 1.ndjson"]);
  });

  it("marks rows only after the command has succeeded, and runs it again with the same file", async () => {
    const each = world.declare("DataExport");
    const args = { ...all, path: "out/{n}.ndjson", markExported: true };
    const fails = node(`${keep}; if (!fs.existsSync("fixed")) { console.error("no table\\nbooks"); process.exit(3); }`);
    const message = await failure(each.up({ ...args, pipe: fails }));
    assert.equal(
      message,
      `The command "${process.execPath}" of pipe ended with exit code 3. It wrote to stderr:\n  no table\n  books\n` +
        'The 2 rows of task "task-1" are in "out/1.ndjson". Nothing was marked as exported. The command may have used some of them. ' +
        "The next up exports again into the same file and runs the command again.",
    );
    assert.ok(!world.operations().includes("markExported"));
    assert.deepEqual([each.id, each.state.marked, each.state.pending], ["out/1.ndjson", false, ["pipe"]]);
    world.write("fixed", "");
    assert.equal(await each.up({ ...args, pipe: fails }), "updated");
    assert.deepEqual([each.state.marked, each.state.pending], [true, undefined]);
    assert.deepEqual([files(), world.content("got")], [["1.ndjson"], asLines + asLines]);
    assert.ok(world.operations().includes("markExported"));
  });

  for (const path of ["out/rows.ndjson", "out/{n}.ndjson"]) {
    it(`replaces the file of an export to ${path} that was killed while the command ran, whatever the rows are now`, async () => {
      const each = world.declare("DataExport");
      const args = { ...all, path, pipe: node(`${keep}; if (fs.existsSync("killed")) process.exit(3)`) };
      await each.up(args);
      world.emulator.change.insertRows("task-1", ['{"id":3}']);
      world.write("killed", "");
      const again = { ...args, triggers: [1] };
      const saved = await world.unsaved(each, () => failure(each.up(again)));
      const left = files();
      rmSync(world.path("killed"));
      world.emulator.change.insertRows("task-1", ['{"id":4}']);
      rmSync(world.path("got"));
      await saved.up(again);
      const all4 = `${asLines}{"id":3}\n{"id":4}\n`;
      assert.deepEqual([files(), world.content(saved.state.file as string), world.content("got")], [left, all4, all4]);
    });
  }

  it("fails if the command is not there, or was ended by a signal or by the time limit", async () => {
    const cases: [object, RegExp][] = [
      [
        { pipe: ["no-such-command", "x"] },
        /^The command "no-such-command" of pipe could not be started \((?:ENOENT|EACCES)\)\. Name a program/,
      ],
      [{ pipe: node('process.kill(process.pid, "SIGKILL")') }, /of pipe was ended by SIGKILL\./],
      [{ pipe: node("setInterval(() => {}, 1000)"), pipeTimeoutSeconds: 0.2 }, /of pipe did not end within 0\.2 s\./],
    ];
    for (const [args, reason] of cases) {
      const message = await failure(world.declare("DataExport").up({ ...all, ...args }));
      assert.match(message, reason);
    }
  });

  it("fails in the same way if Node.js cannot try to start the command, and keeps the file", async () => {
    const each = world.declare("DataExport");
    const args = { ...all, path: "out/{n}.ndjson", pipe: node(keep, "x".repeat(3_000_000)) };
    for (const _ of ["create", "update"]) {
      const message = await failure(each.up(args));
      assert.match(
        message,
        /^The command ".*" of pipe could not be started \((E2BIG|ENAMETOOLONG)\)\..*\nThe 2 rows of task "task-1" are in "out\/1.ndjson"\. /,
      );
      assert.deepEqual([each.id, each.state.pending, files()], ["out/1.ndjson", ["pipe"], ["1.ndjson"]]);
    }
    await each.up({ ...args, pipe: node(keep) });
    assert.deepEqual([files(), world.content("got")], [["1.ndjson"], asLines]);
  });

  it("ends the command and what it has started when the export is interrupted", async () => {
    const script =
      'fs.writeFileSync("pid", String(process.pid)); fs.renameSync("pid", "started"); setInterval(() => {}, 1000)';
    world.write("load.js", node(script)[2] ?? "");
    const pipe = ["sh", "-c", `'${process.execPath}' load.js; true`];
    const events = watch(world.folder);
    const message = await world.command(async () => {
      const failed = failure(world.declare("DataExport").up({ ...all, pipe }));
      for await (const { filename } of events) {
        if (filename === "started") break;
      }
      world.providers.interruption.abort();
      return failed;
    });
    assert.match(message, /of pipe was ended because the export was interrupted\./);
    assert.throws(() => process.kill(Number(world.content("started")), 0), /ESRCH/);
  });

  it("refuses a time in which no command can end, and accepts one beyond the longest timer", async () => {
    const args = { ...all, pipe: node(keep) };
    const { problems } = world.providers;
    assert.deepEqual(await problems.call(world.providers, "DataExport", { ...args, pipeTimeoutSeconds: 0 }), [
      "pipeTimeoutSeconds must be a number of at least 0.001; got another number",
    ]);
    await world.declare("DataExport").up({ ...args, pipeTimeoutSeconds: 3e6 });
    assert.equal(world.content("got"), asLines);
  });

  it("succeeds if the command reads only a part and ends with exit code 0", async () => {
    await world.declare("DataExport").up({ ...all, pipe: node("process.exit(0)") });
    assert.equal(world.content("out/rows.ndjson"), asLines);
  });

  it("shows the last lines of stderr only, without credentials", async () => {
    const { accessToken } = world.emulator.credentials;
    const script = `for (let n = 0; n < 500; n++) console.error("line " + n); console.error("refused ${accessToken}"); process.exitCode = 1`;
    const message = await failure(world.declare("DataExport").up({ ...all, pipe: node(script) }));
    assert.ok(message.includes("line 499\n  refused [secret]\n"), message);
    assert.ok(!message.includes("line 480"));
  });

  it("gives the command the environment without the variables of this package, of Pulumi and with a credential", async () => {
    const names = ["WEBEXTRACT_API_KEY", "PULUMI_CONFIG", "PULUMI_ACCESS_TOKEN", "CI_TOKEN", "SHOP_KEY", "PGHOST"];
    const shop = { baseUrl: world.emulator.url, apiKey: "key-of-another-profile" };
    world.configure({ profiles: JSON.stringify({ shop }) });
    const restore = setEnvironment({
      ...Object.fromEntries(names.map((name) => [name, "db.test"])),
      PGHOST: "pg.test",
      SHOP_KEY: shop.apiKey,
      CI_TOKEN: `Bearer ${world.emulator.credentials.accessToken}`,
    });
    try {
      const write = 'fs.writeFileSync("env", JSON.stringify(process.env))';
      await world.declare("DataExport").up({ ...all, pipe: node(write) });
    } finally {
      restore();
    }
    const env = JSON.parse(world.content("env")) as Record<string, string>;
    assert.deepEqual(
      names.filter((name) => name in env),
      ["PGHOST"],
    );
    assert.ok("PATH" in env);
    assert.ok(!Object.keys(env).some((name) => /^(WEBEXTRACT|PULUMI)_/.test(name)));
  });

  it("is refused where rows are marked before the command gets them", async () => {
    world.configure({ markScope: "returned" });
    const args = { ...all, scope: "notExported", markExported: true, path: "{n}.ndjson", pipe: ["psql"] };
    assert.match((await world.providers.problems("DataExport", args)).join(), /^maxRows must be at most 1000 .* pipe /);
    assert.deepEqual(await world.providers.problems("DataExport", { ...args, maxRows: 1000 }), []);
  });

  it("runs no command for rows that do not pass their checks", async () => {
    await failure(world.declare("DataExport").up({ ...all, checks: { minRows: 3 }, pipe: node(keep) }));
    assert.ok(!existsSync(world.path("got")));
  });
});
