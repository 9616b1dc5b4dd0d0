import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { slowIt } from "../../test/environment";
import { assertEnded } from "../../test/processes";
import { keys } from "./pseudoTerminal";
import { useCliWorld } from "./webextract";

const escapeCharacter = String.fromCharCode(27);
const cursorHidden = `${escapeCharacter}[?25l`;
const cursorShown = `${escapeCharacter}[?25h`;
/** The pages of an export of 25 rows. */
const smallPages = { WEBEXTRACT_PAGE_SIZE: "5", WEBEXTRACT_CONCURRENCY: "1" };
const storeAlone = { WEBEXTRACT_ACCESS_TOKEN: undefined, WEBEXTRACT_API_KEY: undefined };

/** Whether the last word about the cursor is that it shows. */
const leavesCursor = (written: string): boolean =>
  written.lastIndexOf(cursorShown) >= written.lastIndexOf(cursorHidden);

describe("the command line on a real terminal", () => {
  const world = useCliWorld();
  beforeEach(async () => {
    await world.finishedRun();
    world.operations();
  });

  it("asks before it starts a run, and takes everything but yes as no", async () => {
    for (const [key, code] of [
      ["n", 1],
      [keys.enter, 1],
      ["y", 0],
    ] as const) {
      const terminal = world.startOnTerminal(["run", "shop-1", "--no-wait"]);
      await terminal.says(/Start a run of task "shop-1" at .*\? It may cost money\./);
      await terminal.says(/Yes.*No/);
      terminal.press(key);
      assert.equal(await terminal.ended, code, terminal.text);
      assert.equal(world.operations().includes("startTask"), key === "y");
      assert.ok(leavesCursor(terminal.written));
    }
  });

  it("ends at Ctrl-C or Ctrl-D inside a question, and does nothing", async () => {
    for (const [line, question, pressed] of [
      ["run shop-1", /It may cost money/, keys.ctrlC],
      ["token import", /Exchange the refresh token/, keys.ctrlC],
      ["token import --yes", /Refresh token/, keys.ctrlC],
      ["run shop-1", /It may cost money/, keys.ctrlD],
      ["token import --yes", /Refresh token/, keys.ctrlD],
      ["token import --yes", /Refresh token/, `half${keys.ctrlD}`],
    ] as const) {
      const terminal = world.startOnTerminal(line.split(" "));
      await terminal.says(question);
      terminal.press(pressed);
      assert.equal(await terminal.ended, 130, terminal.text);
      assert.match(terminal.text, /error: Interrupted before the question was answered\. Nothing was done\./);
      assert.deepEqual(world.operations(), []);
      assert.ok(leavesCursor(terminal.written));
    }
    assert.deepEqual(readdirSync(world.folder), []);
  });

  it("does not show a secret that is typed", async () => {
    const { refreshToken } = world.emulator.credentials;
    const terminal = world.startOnTerminal(["token", "import", "--yes"], { env: storeAlone });
    await terminal.says(/Refresh token/);
    terminal.press(`${refreshToken}${keys.enter}`);
    assert.equal(await terminal.ended, 0, terminal.text);
    assert.ok(!terminal.written.includes(refreshToken));
    assert.deepEqual(world.operations(), ["refreshToken"]);
  });

  it("says that it reads standard input, until Ctrl-C or Ctrl-D", async () => {
    for (const [key, code, says] of [
      [keys.ctrlC, 130, /Interrupted before the end of standard input/],
      [keys.ctrlD, 2, /is not the output of pulumi preview --json|error: /],
    ] as const) {
      const terminal = world.startOnTerminal(["plan-report"]);
      await terminal.says(/Reading standard input\. End it with Ctrl-D\./);
      terminal.press(key);
      assert.equal(await terminal.ended, code, terminal.text);
      assert.match(terminal.text, says);
    }
  });

  it("ends a start at Ctrl-C, and ends at once at the second, which says that a run may have started", async () => {
    const isWaiting = world.holdAnswer({ operation: "startTask" });
    const terminal = world.startOnTerminal(["run", "shop-1", "--yes"]);
    await isWaiting;
    terminal.press(keys.ctrlC);
    await terminal.says(/Ending\. Press Ctrl-C again to end at once\./);
    terminal.press(keys.ctrlC);
    assert.equal(await terminal.ended, 6, terminal.text);
    assert.match(terminal.text, /A paid run of task "shop-1" may have started/);
  });

  it("ends all of a credential command at Ctrl-C", async () => {
    const command = `sleep 1000 & echo "Process $!." >&2; wait`;
    const env = { WEBEXTRACT_ACCESS_TOKEN: undefined, WEBEXTRACT_CREDENTIAL_COMMAND: command };
    const stopped = world.startOnTerminal(["status", "shop-1"], { env });
    await stopped.says(/Process \d+\./);
    stopped.press(keys.ctrlC);
    assert.equal(await stopped.ended, 130, stopped.text);
    const [, left = ""] = /Process (\d+)\./.exec(stopped.text) ?? [];
    await assertEnded([Number(left)]);
  });

  it("shows the progress in a line that disappears at the end or at Ctrl-C, unless the terminal is dumb", async () => {
    for (const key of ["", keys.ctrlC]) {
      const isWaiting = world.holdAnswer({ operation: "getData", skip: 3 });
      const out = `rows${key.length}.ndjson`;
      const terminal = world.startOnTerminal(["export", "shop-1", "--out", out], { env: smallPages });
      await isWaiting;
      await terminal.says(/of 25 rows/);
      terminal.press(key);
      if (key !== "") {
        await terminal.says(/Ending\./);
      }
      world.releaseAnswers();
      assert.equal(await terminal.ended, key === "" ? 0 : 130, terminal.text);
      const afterProgress = terminal.written.slice(terminal.written.lastIndexOf("of 25 rows"));
      assert.ok(key !== "" || afterProgress.includes(`${escapeCharacter}[K`), afterProgress);
    }
    assert.equal(readFileSync(world.path("rows0.ndjson"), "utf8").trim().split("\n").length, 25);
    const dumb = world.startOnTerminal(["export", "shop-1", "--out", "a.csv"], {
      env: { ...smallPages, TERM: "dumb" },
    });
    assert.equal(await dumb.ended, 0);
    assert.ok(!dumb.written.includes(escapeCharacter), JSON.stringify(dumb.written));
  });

  slowIt("has colours, unless NO_COLOR or the terminal forbids them", async () => {
    const written = async (env: Record<string, string | undefined>): Promise<string> => {
      const terminal = world.startOnTerminal(["status", "nowhere"], { env });
      assert.equal(await terminal.ended, 4);
      return terminal.written;
    };
    assert.ok((await written({})).includes(`${escapeCharacter}[31merror:${escapeCharacter}[39m`));
    for (const env of [{ NO_COLOR: "1" }, { TERM: "dumb" }]) {
      assert.ok((await written(env)).startsWith("error:"));
    }
  });

  slowIt("cuts a table at the width of the terminal", async () => {
    const terminal = world.startOnTerminal(["rows", "shop-1"], { columns: 40 });
    assert.equal(await terminal.ended, 0);
    const lines = terminal.text.split("\r\n");
    assert.ok(Math.max(...lines.map((line) => [...line].length)) <= 40, terminal.text);
    assert.match(terminal.text, /…/);
  });
});
