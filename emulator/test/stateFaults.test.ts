import assert from "node:assert/strict";
import fs, {
  copyFileSync,
  fstatSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import sinon from "sinon";
import type { Emulator } from "webextract-emulator";
import { exportStateFile, importStateFile, startEmulator } from "webextract-emulator";
import { slowIt } from "../../test/environment";
import { call, data, runTemplate, startWith } from "./caller";
import { emulator as emulatorProcess } from "./emulatorProcess";
import { Admin } from "./internals";
import { savedState } from "./savedState";

describe("the emulator's state file under failures", () => {
  let folder: string;
  let stateFile: string;
  const started: Emulator[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "emulator-state-"));
    stateFile = join(folder, "state.db");
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
    const full = sinon.stub(fs, "writeSync").throws(Object.assign(new Error("no space"), { code: "ENOSPC" }));
    const failed = await Promise.all([call(emulator, "copyTask", copy), call(emulator, "copyTask", copy)]);
    for (const { status, json } of failed) assert.deepEqual([status, json.error?.code], [500, "ServerError"]);
    assert.match(
      lines.join("\n"),
      /^copyTask took effect, but the state file .*state\.db could not be written: disk I\/O error/m,
    );
    full.restore();
    await data(emulator, "copyTask", copy.fields);
    const tasks = emulator.inspect.tasks().map(({ taskId }) => taskId);
    assert.equal(tasks.length, 4);
    assert.deepEqual(
      (await savedState(stateFile)).tasks.map(({ taskId }) => taskId),
      tasks,
    );
    await emulator.close();
    assert.deepEqual(readdirSync(folder), ["state.db"]);
  });

  slowIt("saves a large change later if the disk was full in the middle of it", async () => {
    const emulator = await start();
    const urls = Array.from({ length: 80_000 }, (_, index) => `http://127.0.0.1:1/${index}/${"x".repeat(80)}`);
    const full = sinon.stub(fs, "writeSync").throws(Object.assign(new Error("no space"), { code: "ENOSPC" }));
    const { status } = await call(emulator, "updateTaskUrls", {
      fields: { taskId: "template" },
      file: urls.join("\n"),
    });
    assert.equal(status, 500);
    full.restore();
    await emulator.close();
    assert.equal((await start()).inspect.startUrls("template").length, urls.length);
  });

  it("responds with 500 if a change may not survive a loss of power", async () => {
    const emulator = await start();
    const sync = sinon.stub(fs, "fdatasync").callsFake((_descriptor, done) => done(new Error("the disk is gone")));
    const { status } = await call(emulator, "copyTask", copy);
    assert.equal(status, 500);
    sync.restore();
    assert.equal((await call(emulator, "copyTask", copy)).status, 200);
  });

  it("keeps the hold of a request that is being saved when the faults are cleared", async () => {
    const emulator = await start();
    const hold = emulator.hold({ operation: "copyTask" });
    const sync = sinon.stub(fs, "fdatasync").callsFake((descriptor, done) => {
      emulator.clearFaults();
      sync.wrappedMethod(descriptor, done);
    });
    const copied = call(emulator, "copyTask", copy);
    await hold.reached;
    sync.restore();
    assert.deepEqual(
      emulator.holds.map(({ id, waiting }) => [id, waiting]),
      [[hold.id, 1]],
    );
    await emulator.reset();
    assert.equal((await copied).status, 200, "a reset releases it");
  });

  it("replaces what an interrupted creation has left", async () => {
    for (const name of ["state.db.new", "state.db.new-wal"]) writeFileSync(join(folder, name), "left");
    mkdirSync(join(folder, "state.db.new.lock"));
    await start();
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes("new")),
      [],
    );
  });

  it("is not mixed with the log of an earlier file with its name", async () => {
    const first = await start();
    const document = first.exportState();
    await data(first, "copyTask", copy.fields);
    // What a kill leaves.
    const left = join(folder, "left");
    for (const end of ["", "-wal"]) copyFileSync(stateFile + end, left + end);
    await first.close();

    for (const end of ["", "-wal"]) copyFileSync(left + end, stateFile + end);
    await importStateFile(stateFile, document, { replace: true });
    const second = await start();
    assert.deepEqual(second.exportState(), document);
    await second.close();

    rmSync(stateFile);
    copyFileSync(`${left}-wal`, `${stateFile}-wal`);
    assert.equal((await start()).inspect.tasks().length, 1);
  });

  it("is created also where only a file that is open for writing can be synced, as on Windows", async () => {
    const flags = new Map<number, unknown>();
    const open = sinon.stub(fs, "openSync").callsFake((...args) => {
      const descriptor = open.wrappedMethod(...args);
      flags.set(descriptor, args[1]);
      return descriptor;
    });
    const sync = sinon.stub(fs, "fsyncSync").callsFake((descriptor) => {
      if (flags.get(descriptor) === "r" && fstatSync(descriptor).isFile()) throw new Error("EPERM");
    });
    await start();
    assert.ok(sync.called);
  });

  it("is one file under each of its names", async () => {
    const first = await start();
    const link = join(folder, "link.db");
    symlinkSync(stateFile, link);
    await assert.rejects(startEmulator({ stateFile: link }), /another emulator uses the state file .*link\.db/);
    await assert.rejects(
      exportStateFile(link, () => undefined),
      /another emulator/,
    );
    const document = first.exportState();
    await assert.rejects(importStateFile(link, document, { replace: true }), /another emulator/);
    await first.close();

    const second = await startWith([], { stateFile: link });
    started.push(second);
    await data(second, "copyTask", copy.fields);
    assert.deepEqual(readdirSync(folder).sort(), ["link.db", "state.db", "state.db-wal", "state.db.lock"]);
    await second.close();
    assert.equal((await savedState(stateFile)).tasks.length, 2);
    await importStateFile(link, document, { replace: true });
    assert.deepEqual(await savedState(stateFile), document);
  });

  it("is refused while it has a hard link, also if no emulator uses it", async () => {
    const first = await start();
    const document = first.exportState();
    const link = join(folder, "link.db");
    linkSync(stateFile, link);
    const refused = /link\.db has 2 names \(hard links\)\. Action: use a copy of the file, or a symbolic link/;
    await assert.rejects(startEmulator({ stateFile: link }), refused);
    await first.close();
    await assert.rejects(startEmulator({ stateFile: link }), refused);
    await assert.rejects(
      exportStateFile(link, () => undefined),
      refused,
    );
    assert.deepEqual(readdirSync(folder), ["link.db", "state.db"]);
    await importStateFile(link, document, { replace: true });
    await start();
    started.push(await startEmulator({ stateFile: link }));
  });

  it("is saved and free after a close, also if the admin API does not close", async () => {
    const emulator = await startWith([], { stateFile });
    emulator.change.addTask({ taskId: "late", taskGroupId: "group", actions: [] });
    const close = sinon.stub(Admin.prototype, "close").rejects(new Error("not closed"));
    await assert.rejects(emulator.close(), /not closed/);
    close.restore();
    assert.equal((await start()).inspect.tasks().length, 2);
  });

  it("belongs to one emulator at a time", async () => {
    const first = await start();
    await assert.rejects(start(), /another emulator uses the state file .*state\.db: stop it, or use another file/);
    await assert.rejects(startEmulator({ stateFile: join(folder, ".", "state.db") }), /another emulator/);
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
    rmSync(stateFile);
    const full = sinon.stub(fs, "writeSync").throws(new Error("the disk is full"));
    await assert.rejects(startWith([], { stateFile, port: Number(port) }), /disk I\/O error/);
    full.restore();
    const second = await startWith([], { stateFile, port: Number(port) });
    second.change.expireAccessTokens();
    await second.close();
    // The new access token is saved after the port is open.
    const lost = sinon.stub(fs, "fdatasync").yields(new Error("the disk is full"));
    await assert.rejects(startWith([], { stateFile, port: Number(port) }), /the disk is full/);
    lost.restore();
    started.push(await startWith([], { stateFile, port: Number(port) }));
  });

  it("holds the rows that were handed out before the response with them", async () => {
    const emulator = await start();
    await runTemplate(emulator);
    emulator.setBehaviour({ notExported: "handedOutOnce" });
    // Saves what the run has changed.
    await data(emulator, "copyTask", { taskId: "template", taskGroupId: "group" });
    await data(emulator, "getNotExportedData", { taskId: "template", size: 3 });
    assert.deepEqual((await savedState(stateFile)).runs[0]?.handedOut, [[0, 3]]);
  });

  it("is refused with what is wrong, and never with the advice to delete it", async () => {
    const emulator = await start();
    await runTemplate(emulator);
    await emulator.close();
    const valid = readFileSync(stateFile);
    const changed = (change: (bytes: Buffer) => void) => {
      const bytes = Buffer.from(valid);
      change(bytes);
      return bytes;
    };
    const refused = (message: RegExp) => (error: Error) => {
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /remove|delete|emulator-(key|refresh|access)/);
      return true;
    };
    const cases: [string | Buffer, RegExp][] = [
      [valid.subarray(0, 50), /is damaged: it is too short\. Action: restore it from a copy/],
      [valid.subarray(0, valid.length - 9000), /is damaged: database disk image is malformed\. Action: restore it/],
      [changed((bytes) => bytes.fill(7, 4096)), /is damaged: .*Action: restore it from a copy/],
      [changed((bytes) => bytes.writeUInt32BE(1, 68)), /is not a state of the emulator: restore it from a copy/],
      [changed((bytes) => bytes.writeUInt32BE(4, 60)), /has version 4; this emulator reads versions 1 to 3/],
      ["{", /is neither a database nor JSON: restore it from a copy/],
    ];
    for (const [content, message] of cases) {
      writeFileSync(stateFile, content);
      await assert.rejects(start(), refused(message));
      assert.deepEqual(readFileSync(stateFile), Buffer.from(content));
    }
    await assert.rejects(startEmulator({ stateFile: dirname(stateFile) }), refused(/is a folder: name a file in it/));
    const error = Object.assign(new Error("no"), { code: "EACCES" });
    sinon.stub(fs, "openSync").throws(error);
    await assert.rejects(start(), refused(/cannot be read, because this user has no permission \(EACCES\)/));
  });

  for (const code of ["EACCES", "EROFS", "EMFILE", "EIO", "ENOSPC", "EDQUOT"]) {
    it(`is called damaged by no error of the system: ${code}`, async () => {
      await (await start()).close();
      const content = readFileSync(stateFile);
      const fails = () => {
        throw Object.assign(new Error(`${code}: no`), { code });
      };
      const described = (error: Error) => {
        assert.match(error.message, /state file \S+(state|new)\.db /);
        assert.match(error.message, /cannot be read.*\(|Action: make sure that the disk has space/);
        assert.doesNotMatch(error.message, /damaged|not a state|restore/);
        return true;
      };
      const stubs: (() => sinon.SinonStub)[] = [
        () => {
          const open = sinon.stub(fs, "openSync").callsFake((...args) => {
            return typeof args[1] === "number" && args[1] & fs.constants.O_RDWR ? fails() : open.wrappedMethod(...args);
          });
          return open;
        },
        () => sinon.stub(fs, "readSync").callsFake(fails),
        () => {
          const make = sinon
            .stub(fs, "mkdirSync")
            .callsFake(((...args: Parameters<typeof mkdirSync>) =>
              String(args[0]).endsWith(".lock") ? fails() : make.wrappedMethod(...args)) as typeof mkdirSync);
          return make;
        },
      ];
      for (const stub of stubs) {
        const stubbed = stub();
        await assert.rejects(start(), described);
        stubbed.restore();
        assert.deepEqual(readFileSync(stateFile), content);
        rmSync(`${stateFile}-wal`, { force: true });
      }
      const written = sinon.stub(fs, "writeSync").callsFake(fails);
      await assert.rejects(startWith([], { stateFile: join(folder, "new.db") }), described);
      written.restore();
      assert.deepEqual(
        readdirSync(folder).filter((name) => name.startsWith("new")),
        [],
        "what takes space is removed",
      );
      await start();
    });
  }
});
