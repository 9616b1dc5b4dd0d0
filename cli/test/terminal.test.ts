import assert from "node:assert/strict";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { useFakeTimers } from "sinon";
import { hostileStrings } from "../../test/hostile";
import { parseConfig } from "../../test/internals/config";
import { describeRefusedDelete } from "../../test/internals/provider";
import type { RunReason } from "../../test/internals/resources";
import { ResourceError, RowsAreHeld } from "../../test/internals/resources";
import { assertShown } from "../../test/shownText";
import { adviceOn, CliError, Terminal, table } from "./internals/cli";

interface Kind {
  isTTY?: boolean;
  columns?: number;
  colours?: boolean;
}

/** A stream that is a terminal or not, and what was written to it. */
function stream({ isTTY = false, columns = 80, colours = isTTY }: Kind = {}) {
  const made = Object.assign(new PassThrough(), {
    isTTY,
    columns,
    hasColors: () => colours,
    setRawMode: () => undefined,
  });
  let text = "";
  made.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  return { made, written: () => text };
}

function terminal(kind: Kind) {
  const [input, output, errors] = [stream(kind), stream(kind), stream(kind)];
  return {
    terminal: new Terminal({ input: input.made, output: output.made, errors: errors.made }),
    input,
    output,
    errors,
  };
}

const escapeCharacter = String.fromCharCode(27);

describe("the terminal of the command line", () => {
  it("has colours on a terminal only, and none if the terminal or NO_COLOR says so", () => {
    for (const [kind, said] of [
      [{ isTTY: true }, `${escapeCharacter}[31merror:${escapeCharacter}[39m no\n`],
      [{ isTTY: true, colours: false }, "error: no\n"],
      [{}, "error: no\n"],
    ] as const) {
      const { terminal: shown, errors } = terminal(kind);
      shown.fail("no");
      assert.equal(errors.written(), said);
    }
  });

  it("shows the progress in a line that changes on a terminal", () => {
    const shown = terminal({ isTTY: true, columns: 12 });
    shown.terminal.progress("12 of 25 rows");
    shown.terminal.progress("13 of 25 rows");
    shown.terminal.say("Done.");
    const deleted = `\r${escapeCharacter}[K`;
    const lines = ["12 of 25 ro", "13 of 25 ro", "Done.\n"].map((line) => `${deleted}${line}`);
    assert.equal(shown.errors.written(), lines.join(""));
  });

  it("writes a line to a log when the progress has changed, at most one in 10 seconds", () => {
    const clock = useFakeTimers({ toFake: ["performance"] });
    try {
      for (const streams of [{}, { isTTY: true, colours: false }]) {
        const log = terminal(streams);
        for (const done of [0, 1, 1, 2, 2, 3]) {
          log.terminal.progress(`${done} of 3 subtasks done`);
          clock.tick(6_000);
        }
        assert.equal(log.errors.written(), "1 of 3 subtasks done\n2 of 3 subtasks done\n");
      }
    } finally {
      clock.restore();
    }
  });

  it("takes yes from a key, and everything else as no", async () => {
    for (const [key, answer] of [
      ["y", true],
      ["n", false],
      ["\r", false],
    ] as const) {
      const { terminal: asked, input, errors } = terminal({ isTTY: true });
      const confirmed = asked.confirm("Start?", new AbortController().signal);
      await once(errors.made, "data");
      input.made.write(key);
      assert.equal(await confirmed, answer, JSON.stringify(key));
    }
  });

  it("writes a table without lines, with each control character as a space", () => {
    const { terminal: wide } = terminal({});
    assert.equal(table(["a", "b"], [["1", `x${escapeCharacter}[31m`]], wide), "a  b\n1  x [31m");
    assert.equal(table(["名", "b"], [["店铺", "1"]], wide), "名    b\n店铺  1");
  });

  it("aligns columns by the width of characters", () => {
    const { terminal: wide } = terminal({});
    const cells = { "1 €": 3, "a–b": 3, "“x” — y": 7, "e\u0301": 1, Ａ: 2, ｱ: 1, "👩🏽": 2, "🇩🇪": 2, 한글: 4, นี่: 1 };
    for (const [cell, width] of Object.entries(cells)) {
      const [, first = "", second = ""] = table(
        ["a", "b"],
        [
          [cell, "1"],
          ["x".repeat(9), "2"],
        ],
        wide,
      ).split("\n");
      assert.equal(first, `${cell}${" ".repeat(9 - width)}  1`, cell);
      assert.equal(second, `${"x".repeat(9)}  2`);
    }
  });

  it("cuts cells and the progress at whole characters, within the width", () => {
    const { terminal: narrow, errors } = terminal({ isTTY: true, columns: 10 });
    for (const [text, cell, progress] of [
      ["店铺店铺店铺", "店铺店铺…", "店铺店铺"],
      ["€€€€€€€€€€€€", "€€€€€€€€€…", "€€€€€€€€€"],
      [`${"e\u0301".repeat(12)}`, `${"e\u0301".repeat(9)}…`, "e\u0301".repeat(9)],
      ["a\tb\nc", "a b c", "a b c"],
    ] as const) {
      assert.equal(table(["a"], [[text]], narrow).split("\n")[1], cell);
      narrow.progress(text);
      assert.ok(errors.written().endsWith(`\u001b[K${progress}`), JSON.stringify(errors.written()));
    }
  });

  describe("shows nothing that a terminal or a CI system obeys", () => {
    it("whatever a message, a result, a table, a question and a progress contain", async () => {
      for (const { what, text } of hostileStrings) {
        const { terminal: shown, output, errors } = terminal({});
        shown.say(text);
        shown.warn(text);
        shown.fail(text);
        await shown.write(text);
        await shown.write(table([text], [[text], [`a${text}`]], shown));
        await assert.rejects(shown.confirm(text, new AbortController().signal), CliError);
        await shown.flush();
        assertShown(output.written(), what);
        assertShown(errors.written(), what);
        for (const beginning of ["warning: ", "error: "]) {
          assert.ok(errors.written().includes(beginning), what);
        }
      }
    });

    it("on a terminal, but its own colours and the progress", async () => {
      for (const { what, text } of hostileStrings) {
        const { terminal: shown, output, errors } = terminal({ isTTY: true });
        shown.warn(text);
        shown.progress(text);
        await shown.write(table(["name"], [[text]], shown));
        await shown.flush();
        const own = new RegExp(`${escapeCharacter}\\[(?:33|39)m|\r${escapeCharacter}\\[K`, "g");
        assertShown(output.written(), what);
        assertShown(errors.written().replace(own, ""), what);
      }
    });

    it("and writes the bytes of rows as they are", async () => {
      const { terminal: shown, output } = terminal({});
      const row = `{"a":"${escapeCharacter}[31m\u202e"}\n`;
      await shown.write(Buffer.from(row));
      await shown.flush();
      assert.equal(output.written(), row);
    });
  });

  it("cuts the cells of a table that is wider than the terminal", () => {
    const { terminal: narrow } = terminal({ isTTY: true, columns: 30, colours: false });
    const lines = table(["a", "b"], [["short", "x".repeat(100)]], narrow).split("\n");
    assert.ok(
      lines.every((line) => line.length <= 30),
      lines.join("\n"),
    );
    assert.match(lines[1] ?? "", /^short +x+…/);
  });
});

