import assert from "node:assert/strict";
import fs, { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import sinon from "sinon";
import type { Emulator } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { call, data, runTemplate, startWith } from "./caller";
import { emulator as emulatorProcess } from "./emulatorProcess";

describe("the emulator's state file under failures", () => {
  let folder: string;
  let stateFile: string;
  const started: Emulator[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "emulator-state-"));
    stateFile = join(folder, "state.json");
  });
  afterEach(async () => {
    sinon.restore();
    await Promise.all(started.splice(0).map((emulator) => emulator.close()));
    rmSync(folder, { recursive: true });
  });

  const start = async (log?: (line: string) => void) => {
    const emulator = await startWith([], { stateFile, log });
    started.push(emulator);
    return emulator;
  };
  const copy = { fields: { taskId: "template", taskGroupId: "group" } };

  it("responds with 500 if a change could not be saved, and saves the next one", async () => {
    const lines: string[] = [];
    const emulator = await start((line) => lines.push(line));
    rmSync(stateFile);
    // A file cannot replace a folder.
    mkdirSync(stateFile);
    const failed = await Promise.all([call(emulator, "copyTask", copy), call(emulator, "copyTask", copy)]);
    for (const { status, json } of failed) assert.deepEqual([status, json.error?.code], [500, "ServerError"]);
    assert.match(lines.join("\n"), /^copyTask took effect, but the state file could not be written: .*EISDIR/m);
    assert.deepEqual(readdirSync(folder), ["state.json"]);
    rmdirSync(stateFile);
    const { taskId } = await data(emulator, "copyTask", copy.fields);
    assert.ok(readFileSync(stateFile, "utf8").includes(taskId));
    assert.deepEqual(readdirSync(folder), ["state.json"]);
    assert.equal(emulator.inspect.tasks().length, 4);
  });

  it("removes the temporary files of killed processes, and no other files", async () => {
    for (const name of ["state.json.17.tmp", "state.json.x.tmp", "other.json.17.tmp"]) {
      writeFileSync(join(folder, name), "");
    }
    await start();
    assert.deepEqual(readdirSync(folder).sort(), ["other.json.17.tmp", "state.json", "state.json.x.tmp"]);
  });

  it("belongs to one emulator at a time", async () => {
    const first = await start();
    await assert.rejects(start(), /another emulator uses the state file .*state\.json: stop it, or use another file/);
    await assert.rejects(startEmulator({ stateFile: join(folder, ".", "state.json") }), /another emulator/);
    await data(first, "copyTask", copy.fields);
    await first.close();
    assert.equal((await start()).inspect.tasks().length, 2);
  });

  it("is free again when its emulator is killed", async () => {
    const running = emulatorProcess("--port", "0", "--state", stateFile);
    await running.says(/webextract:baseUrl (http:\S+)/);
    await assert.rejects(start(), /another emulator/);
    running.process.kill("SIGKILL");
    await running.ended;
    await start();
  });

  it("is free again after a start that failed, and so is the port", async () => {
    const first = await startWith();
    const { port } = new URL(first.url);
    await assert.rejects(startWith([], { stateFile, port: Number(port) }), /EADDRINUSE/);
    await first.close();
    mkdirSync(join(folder, "folder"));
    const rename = sinon.stub(fs.promises, "open").rejects(new Error("the disk is full"));
    await assert.rejects(startWith([], { stateFile, port: Number(port) }), /the disk is full/);
    rename.restore();
    started.push(await startWith([], { stateFile, port: Number(port) }));
  });

  it("holds the rows that were handed out before the response with them", async () => {
    const emulator = await start();
    await runTemplate(emulator);
    emulator.setBehaviour({ notExported: "handedOutOnce" });
    await data(emulator, "getNotExportedData", { taskId: "template", size: 3 });
    assert.deepEqual(JSON.parse(readFileSync(stateFile, "utf8")).runs[0].handedOut, [[0, 3]]);
  });

  it("is refused with what is wrong, and never with the advice to delete it", async () => {
    const emulator = await start();
    await runTemplate(emulator);
    await emulator.close();
    const valid = readFileSync(stateFile, "utf8");
    const damage = (change: (state: { tasks: unknown[]; runs: { rows: unknown }[]; credentials: object }) => void) => {
      const state = JSON.parse(valid);
      change(state);
      return JSON.stringify(state);
    };
    const cases: [string, RegExp][] = [
      [
        damage((state) => state.tasks.push(7)),
        /is damaged: \/tasks\/1 must be object\. Action: restore it from a copy/,
      ],
      [damage((state) => Object.assign(state.runs[0] ?? {}, { rows: null })), /\/runs\/0\/rows must be object/],
      [
        damage((state) => Object.assign(state.credentials, { apiKeys: ["s3cret"] })),
        /\/credentials\/apiKeys\/0 must be/,
      ],
      [valid.slice(0, -20), /is not JSON: restore it from a copy/],
    ];
    for (const [text, message] of cases) {
      writeFileSync(stateFile, text);
      await assert.rejects(start(), (error: Error) => {
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /remove|delete|s3cret/);
        return true;
      });
      assert.equal(readFileSync(stateFile, "utf8"), text);
    }
    await assert.rejects(startEmulator({ stateFile: dirname(stateFile) }), /is a folder: name a file in it/);
    const error = Object.assign(new Error("no"), { code: "EACCES" });
    sinon.stub(fs, "readFileSync").throws(error);
    await assert.rejects(start(), /cannot be read, because this user has no permission \(EACCES\)/);
  });
});
