import assert from "node:assert/strict";
import sinon from "sinon";
import { slowIt } from "../environment";
import { beats, Journal, JournalStore, SharedStore } from "../internals/provider";
import { patience, s3Limits } from "../internals/service";
import type { SeenRequest } from "../resources/export/s3/faultyProxy";
import { operationOf, refusal } from "../resources/export/s3/faultyProxy";
import type { S3World } from "../resources/export/s3/s3World";
import { bucket, eachOnStore } from "../resources/export/s3/s3World";
import { cloudKinds, s3Kind } from "../resources/export/s3/storeKinds";
import type { World } from "../resources/life";
import { failure } from "../resources/life";

const copyArgs = { sourceTaskId: "task-1", taskGroupId: "group-2" };

for (const kind of [s3Kind, ...cloudKinds])
  describe(`the journal in ${kind.title}`, function () {
    // The slow tier has all of them in each store.
    const usual = kind === s3Kind ? it : slowIt;
    const address = `${kind.scheme}://${bucket}/state/prod`;
    this.timeout(60_000);
    let s3: S3World;
    let world: World;
    eachOnStore({ kind, config: { journal: address } }, (...begun) => {
      [s3, world] = begun;
    });
    afterEach(() => sinon.restore());

    const copies = (): string[] =>
      world.emulator.inspect
        .tasks()
        .map(({ taskId }) => taskId)
        .filter((taskId) => taskId !== "task-1");
    const entries = async (): Promise<string[]> => (await s3.names()).filter((key) => key.includes("/journal/"));
    describe("as on a disk", () => {
      it("takes over a copy whose result was not saved, and is empty after the engine has saved it", async () => {
        const copy = world.declare("TaskCopy");
        const saved = await world.unsaved(copy, () => copy.up(copyArgs));
        assert.equal((await entries()).length, 1);
        await saved.up(copyArgs);
        await world.providers.engineIsGone();
        assert.deepEqual([copies(), await entries()], [[saved.id], []]);
        assert.match(world.warnings.join(), /was made at .* It was taken over/);
      });

      for (const [what, refused] of [
        ["nobody knows whether a run was started", /A paid run of task "task-1" may have started/],
        [
          "no state holds the run that was started",
          /"\d+" \(a paid run of .* was made .*, for the resource "CloudRun"\. Nothing/,
        ],
      ] as const)
        it(`starts no run of the task under another name while ${what}`, async () => {
          const run = world.declare("CloudRun");
          const up = () => run.up({ taskId: "task-1" });
          const isLost = what.startsWith("nobody");
          const saved = await (isLost
            ? world.killed(run, up, { operation: "startTask", when: "after" })
            : world.unsaved(run, up));
          world.emulator.clearFaults();
          const others = { taskId: "task-1", triggers: ["y"] };
          if (isLost) assert.match(await failure(saved.up(others)), refused);
          const renamed = world.declare("CloudRun", "renamed");
          assert.match(await failure(renamed.up({ taskId: "task-1", triggers: ["x"] })), refused);
          await renamed.up({ taskId: "task-1", retry: "I have looked" });
          assert.equal(world.emulator.inspect.runs("task-1").length, 2);
        });

      it("drops an append that the state has, when the command makes something", async () => {
        const loop = world.declare("TaskLoopItems");
        const append = { taskId: "task-1", actionId: "each", loopType: "UrlList", items: ["a"], mode: "append" };
        await world.unsaved(loop, () => loop.up(append));
        assert.equal((await entries()).length, 1);
        await world.command(async () => {
          await loop.up(append);
          await world.declare("TaskCopy").up(copyArgs);
        });
        await world.providers.engineIsGone();
        assert.deepEqual(await entries(), []);
      });

      it("sends nothing after a kill before the response, and says how to continue", async () => {
        const copy = world.declare("TaskCopy");
        const saved = await world.killed(copy, () => copy.up(copyArgs), { operation: "copyTask", when: "after" });
        world.emulator.clearFaults();
        assert.match(await failure(saved.up(copyArgs)), /A copy of task "task-1" in group "group-2" may exist/);
        assert.equal(copies().length, 1);
        await saved.up({ ...copyArgs, adoptTaskId: copies()[0] });
        await world.providers.engineIsGone();
        assert.deepEqual([copies().length, await entries()], [1, []]);
      });

      usual(
        "is read by no command that makes nothing, and the next one finds the entry of a renamed resource by its id",
        async () => {
          const copy = world.declare("TaskCopy");
          await world.unsaved(copy, () => copy.up(copyArgs));
          const renamed = world.declare("TaskCopy", "renamed");
          renamed.id = copies()[0];
          renamed.state = { ...copyArgs, taskId: renamed.id, stateVersion: 1, origin: world.emulator.url };
          s3.proxy.requests.length = 0;
          await renamed.refresh();
          await world.providers.engineIsGone();
          assert.deepEqual(s3.proxy.requests, []);
          await world.command(async () => {
            await renamed.refresh();
            await world.declare("TaskCopy", "another").up(copyArgs);
          });
          await world.providers.engineIsGone();
          assert.deepEqual(await entries(), []);
        },
      );

      usual("drops the entry of a request that the service has refused", async () => {
        world.emulator.fault({ operation: "copyTask", kind: "error", code: "PermissionDenied" });
        const copy = world.declare("TaskCopy");
        await failure(copy.up(copyArgs));
        await world.providers.engineIsGone();
        assert.deepEqual(await entries(), []);
      });
    });

    usual("shows neither ids nor names nor credentials to who does not know the URN or the id", async () => {
      const copy = world.declare("TaskCopy", "catalogue");
      await world.unsaved(copy, () => copy.up(copyArgs));
      const written = [...(await s3.any.objects(bucket))].map(([key, body]) => key + body.toString("latin1"));
      assert.ok(written.length >= 2);
      for (const word of [
        ...copies(),
        "task-1",
        "group-2",
        "catalogue",
        "TaskCopy",
        "access",
        "webextract:",
        "127.0.0.1",
      ]) {
        assert.ok(!written.join("\n").includes(word), word);
      }
    });

    usual(
      "stops before the first copy if the store cannot be read or written, also by an address that fails later",
      async () => {
        sinon.stub(patience, "ms").value(0);
        s3.box.stub(s3Limits, "mostTries").value(1);
        s3.proxy.fate = () => refusal(503, "SlowDown");
        assert.match(
          await failure(world.declare("TaskCopy").up(copyArgs)),
          /The journal in \w+:\/\/rows-bucket\/state\/prod cannot be read\. .*(?:ListObjectsV2|objects\.list|List Blobs) of/,
        );
        world.configure({});
        s3.proxy.fate = (each) => (operationOf(each) === "PutObject" ? refusal(403, "AccessDenied") : "pass");
        assert.match(
          await failure(world.declare("TaskCopy").up(copyArgs)),
          /The journal in \w+:.* cannot be written\. Nothing was sent\. .*(?:Allow s3:GetObject, s3:PutObject and s3:DeleteObject on rows-bucket\/state\/prod\/\*|Allow storage\.objects\.create|Put Blob of)/,
        );
        assert.deepEqual(copies(), []);
      },
    );

    usual(
      "sends each copy once if responses of the store are lost or are 503, and warns if a result is not noted",
      async () => {
        let count = 0;
        s3.proxy.fate = (each) => (isOfEntry(each) && ++count % 2 === 1 ? "lost" : "pass");
        await world.declare("TaskCopy", "one").up(copyArgs);
        s3.proxy.fate = (each) => (isOfEntry(each) && ++count % 2 === 1 ? refusal(503, "SlowDown") : "pass");
        await world.declare("TaskCopy", "two").up(copyArgs);
        assert.deepEqual([copies().length, world.warnings], [2, []]);
        sinon.stub(patience, "ms").value(0);
        s3.proxy.fate = (each) => (isOfEntry(each) && copies().length === 3 ? refusal(503, "SlowDown") : "pass");
        await world.declare("TaskCopy", "three").up(copyArgs);
        assert.match(
          world.warnings.join(),
          /cannot be written: if this run is killed, the next one may not know its result/,
        );
      },
    );

    const isOfEntry = (each: SeenRequest): boolean =>
      operationOf(each) === "PutObject" && each.path.includes("/journal/");

    describe("of two machines", () => {
      const alive = new Set<string>();
      const stores: JournalStore[] = [];
      beforeEach(() => alive.clear());
      afterEach(() => Promise.all(stores.splice(0).map((each) => each.close())));

      const machine = (host: string): { journal: Journal; store: JournalStore } => {
        const shared = new SharedStore(address, { folder: process.cwd(), settings: { s3ForcePathStyle: true } });
        const processes = { own: { host, pid: 1 }, isRunning: () => alive.has(host) };
        const store = new JournalStore(
          shared,
          processes,
          (message) => world.warnings.push(message),
          new AbortController().signal,
        );
        stores.push(store);
        const config = {
          isPresent: (written: string, service: string) => written === service,
          skipsCheckpoints: false,
        };
        return { store, journal: new Journal(store, (message) => world.warnings.push(message), config, processes) };
      };
      const name = {
        urn: "urn:pulumi:dev::test::pulumi-nodejs:dynamic/webextract:CloudRun::shop",
        origin: "https://service.test",
        profile: "",
        credentials: "secret",
      };
      const start = {
        operation: "startTask",
        inputs: { taskId: "task-1" },
        what: "paid run",
        detail: { taskId: "task-1" },
      } as const;
      const startOn = async (journal: Journal, send: () => Promise<string>): Promise<string> => {
        const found = await journal.of(name).earlier("startTask", start.inputs);
        return found?.id ?? (await journal.of(name).once(start, send, String));
      };

      usual("lets one send a request, and refuses the other before and during it", async () => {
        const [one, two, three] = [machine("a"), machine("b"), machine("c")];
        await two.journal.of(name).earlier("startTask", start.inputs);
        let sent = 0;
        await startOn(one.journal, async () => {
          assert.match(
            await failure(startOn(two.journal, async () => String(++sent))),
            /Another command has changed the journal entry \w+:\/\/rows-bucket\/state\/prod\/.* since this one began\. Nothing was sent/,
          );
          assert.match(
            await failure(startOn(three.journal, async () => String(++sent))),
            /Process 1 of a is running and has sent a request \(paid run\)/,
          );
          const renamed = machine("d").journal.of({ ...name, urn: `${name.urn}-renamed` });
          assert.match(await failure(renamed.earlier("startTask", start.inputs)), /Process 1 of a is running/);
          return "run-1";
        });
        assert.equal(sent, 0);
      });

      it("takes a machine for lost a minute after its heartbeat by the store's clock, which then begins nothing more", async () => {
        const one = machine("a");
        await startOn(one.journal, async () => "run-1");
        const running = machine("b");
        assert.match(await failure(startOn(running.journal, async () => "run-2")), /Process 1 of a is running/);
        s3.letPass(beats.deadAfterMs + 5_000);
        assert.equal(await startOn(machine("b").journal, async () => "run-2"), "run-1");
        sinon.stub(beats, "freshMs").value(-1);
        const other = { ...start, inputs: { taskId: "task-2" } };
        const message = await failure(
          one.journal.of({ ...name, urn: `${name.urn}-2` }).once(other, async () => "x", String),
        );
        assert.match(message, /Another command has taken this one for lost/);
      });

      usual(
        "continues what a killed process of the same machine has left at once, and sends nothing if its outcome is unknown",
        async () => {
          const one = machine("a");
          void startOn(one.journal, () => new Promise(() => undefined)).catch(() => undefined);
          while ((await entries()).length === 0) await new Promise((resolve) => setImmediate(resolve));
          const left = await machine("a").journal.of(name).earlier("startTask", start.inputs);
          assert.deepEqual([left?.what, left?.id], ["paid run", undefined]);
        },
      );

      usual(
        "ignores and removes the entries of a command that has ended as usual, but those that it left open",
        async () => {
          const one = machine("a");
          await startOn(one.journal, async () => "run-1");
          // As when the network holds the removal back.
          s3.proxy.fate = (each) => (operationOf(each) === "DeleteObject" ? refusal(503, "SlowDown") : "pass");
          s3.box.stub(s3Limits, "mostTries").value(1);
          one.journal.noteReturned(name);
          one.journal.dropSaved();
          await one.journal.close();
          assert.equal((await entries()).length, 1);
          s3.proxy.reset();
          const two = machine("b");
          assert.equal(await startOn(two.journal, async () => "run-2"), "run-2");
          await two.journal.close();
          const three = machine("c");
          assert.equal(await startOn(three.journal, async () => "run-3"), "run-2");
        },
      );
    });
  });