describe("the advice of the command line about a run", () => {
  it("names the commands that continue, and no argument of a resource", () => {
    const about = (reason: RunReason["reason"]) =>
      new ResourceError("message", { taskId: "shop-1", lotNo: "7", reason });
    const more =
      "\nMore: https://github.com/pulumi-webextract/pulumi-webextract/blob/main/docs/troubleshooting.md#runs";
    assert.equal(
      adviceOn(about("superseded"), undefined),
      `\nWait for the end of the other run before you start the next one.${more}`,
    );
    assert.equal(
      adviceOn(about("failed"), "dev"),
      `\nTo start a new run, run "webextract run shop-1 --stack dev".${more}`,
    );
    for (const reason of ["notFinished", "timedOut", "notStopped"] as const) {
      assert.doesNotMatch(adviceOn(about(reason), undefined), /pulumi up|adoptLotNo|triggers|finishedWhen/);
    }
    assert.equal(adviceOn(new ResourceError("message"), undefined), "");
  });

  it("quotes the ids in commands to copy: the service has chosen them", () => {
    const hostile = "$(id); 'x'";
    const quoted = `'$(id); '\\''x'\\'''`;
    const advice = (reason: RunReason["reason"]) =>
      adviceOn(new ResourceError("message", { taskId: hostile, lotNo: hostile, reason }), hostile);
    assert.ok(advice("failed").includes(`"webextract run ${quoted} --stack ${quoted}"`), advice("failed"));
    const waits = `"webextract run ${quoted} --lot-no ${quoted} --stack ${quoted}"`;
    assert.ok(advice("timedOut").includes(waits), advice("timedOut"));
    const refused = (taskId: string) => describeRefusedDelete(new RowsAreHeld(taskId, "it has rows"));
    for (const taskId of [hostile, "true", "yes", "a,task-2", '["a"]', "1"]) {
      const [, word = ""] = /WEBEXTRACT_FORCE_DESTROY='(.*?)' \(or/.exec(refused(taskId)) ?? [];
      const value = word.replaceAll(`'\\''`, "'");
      const { forceDestroy } = parseConfig((key) => (key === "forceDestroy" ? value : undefined), {}).config.settings;
      assert.deepEqual([forceDestroy(taskId), forceDestroy("task-2")], [true, false], taskId);
    }
  });
});
