import assert from "node:assert/strict";
import fs, { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sinon from "sinon";
import type { Emulator, RemoteEmulator } from "webextract-emulator";
import { connectEmulator } from "webextract-emulator";
import { call, startWith } from "../caller";

describe("a hold of an emulator elsewhere", () => {
  let folder: string;
  let local: Emulator;
  let remote: RemoteEmulator;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "emulator-holds-"));
    local = await startWith([], { stateFile: join(folder, "state.db") });
    remote = connectEmulator(local.url);
  });
  afterEach(async () => {
    sinon.restore();
    await local.close();
    rmSync(folder, { recursive: true });
  });

  const start = () => call(local, "startTask", { fields: { taskId: "template" } });
  const none = /^Error: the hold hold-1 is released, and no request is known to have reached it$/;

  it("knows a request that reaches it while the release is on its way", async () => {
    const hold = await remote.hold({ operation: "startTask" });
    const send = sinon.stub(globalThis, "fetch").callsFake(async (...args) => {
      if (!String(args[0]).endsWith("/release")) return send.wrappedMethod(...args);
      send.restore();
      const started = start();
      while (local.holds[0]?.waiting !== 1) await new Promise(setImmediate);
      const response = await fetch(...args);
      await started;
      return response;
    });
    await hold.release();
    await hold.reached;
  });

  it("knows a request whose change is being saved at the release", async () => {
    const hold = await remote.hold({ operation: "startTask" });
    let released: Promise<void> | undefined;
    const sync = sinon.stub(fs, "fdatasync").callsFake(async (descriptor, done) => {
      released ??= hold.release();
      while (local.holds.length > 0) await new Promise(setImmediate);
      sync.wrappedMethod(descriptor, done);
    });
    assert.equal((await start()).status, 200);
    await released;
    await hold.reached;
  });

  it("is not reached if no request has arrived before the release", async () => {
    const hold = await remote.hold({ operation: "startTask" });
    const reached = hold.reached;
    await Promise.all([assert.rejects(reached, none), hold.release(), hold.release()]);
    await assert.rejects(hold.reached, none);
    assert.equal((await start()).status, 200, "it holds nothing");
    await hold.release();
  });

  it("can be released again after a release that could not be sent", async () => {
    const hold = await remote.hold({ operation: "startTask" });
    const started = start();
    await local.waitForRequests(1);
    const send = sinon.stub(globalThis, "fetch").rejects(new Error("no network"));
    await assert.rejects(hold.release(), /cannot be reached: Error: no network$/);
    send.restore();
    await Promise.all([hold.release(), hold.release()]);
    await hold.reached;
    assert.equal((await started).status, 200);
  });

  it("can be released after a request has failed on its way to it", async () => {
    const failing = await startWith([], { log: sinon.stub().onFirstCall().throws(new Error("no log")) });
    try {
      const hold = await connectEmulator(failing.url).hold({ operation: "startTask" });
      const { status } = await call(failing, "startTask", { fields: { taskId: "template" } });
      assert.equal(status, 500);
      await hold.release();
      await hold.reached;
    } finally {
      await failing.close();
    }
  });

  it("can be released after a reset has released it", async () => {
    const hold = await remote.hold({ operation: "startTask" });
    const waiting = assert.rejects(hold.reached, none);
    await remote.reset();
    await hold.release();
    await waiting;
  });
});
