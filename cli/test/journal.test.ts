import assert from "node:assert/strict";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { delimiter, dirname } from "node:path";
import { ServiceClient } from "../../src/service";
import { isLarge } from "../../test/environment";
import { isWrite, refusal } from "../../test/resources/export/s3/faultyProxy";
import type { S3World } from "../../test/resources/export/s3/s3World";
import { bucket, eachOnStore } from "../../test/resources/export/s3/s3World";
import { cloudKinds, s3Kind } from "../../test/resources/export/s3/storeKinds";
import type { Declared, World } from "../../test/resources/life";
import { failure, useWorld } from "../../test/resources/life";
import type { Ended } from "./runInFolder";
import { runInFolder } from "./runInFolder";

const copyArgs = { sourceTaskId: "task-1", taskGroupId: "group-2" };
const urn = "urn:pulumi:dev::test::pulumi-nodejs:dynamic/webextract:TaskCopy::books";
const killedCopy = async (world: World): Promise<Declared> => {
  const copy = world.declare("TaskCopy", "books");
  const saved = await world.killed(copy, () => copy.up(copyArgs), { operation: "copyTask", when: "after" });
  world.emulator.clearFaults();
  return saved;
};
const copies = (world: World): string[] =>
  world.emulator.inspect
    .tasks()
    .map(({ taskId }) => taskId)
    .filter((taskId) => taskId !== "task-1");

/** A command in the folder of a world, with its journal. */
function webextract(world: World, line: string, more: Record<string, string | undefined> = {}): Promise<Ended> {
  const { accessToken, apiKey } = world.emulator.credentials;
  const environment = {
    ...{ PATH: process.env.PATH, HOME: world.folder, WEBEXTRACT_BASE_URL: world.emulator.url },
    ...{ WEBEXTRACT_ACCESS_TOKEN: accessToken, WEBEXTRACT_API_KEY: apiKey },
    ...{ WEBEXTRACT_TOKEN_STORE: world.path("tokens"), ...more },
  };
  return runInFolder(line.split(" "), { folder: world.folder, environment, input: "" });
}

type Run = (line: string, path?: string, more?: Record<string, string>) => Promise<Ended>;

/** The same with a journal in an object store. */
function onStore(
  { any, proxy, temporary }: S3World,
  world: World,
  journal: string,
  ...[line, path = process.env.PATH, more = {}]: Parameters<Run>
): Promise<Ended> {
  return webextract(world, line, {
    ...any.environment(proxy.endpoint, temporary),
    ...{ WEBEXTRACT_S3_FORCE_PATH_STYLE: "true", WEBEXTRACT_JOURNAL: journal, PATH: path, ...more },
  });
}

/** A PATH with a `pulumi` whose stack has this state. */
function stackOf(world: World, deployment: object): string {
  mkdirSync(world.path("bin"));
  const answer = JSON.stringify(JSON.stringify({ deployment }));
  const code = `console.log(process.argv[2] === "config" ? "{}" : process.argv.includes("--show-name") ? "dev" : ${answer})`;
  writeFileSync(world.path("bin/pulumi"), `#!${process.execPath}\n${code}\n`);
  chmodSync(world.path("bin/pulumi"), 0o755);
  return `${world.path("bin")}${delimiter}${process.env.PATH}`;
}

