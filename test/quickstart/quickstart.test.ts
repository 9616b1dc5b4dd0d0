import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { savedState } from "../../emulator/test/savedState";
import { pagesFolder } from "../../examples/quickstart/serveSite";
import { slowIt } from "../environment";
import { assertPicture, linesBetween, withoutVaryingValues } from "../pages/pictures";
import { blocks, readPage } from "../pages/readPage";
import type { Ended } from "./freshClone";
import { FreshClone } from "./freshClone";
import { readPages } from "./readPages";

const program = "examples/quickstart/index.ts";
const shelves = ["novels", "nature", "kids", "staff-picks"];

function succeeded({ code, output }: Ended): string {
  assert.equal(code, 0, output);
  return output;
}

/** The README shows some lines of the output, in its order. */
function assertShownInReadme(output: string): void {
  const [shown = ""] = blocks(readPage("README.md").split("<!-- output quickstart -->")[1] ?? "", "text");
  const written = withoutVaryingValues(output).split("\n");
  let from = 0;
  for (const line of shown.split("\n").filter(Boolean)) {
    from = written.indexOf(line, from) + 1;
    assert.ok(from > 0, `the README shows a line that npm start does not write: ${line}`);
  }
  assert.ok(from > 0, "the README shows no output");
}

/** The lines of a preview that add, take away, replace or change something, without the resources' headings. */
function changedProperties(output: string): string[] {
  const preview = output.slice(output.indexOf("pulumi preview"), output.indexOf("Resources:"));
  return preview
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /^(\+|-|~|\+-|-\+|\+\+|--)\s/.test(line) && !line.includes("pulumi-nodejs:dynamic"));
}

describe("npm start", function () {
  this.timeout(180_000);
  let clone: FreshClone;

  before(async () => {
    clone = await FreshClone.make();
  });
  after(() => clone.remove());

  function expectedRows(...more: string[]): Record<string, string>[] {
    const siteUrl = `http://127.0.0.1:${clone.ports.site}`;
    const lists = [...shelves, ...more].map((shelf) => `/shelves/${shelf}/`);
    return readPages({ folder: pagesFolder, siteUrl, lists, maxPages: 2 });
  }

  /** The rows of the file that an up named among its outputs. */
  function exportedRows(output: string): Record<string, string>[] {
    const [file] = [...output.matchAll(/rows\/books-\d+\.ndjson/g)].at(-1) ?? [""];
    return clone
      .read(join("examples/quickstart", file))
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }

  it("previews, applies, and exports the rows of the pages", async () => {
    const output = succeeded(await clone.start());
    assert.match(output, /\+ 4 to create/);
    assert.match(output, /lotNo +: "\d{18}"/);
    assert.match(output, /rowCount *: 23/);
    assert.match(output, /│ 'UL-1002' │ 'Winter in Überlingen' +│ 'Jörg Häußler' +│/);
    assert.match(output, /Could not be read: .*ul-2006\.html: .*404/);
    assert.doesNotMatch(output, /warning/);
    assert.match(output, /npm start -- destroy/);
    assert.deepEqual(exportedRows(output), expectedRows());
    assertShownInReadme(output);
    clone.asUsersDo = false;
    clone.withNpm = false;
  });

  it("shows an edited list and the run that it starts again, and exports the new rows", async () => {
    clone.edit(program, '["staff-picks"]', '["staff-picks", "signed"]');
    const ended = await clone.start();
    const output = succeeded(ended);
    assertPicture("diff", {
      title: "A preview: the changed list, the run that it starts again, and the export of that run",
      command: "pulumi preview --diff",
      output: linesBetween(ended.colouredOutput, "Previewing update", "pulumi up"),
    });
    assert.match(changedProperties(output).join("\n"), /\/shelves\/signed\//);
    assert.match(output, /rowCount *: 23 => 25/);
    assert.deepEqual(exportedRows(output), expectedRows("signed"));
  });

  slowIt("explains how to continue when the state of the emulator is lost", async () => {
    const state = join(clone.folder, ".webextract/emulator.db");
    renameSync(state, `${state}.kept`);
    const { code, output } = await clone.start(["preview"]);
    renameSync(`${state}.kept`, state);
    assert.equal(code, 1);
    assert.match(output, /the emulator does not have it.*npm start -- reset/s);
    assert.doesNotMatch(output, /^ +at /m);
  });

  slowIt("explains a port that another program took", async () => {
    const other = createServer();
    await new Promise<void>((settle) => other.listen(clone.ports.site, "127.0.0.1", settle));
    const { code, output } = await clone.start(["preview"]);
    await new Promise((settle) => other.close(settle));
    assert.equal(code, 1);
    assert.match(output, new RegExp(`Port ${clone.ports.site} is in use`));
  });

  it("destroys all resources although the task has rows, and names the task that stays", async () => {
    const output = succeeded(await clone.start(["destroy"]));
    assert.match(output, /- 4 deleted/);
    assert.match(output, /stays at the service/);
  });

  it("deletes all state at a reset", async () => {
    succeeded(await clone.start(["reset"]));
    assert.equal(clone.exists(".webextract"), false);
  });

  slowIt("refuses an unknown step, and lists the known steps", async () => {
    const { code, output } = await clone.start(["deploy"]);
    assert.equal(code, 1);
    assert.match(output, /preview, up, destroy, reset/);
  });

  slowIt("refuses to stay open after a reset, which starts no emulator", async () => {
    const { code, output } = await clone.start(["reset", "--open"]);
    assert.equal(code, 1);
    assert.match(output, /reset starts no emulator/);
  });

  slowIt("lists its steps with --help", async () => {
    assert.match(succeeded(await clone.start(["--help"])), /deletes the stack and the state of the emulator/);
  });
});

describe("Ctrl-C in npm start", function () {
  this.timeout(180_000);
  let clone: FreshClone;

  before(async () => {
    clone = await FreshClone.make();
    clone.asUsersDo = false;
    clone.preloaded.push(resolve(__dirname, "slowSignals.js"));
  });
  after(() => clone.remove());

  slowIt(
    "ends without an error in the middle of a run although it is busy, and the next start continues without a second copy or run, and stays open if asked to",
    async () => {
      let pressed = false;
      const { code, output } = await clone.start(["up"], (written, child) => {
        if (pressed || child.pid === undefined || !/CloudRun run creating/.test(written)) return;
        pressed = true;
        process.kill(-child.pid, "SIGINT");
      });
      assert.ok(pressed, output);
      assert.equal(code, 130, output);
      assert.match(output, /received; cancelling/, "the engine was told once");
      assert.doesNotMatch(output, /received; terminating/, "and not twice");
      assert.match(output, /Run `npm start` to continue/);
      let page: Promise<Response> | undefined;
      const opened = await clone.start(["up", "--open"], (written, child) => {
        const address = /The emulator's page: (\S+)\n/.exec(written)?.[1];
        if (page !== undefined || address === undefined) return;
        page = fetch(address);
        page.finally(() => process.kill(-Number(child.pid), "SIGINT")).catch(() => undefined);
      });
      assert.match(opened.output, /rowCount *: 23/);
      assert.equal((await page)?.status, 200, "--open keeps the emulator after the up");
      // npm ends by the signal, whatever the exit code of its script.
      assert.match(opened.output, /The emulator and the shop have stopped\.\n$/);
      const { tasks, runs } = await savedState(join(clone.folder, ".webextract/emulator.db"));
      assert.equal(tasks.length, 2, "the template and one copy");
      assert.equal(runs.length, 1);
    },
  );
});