describe("webextract journal", () => {
  describe("in a folder", () => {
    const world = useWorld();
    const listed = async () => (await webextract(world, "journal list --json")).json();

    it("says that there is nothing", async () => {
      assert.match(
        (await webextract(world, "journal list")).stdout,
        /^Journal: .*tokens\/journal\nIt has no entry\.\n$/,
      );
    });

    it("shows who sent a request, when and what, and which one needs a person", async () => {
      await killedCopy(world);
      const { entries, sealed, problems } = await listed();
      const [{ name, time, urn, ...rest }] = entries;
      assert.deepEqual([entries.length, sealed, problems], [1, [], []]);
      assert.match(urn, /TaskCopy::books$/);
      assert.ok(Math.abs(Date.parse(time) - Date.now()) < 3_600_000);
      assert.deepEqual(rest, {
        ...{ needs: "person", operation: "copyTask", what: 'copy of task "task-1" in group "group-2"' },
        ...{ profile: "", origin: world.emulator.url, host: "here", pid: rest.pid },
      });
      const { stdout } = await webextract(world, "journal list");
      assert.match(
        stdout,
        new RegExp(`${name}  copy of task "task-1" in group "group-2"  books .* here \\(\\d+\\) +a person`),
      );
      assert.match(
        stdout,
        /1 request may have taken effect: look at the service, then run "webextract journal resolve"/,
      );
      assert.ok(!stdout.includes(world.emulator.credentials.accessToken));
    });

    it("notes the id, and the next up takes the copy over", async () => {
      const saved = await killedCopy(world);
      const [{ name }] = (await listed()).entries;
      const resolved = await webextract(world, `journal resolve ${name} --made ${copies(world)[0]} --yes`);
      assert.equal(resolved.code, 0, resolved.stderr);
      assert.match(resolved.stdout, /is resolved\. The next "pulumi up" takes ".*" over\./);
      assert.equal((await listed()).entries[0].needs, "nothing");
      await saved.up(copyArgs);
      assert.deepEqual(copies(world), [saved.id]);
    });

    it("removes the entry of what was not made, and the next up sends the request", async () => {
      const saved = await killedCopy(world);
      for (const taskId of copies(world)) world.emulator.change.deleteTask(taskId);
      const [{ name }] = (await listed()).entries;
      const resolved = await webextract(world, `journal resolve ${name} --not-made --yes --json`);
      assert.deepEqual([resolved.code, resolved.json().removed, world.journal()], [0, true, []]);
      await saved.up(copyArgs);
      assert.deepEqual(copies(world), [saved.id]);
    });

    it("names the argument that the program needs, where the state has a placeholder", async () => {
      const saved = await killedCopy(world);
      await failure(saved.up(copyArgs));
      assert.equal(world.journal()[0]?.urn, urn);
      const begun = { resource: { urn }, type: "creating" };
      const path = stackOf(world, {
        resources: [{ urn, id: "unknown-1", outputs: {} }],
        pending_operations: [begun],
      });
      const [{ name, stateId }] = (await webextract(world, "journal list --stack dev --json", { PATH: path })).json()
        .entries;
      assert.equal(stateId, "unknown-1");
      const { stdout } = await webextract(world, `journal resolve ${name} --made t-9 --yes --stack dev`, {
        PATH: path,
      });
      assert.match(
        stdout,
        /The state has the resource as "unknown-1": set adoptTaskId to "t-9", then run "pulumi up"\./,
      );
    });

    it("reads the earlier journal of this user too, which an up takes over, and moves its entries", async () => {
      await killedCopy(world);
      const former = world.path(".local/state/pulumi-webextract/journal");
      mkdirSync(dirname(former), { recursive: true });
      renameSync(world.path("tokens/journal"), former);
      assert.match(
        (await webextract(world, "journal list")).stdout,
        /^Journal: .*tokens\/journal, and the earlier one /,
      );
      const there = await webextract(world, `journal move ${former} --yes --json`);
      assert.deepEqual([there.json().moved, readdirSync(former).length], [[], 1]);
      const [{ name }] = (await listed()).entries;
      const resolved = await webextract(world, `journal resolve ${name} --made ${copies(world)[0]} --yes`);
      assert.equal(resolved.code, 0, resolved.stderr);
      const moved = await webextract(world, `journal move ${world.path("other")} --yes`);
      assert.match(moved.stdout, /^Moved 1 entry /);
      assert.deepEqual(readdirSync(former), []);
    });

    it("marks the old place of a selected stack that has nothing yet, for an up and for a run", async () => {
      world.write("Pulumi.yaml", "name: test\nruntime: nodejs\n");
      const PATH = stackOf(world, { resources: [] });
      const moved = await webextract(world, `journal move ${world.path("other")} --yes`, { PATH });
      assert.match(moved.stdout, /^Moved 0 entries /);
      await assert.rejects(
        world.declare("TaskCopy", "first").up(copyArgs),
        /was moved to \S+other, .* only on \S+, which has that folder\. Nothing was sent/,
      );
      const run = await webextract(world, "run task-1 --yes --stack dev", { PATH });
      assert.deepEqual([run.code, /was moved to .*No run was started/.test(run.stderr)], [1, true], run.stderr);
      assert.deepEqual([copies(world), world.sent("startTask")], [[], []]);
    });

    it("lets no tokens go where their journal is not looked for, and reads none of them in its folder", async () => {
      world.write("Pulumi.yaml", "name: test\nruntime: nodejs\n");
      const PATH = stackOf(world, { resources: [] });
      const { refreshToken } = world.emulator.credentials;
      const to = world.path("other");
      const tokens = { PATH, WEBEXTRACT_REFRESH_TOKEN: refreshToken, WEBEXTRACT_ACCESS_TOKEN: "" };
      await webextract(world, "token refresh --yes", tokens);
      await webextract(world, `journal move ${to} --yes`, tokens);
      const astray = await webextract(world, `token move ${to} --yes`, tokens);
      assert.match(astray.stderr, /The journal of this stack was moved to \S+other, .* Nothing was moved/);
      const both = { ...tokens, WEBEXTRACT_JOURNAL: to };
      assert.equal((await webextract(world, `token move ${to} --yes`, both)).code, 0);
      const list = await webextract(world, "journal list", { ...both, WEBEXTRACT_TOKEN_STORE: to });
      assert.match(list.stdout, /It has no entry/);
    });

    it("refuses what it cannot do, and changes nothing", async () => {
      const saved = await killedCopy(world);
      const [{ name }] = (await listed()).entries;
      const before = world.journal();
      const refusals: [string, RegExp][] = [
        [`resolve ${name}`, /Say what became of the request: --made ID, or --not-made/],
        [`resolve ${name} --made a --not-made`, /cannot be used with/],
        [`resolve ${name} --made unknown-7 --yes`, /--made must be an id of the service, and not "unknown-7"/],
        [
          "resolve 00000000 --not-made --yes",
          new RegExp(`no entry "00000000"\\. It has ${name}\\. Nothing was changed`),
        ],
        [`resolve ${name} --not-made`, /--yes/],
      ];
      for (const [line, message] of refusals) {
        const { code, stderr } = await webextract(world, `journal ${line}`);
        assert.notEqual(code, 0, line);
        assert.match(stderr, message);
      }
      assert.deepEqual(world.journal(), before);
      // A person can correct what a person has said.
      for (const id of ["other", copies(world)[0]])
        assert.equal((await webextract(world, `journal resolve ${name} --made ${id} --yes`)).code, 0);
      const made = world.declare("TaskCopy", "made");
      await world.unsaved(made, () => made.up(copyArgs));
      const [{ name: ofMade }] = (await listed()).entries;
      assert.match(
        (await webextract(world, `journal resolve ${ofMade} --not-made --yes`)).stderr,
        new RegExp(`Entry ${ofMade} has made "${copies(world)[1]}", and .* Nothing was changed`),
      );
      await saved.up(copyArgs);
      const off = await webextract(world, "journal list", { WEBEXTRACT_JOURNAL: "off" });
      assert.deepEqual([off.code, /The journal is switched off/.test(off.stderr)], [2, true]);
    });

    it("stops a run and a move of the tokens beside a lost start, for which it takes no id that the state has", async () => {
      const run = world.declare("CloudRun", "nightly");
      await world.killed(run, () => run.up({ taskId: "task-1" }), { operation: "startTask", when: "after" });
      world.emulator.clearFaults();
      const starts = world.sent("startTask").length;
      const [{ name, urn: ofRun }] = (await listed()).entries;
      const started = await webextract(world, "run task-1 --yes");
      assert.deepEqual([started.code, world.sent("startTask").length], [6, starts]);
      const mayRun = `CloudRun "nightly" may have started a run of task "task-1" at .*No run was started.* journal resolve ${name}`;
      assert.match(started.stderr, new RegExp(mayRun));
      world.write("no-folder", "");
      const unread = await webextract(world, "run task-1 --yes", { WEBEXTRACT_JOURNAL: world.path("no-folder") });
      assert.match(unread.stderr, /The journal in \S+no-folder cannot be read .* No run was started\./);
      assert.equal(world.sent("startTask").length, starts);
      const tokens = { WEBEXTRACT_REFRESH_TOKEN: world.emulator.credentials.refreshToken, WEBEXTRACT_ACCESS_TOKEN: "" };
      assert.equal((await webextract(world, "token refresh --yes", tokens)).code, 0);
      const { stderr } = await webextract(world, `token move ${world.path("newer")} --yes`, tokens);
      assert.match(stderr, /has entries\. Nothing was moved\..*journal move \S+newer\/journal'"/);
      const PATH = stackOf(world, { resources: [{ urn: ofRun, id: "earlier-1", outputs: {} }] });
      const others = await webextract(world, `journal move ${world.path("moved")} --yes --stack other`, { PATH });
      assert.match(others.stderr, /is of another stack, which --stack names, .*\nNothing was changed/);
      assert.equal(world.journal().length, 1);
      const line = `journal resolve ${name} --made earlier-1 --yes --stack dev`;
      const refused = await webextract(world, line, { PATH });
      assert.match(refused.stderr, /The state has "earlier-1" already.* Nothing was changed/);
      assert.equal(world.journal()[0]?.id, undefined);
    });

    it("moves nothing while a process of an entry runs, and to no place that it is already at", async () => {
      await killedCopy(world);
      const [file = ""] = readdirSync(world.path("tokens/journal"));
      const path = world.path(`tokens/journal/${file}`);
      const entry = { ...world.journal()[0], process: { host: hostname(), pid: process.ppid } };
      writeFileSync(path, JSON.stringify(entry));
      const { code, stderr } = await webextract(world, "journal move moved --yes");
      assert.deepEqual([code, /is running \(\d+ on .*Nothing was changed/.test(stderr)], [1, true], stderr);
      const links = [
        ["tokens/journal", "link"],
        ["tokens", "linked"],
      ] as const;
      for (const [to, link] of links) symlinkSync(world.path(to), world.path(link));
      for (const to of ["tokens/journal/", "link", "linked/journal", "s3://b", "gs://bucket/../x"]) {
        const same = await webextract(world, `journal move ${to} --yes`);
        assert.deepEqual(
          [same.code, /is the present place|must be a folder, or|has an invalid bucket name/.test(same.stderr)],
          [2, true],
          to,
        );
      }
      assert.deepEqual([world.journal(), existsSync(world.path("moved"))], [[entry], false]);
    });

    it("says which entries it cannot read", async () => {
      await killedCopy(world);
      const [file] = readdirSync(world.path("tokens/journal"));
      writeFileSync(world.path(`tokens/journal/${file}`), "{");
      const { code, stdout } = await webextract(world, "journal list");
      assert.deepEqual([code, /The journal entry .* cannot be read \(it is corrupt\)/.test(stdout)], [1, true]);
    });
  });

  describe("in an object store", function () {
    this.timeout(60_000);
    const address = `s3://${bucket}/state/prod`;
    let s3: S3World;
    let world: World;
    eachOnStore({ config: { journal: address } }, (...begun) => {
      [s3, world] = begun;
    });
    const run: Run = (...line) => onStore(s3, world, address, ...line);

    it("reads the entry of a copy that the killed engine had begun, and resolves it for another machine", async () => {
      const saved = await killedCopy(world);
      // Its heartbeat is missing then.
      s3.letPass(70_000);
      const sealed = (await run("journal list --json")).json();
      assert.deepEqual([sealed.entries, sealed.sealed.length], [[], 1]);
      assert.match(
        sealed.sealed[0],
        /^s3:\/\/rows-bucket\/state\/prod\/webextract-v1\/journal\/[0-9a-f]{32}\.copyTask$/,
      );
      const begun = {
        resource: { urn },
        type: "creating",
      };
      const path = stackOf(world, { pending_operations: [begun] });
      const [{ name, needs }] = (await run("journal list --stack dev --json", path)).json().entries;
      assert.equal(needs, "person");
      const resolved = await run(`journal resolve ${name} --made ${copies(world)[0]} --yes --stack dev`, path);
      assert.equal(resolved.code, 0, resolved.stderr);
      await saved.up(copyArgs);
      await world.providers.engineIsGone();
      assert.deepEqual([copies(world), s3.keys().filter((key) => key.includes("/journal/"))], [[saved.id], []]);
    });

    it("removes the entry of what was not made", async () => {
      await killedCopy(world);
      // Its heartbeat is missing then.
      s3.letPass(70_000);
      const begun = { resource: { urn }, type: "creating" };
      const path = stackOf(world, {
        resources: [{ urn, id: "unknown-1", outputs: {} }],
        pending_operations: [begun],
      });
      const [{ name }] = (await run("journal list --stack dev --json", path)).json().entries;
      const { stdout } = await run(`journal resolve ${name} --not-made --yes --stack dev`, path);
      assert.match(stdout, /is removed\. The state has the resource as "unknown-1": set retry to a new string/);
      assert.deepEqual(
        s3.keys().filter((key) => key.includes("/journal/")),
        [],
      );
    });

    it("is looked at by doctor, like the token store", async () => {
      await killedCopy(world);
      // Its heartbeat is missing then.
      s3.letPass(70_000);
      const doctor = async (): Promise<{ check: string; found: string; is: string }[]> =>
        (await run("doctor --json", process.env.PATH, { WEBEXTRACT_TOKEN_STORE: address })).json().findings;
      const found = new Map((await doctor()).map((each) => [each.check, each]));
      assert.equal(found.get("journal")?.found, `${address}, which keeps conditions and has 1 object of this kind`);
      assert.equal(
        found.get("token store")?.found,
        `${address}, which keeps conditions and has 0 objects of this kind`,
      );
      s3.proxy.fate = () => refusal(403, "AccessDenied");
      const refused = (await doctor()).filter(({ is }) => is === "problem");
      assert.deepEqual(
        refused.map(({ check }) => check),
        ["token store", "journal"],
      );
      assert.match(
        refused[1]?.found ?? "",
        /Allow s3:GetObject, s3:PutObject and s3:DeleteObject on rows-bucket\/state/,
      );
    });
  });
});

for (const kind of isLarge ? [s3Kind, ...cloudKinds] : [s3Kind])
  describe(`webextract with a folder and ${kind.title}`, function () {
    this.timeout(60_000);
    const address = `${kind.scheme}://${bucket}/state/prod`;
    let s3: S3World;
    let world: World;
    eachOnStore({ kind, config: { journal: address } }, (...begun) => {
      [s3, world] = begun;
    });
    const run: Run = (...line) => onStore(s3, world, address, ...line);
    /** Runs a command again and again while the store takes no write, then only one, then two, until it is done. */
    const untilDone = async (command: () => Promise<Ended>): Promise<Ended> => {
      for (let taken = 0; ; taken += 1) {
        let writes = 0;
        s3.proxy.fate = (request) => (!isWrite(request) || ++writes <= taken ? "pass" : refusal(403, "AccessDenied"));
        const ended = await command();
        s3.proxy.fate = () => "pass";
        if (ended.code === 0) {
          s3.proxy.reset();
          return ended;
        }
        // A claim that is left has ended then.
        s3.letPass(130_000);
        assert.match(`${ended.stdout}${ended.stderr}`, /Nothing was|again|remove/);
      }
    };

    for (const isToStore of [true, false]) {
      const direction = isToStore ? "from a folder to the store" : "from the store to a folder";
      const placesOf = () =>
        (isToStore ? [world.path("kept"), address] : [address, world.path("kept")]) as [string, string];

      it(`moves ${direction}: the next up there takes over what it can, and sends nothing twice`, async () => {
        const [from, to] = placesOf();
        world.configure({ journal: from });
        const killed = await killedCopy(world);
        const films = world.declare("TaskCopy", "films");
        const unsaved = await world.unsaved(films, () => films.up(copyArgs));
        s3.letPass(70_000);
        const begun = [urn, films.urn].map((each) => ({ resource: { urn: each }, type: "creating" }));
        const path = stackOf(world, { pending_operations: begun });
        const made = copies(world);
        const move = `journal move ${to} --yes`;
        if (!isToStore) {
          const { code, stderr } = await run(move);
          assert.match(
            stderr,
            /copyTask and 1 more are of other stacks, .* or of a killed command that saved nothing: then run "pulumi up" first/,
          );
          assert.deepEqual([code, existsSync(to)], [1, false]);
        }
        const more = { WEBEXTRACT_JOURNAL: from };
        const moved = await untilDone(() => run(`${move} --stack dev`, path, more));
        assert.match(
          moved.stdout,
          /^Moved (?:2 entries|1 entry) \(dev of test\) to .*\n {2}pulumi config set --plaintext webextract:journal '/,
        );
        assert.equal(moved.code, 0, moved.stdout);
        assert.equal((await run(`${move} --stack dev --json`, path, more)).json().moved.length, 0);
        const [inStore, inFolder] = [
          (await s3.names()).filter((key) => key.includes("/journal/")),
          readdirSync(world.path("kept")),
        ];
        assert.deepEqual([inStore.length, inFolder.length], isToStore ? [2, 1] : [1, 2]);
        await assert.rejects(
          world.declare("TaskCopy", "third").up(copyArgs),
          ({ message }: Error) =>
            message.includes(`was moved to ${to}, as ${from}`) && message.includes("Nothing was sent"),
        );
        const astray = await run(`journal move ${world.path("astray")} --yes --stack dev`, path, more);
        assert.match(astray.stderr, /The journal of this stack was moved to .* Nothing was changed/);
        assert.match(
          (await run("journal list --stack dev", path, more)).stdout,
          /The journal of this stack was moved to /,
        );
        // The last write that was refused can be the one that tells the end of the command.
        s3.letPass(70_000);
        world.configure({ journal: to });
        await unsaved.up(copyArgs);
        assert.match(await failure(killed.up(copyArgs)), /may exist.* The request is not sent again/);
        assert.deepEqual([copies(world), made.includes(unsaved.id ?? "")], [made, true]);
        s3.letPass(70_000);
        const back = await run(`journal move ${from} --yes --stack dev`, path, { WEBEXTRACT_JOURNAL: to });
        assert.equal(back.code, 0, back.stderr);
        world.configure({ journal: from });
        assert.match(await failure(killed.up(copyArgs)), /may exist.* The request is not sent again/);
      });

      it(`moves the tokens ${direction}, sends nothing, and the next refresh uses the newest one`, async () => {
        const [from, to] = placesOf();
        world.emulator.setBehaviour({ refreshRotation: "oldDies" });
        const { refreshToken } = world.emulator.credentials;
        const at = (tokenStore: string, line: string) =>
          run(line, process.env.PATH, {
            ...{
              WEBEXTRACT_TOKEN_STORE: tokenStore,
              WEBEXTRACT_REFRESH_TOKEN: refreshToken,
              WEBEXTRACT_ACCESS_TOKEN: "",
            },
          });
        const refused = async (pattern: RegExp): Promise<void> => {
          const { code, stderr } = await at(from, `token move ${to} --yes`);
          assert.deepEqual([code, pattern.test(stderr)], [3, true], stderr);
          assert.match(stderr, /Nothing was moved/);
        };
        await refused(/has no tokens of a configured refresh token/);
        for (const _ of [1, 2]) assert.equal((await at(from, "token refresh --yes")).code, 0);
        const hold = world.emulator.hold({ operation: "refreshToken" });
        const { url: baseUrl } = world.emulator;
        const other = new ServiceClient({ baseUrl, refreshToken, tokenStore: from, s3ForcePathStyle: true });
        const renewing = other.renewTokens();
        await hold.reached;
        await refused(/Another process uses/);
        hold.release();
        await renewing;
        const sent = world.sent("refreshToken").length;
        const moved = await untilDone(() => at(from, `token move ${to} --yes`));
        assert.match(moved.stdout, /\n {2}pulumi config set --plaintext webextract:tokenStore '/, moved.stderr);
        const again = await Promise.all(
          [`token move ${to} --yes`, "token refresh --yes", "token status"].map((line) => at(from, line)),
        );
        for (const { code, stderr } of again) {
          assert.equal(code, 3, stderr);
          assert.match(stderr, /[Tt]he tokens were moved from .* to .*\. Set tokenStore to it/);
        }
        assert.equal(world.sent("refreshToken").length, sent);
        const renewed = await at(to, "token refresh --yes");
        assert.equal(renewed.code, 0, renewed.stderr);
        // Older tokens at the other place, as of a backup.
        await at(to, `token move ${world.path("older")} --yes`);
        cpSync(world.path("older"), world.path("newer"), { recursive: true });
        assert.equal((await at(world.path("newer"), "token refresh --yes")).code, 0);
        assert.equal((await at(world.path("newer"), `token move ${from} --yes`)).code, 0);
        const back = await at(world.path("older"), `token move ${from} --yes`);
        assert.deepEqual([back.code, /has newer tokens/.test(back.stderr)], [3, true], back.stderr);
      });
    }

    it("moves no tokens while the journal that follows them has an entry of any stack", async () => {
      const { refreshToken } = world.emulator.credentials;
      const path = stackOf(world, { resources: [] });
      for (const [tokens, journal] of [
        [address, address],
        [world.path("kept"), world.path("kept/journal")],
      ] as const) {
        world.configure({ journal });
        await killedCopy(world);
        const more = {
          WEBEXTRACT_TOKEN_STORE: tokens,
          WEBEXTRACT_REFRESH_TOKEN: refreshToken,
          WEBEXTRACT_JOURNAL: journal,
        };
        await run("token refresh --yes", path, more);
        for (const used of [journal, "off"]) {
          const elsewhere = { ...more, WEBEXTRACT_JOURNAL: used };
          const { code, stderr } = await run(`token move ${world.path("other")} --yes --stack prod`, path, elsewhere);
          assert.deepEqual([code, /has entries\. Nothing was moved/.test(stderr)], [1, true], stderr);
        }
      }
    });

    it("moves the tokens of each account that the store has", async () => {
      world.emulator.setBehaviour({ refreshRotation: "oldDies" });
      const { refreshToken } = world.emulator.credentials;
      const other = { refreshToken: world.emulator.change.addAccount("other").refreshToken };
      const at = (tokenStore: string, line: string) =>
        run(line, process.env.PATH, {
          ...{
            WEBEXTRACT_TOKEN_STORE: tokenStore,
            WEBEXTRACT_REFRESH_TOKEN: refreshToken,
            WEBEXTRACT_ACCESS_TOKEN: "",
          },
          WEBEXTRACT_PROFILES: JSON.stringify({ other, same: { refreshToken } }),
        });
      const lines = ["token refresh --yes", "token refresh --profile other --yes"];
      for (const [from, to] of [
        [world.path("kept"), address],
        [address, world.path("back")],
        [world.path("back"), world.path("back/prod")],
      ] as const) {
        for (const line of lines) assert.equal((await at(from, line)).code, 0);
        const moved = await at(from, `token move ${to} --yes`);
        assert.match(moved.stdout, /^The tokens, also those of other, are in /, moved.stderr);
        for (const line of lines) assert.match((await at(from, line)).stderr, /tokens were moved from/);
        for (const line of lines) assert.equal((await at(to, line)).code, 0);
      }
    });

    it("moves tokens to a store where another machine has sent the spent one, which tells it so", async () => {
      world.emulator.setBehaviour({ refreshRotation: "oldDies" });
      const { refreshToken } = world.emulator.credentials;
      const [tokens, machine] = [world.path("kept"), world.path("machine")];
      const at = (tokenStore: string, line: string, home = world.folder) =>
        run(line, process.env.PATH, {
          ...{ WEBEXTRACT_TOKEN_STORE: tokenStore, WEBEXTRACT_REFRESH_TOKEN: refreshToken, HOME: home },
        });
      assert.equal((await at(tokens, "token refresh --yes")).code, 0);
      const { code, stderr } = await at(address, "token refresh --yes", machine);
      assert.deepEqual([code, stderr.includes(`run "webextract token move ${address}" with that`)], [3, true], stderr);
      const moved = await at(tokens, `token move ${address} --yes`);
      assert.equal(moved.code, 0, moved.stderr);
      assert.equal((await at(address, "token refresh --yes", machine)).code, 0);
    });
  });
