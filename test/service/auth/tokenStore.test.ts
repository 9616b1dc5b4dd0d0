import assert from "node:assert/strict";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import files from "node:fs/promises";
import { join } from "node:path";
import sinon from "sinon";
import { errorOf } from "../errors/errorOf";
import { startTask, useTokenWorld } from "./tokenWorld";

describe("the token store", () => {
  const world = useTokenWorld();
  const { clientWith, passTime } = world;
  const configured = { refreshToken: "refresh-0" };
  const start = () => startTask(clientWith(configured));
  const sentRefreshTokens = () =>
    world.service.seen.filter(({ url }) => url === "/token").map(({ body }) => JSON.parse(body).refresh_token);

  it("gives the next process its access token without a refresh", async () => {
    await start();
    const next = clientWith(configured);
    await startTask(next);
    assert.equal(world.service.refreshes, 1);
    assert.equal(next.describeCredentials().source, "storedToken");
  });

  it("gives the next process its refresh token in place of the configured one", async () => {
    await start();
    world.service.access.clear();
    await start();
    assert.deepEqual(sentRefreshTokens(), ["refresh-0", "refresh-1"]);
  });

  it("is shared by many clients with one refresh", async () => {
    await Promise.all(Array.from({ length: 6 }, () => start()));
    assert.equal(world.service.refreshes, 1);
  });

  it("holds a family for each configured refresh token", async () => {
    world.service.refresh.add("other-start");
    await start();
    await startTask(clientWith({ refreshToken: "other-start" }));
    await start();
    assert.equal(world.service.refreshes, 2);
  });

  it("keeps a family for 90 days after its last renewal", async () => {
    world.service.refresh.add("second").add("third");
    await start();
    passTime(89 * 24 * 3600);
    await startTask(clientWith({ refreshToken: "second" }));
    assert.match(world.storeText(), /refresh-1/);
    passTime(2 * 24 * 3600);
    await startTask(clientWith({ refreshToken: "third" }));
    assert.doesNotMatch(world.storeText(), /refresh-1/);
    assert.match(world.storeText(), /refresh-2/);
  });

  it("is a file that only its owner can read, in a folder of that kind, without the configured refresh token", async () => {
    await start();
    const [file = ""] = world.storeFiles();
    assert.deepEqual(world.storeFiles(), [file]);
    assert.equal(statSync(join(world.folder, "store")).mode & 0o777, 0o700);
    assert.equal(statSync(world.storePath()).mode & 0o777, 0o600);
    assert.doesNotMatch(world.storeText(), /refresh-0/);
  });

  it("leaves the mode of a folder that exists already as it is", async () => {
    mkdirSync(join(world.folder, "store"), { mode: 0o755 });
    await start();
    assert.equal(statSync(join(world.folder, "store")).mode & 0o777, 0o755);
    assert.equal(statSync(world.storePath()).mode & 0o777, 0o600);
  });

  it("has a new refresh token on disk before the access token is used: written, synced, renamed", async () => {
    const steps: string[] = [];
    const realOpen = files.open;
    sinon.replace(files, "open", async (...args: Parameters<typeof realOpen>) => {
      const handle = await realOpen(...args);
      const sync = handle.sync.bind(handle);
      sinon.replace(handle, "sync", async () => {
        steps.push(`sync ${/\.tmp$/.test(String(args[0])) ? "file" : "folder"}`);
        await sync();
      });
      return handle;
    });
    const realRename = files.rename;
    sinon.replace(files, "rename", async (from, to) => {
      steps.push("rename");
      assert.match(readFileSync(String(from), "utf8"), /refresh-1/);
      await realRename(from, to);
    });
    world.service.onCall = () =>
      steps.push(`call, ${world.storeText().includes("refresh-1") ? "stored" : "not stored"}`);
    await start();
    assert.deepEqual(steps, ["sync file", "rename", "sync folder", "call, stored"]);
    assert.deepEqual(
      world.storeFiles().filter((name) => !name.endsWith(".json")),
      [],
    );
  });

  it("is read again after a refusal: another machine may have been quicker", async () => {
    await start();
    const written = world.storeText();
    const path = world.storePath();
    rmSync(join(world.folder, "store"), { recursive: true });
    world.service.onRefresh = () => {
      // At this moment, by a machine that shares the folder without locks.
      writeFileSync(path, written);
      return false;
    };
    const late = clientWith(configured);
    await startTask(late);
    assert.equal(late.describeCredentials().source, "storedToken");
    assert.equal(world.service.refreshes, 1);
    assert.equal(sentRefreshTokens().length, 2);
  });

  it("takes the result of a refresh that was under way when its client was closed", async () => {
    const client = clientWith(configured);
    world.service.onRefresh = () => {
      client.close();
      return false;
    };
    assert.equal((await errorOf(startTask(client))).kind, "aborted");
    const next = clientWith(configured);
    await startTask(next);
    assert.equal(next.describeCredentials().source, "storedToken");
    assert.equal(world.service.refreshes, 1);
  });

  it("that cannot be written is warned of at once; the new refresh token lives on in memory, and close() throws", async () => {
    writeFileSync(join(world.folder, "blocked"), "");
    const client = clientWith({ ...configured, tokenStore: join(world.folder, "blocked", "store") });
    await startTask(client);
    assert.match(world.warnings.join("\n"), /could not be stored in/);
    assert.doesNotMatch(world.warnings.join("\n"), /refresh-1|access-1/);
    assert.equal(client.describeCredentials().unstored, true);
    world.service.access.clear();
    await startTask(client);
    assert.equal(world.service.refreshes, 2);
    assert.throws(() => client.close(), /could not be stored/);
  });

  it("stays a symbolic link, and the new refresh token goes to its target", async () => {
    await start();
    const target = join(world.folder, "target.json");
    const path = world.storePath();
    renameSync(path, target);
    symlinkSync(target, path);
    world.service.access.clear();
    await start();
    assert.ok(lstatSync(world.storePath()).isSymbolicLink());
    assert.match(readFileSync(target, "utf8"), /refresh-2/);
    assert.deepEqual(sentRefreshTokens(), ["refresh-0", "refresh-1"]);
  });

  it("loses the temporary files of killed processes, and no others", async () => {
    await start();
    const [file = ""] = world.storeFiles();
    const abandoned = `${file}.0123abcd.tmp`;
    const kept = [`${file}.4567abcd.tmp`, "notes.4567abcd.tmp", `${file}.tmp`];
    for (const name of [abandoned, ...kept]) {
      const path = join(world.folder, "store", name);
      writeFileSync(path, "");
      const days = name === kept[0] ? 0.9 : 1.1;
      const time = new Date(Date.now() - days * 24 * 3600_000);
      utimesSync(path, time, time);
    }
    world.service.access.clear();
    await start();
    assert.deepEqual(world.storeFiles().sort(), [file, ...kept].sort());
  });

  describe("whose content makes no sense", () => {
    for (const [what, content] of [
      ["half of it", '{"version":1,"salt":"a","fam'],
      ["of another shape", '{"version":1,"salt":"a","families":{"k":{"refreshToken":7}}}'],
      ["nothing", ""],
    ] as const) {
      it(`is renamed (${what})`, async () => {
        await start();
        writeFileSync(world.storePath(), content);
        world.service.refresh.add("refresh-0");
        await start();
        assert.equal(world.service.refreshes, 2);
        const asides = world.storeFiles().filter((name) => name.includes(".corrupt-"));
        assert.equal(asides.length, 1);
        assert.deepEqual(world.warnings, [
          `The token store ${world.storePath()} is corrupt. It was renamed to ${join(world.folder, "store", asides[0] ?? "")}.`,
        ]);
        assert.match(world.storeText(), /refresh-2/);
      });
    }

    it("is renamed before the new one is written", async () => {
      await start();
      writeFileSync(world.storePath(), "{");
      world.service.refresh.add("refresh-0");
      const steps: string[] = [];
      const realRename = files.rename;
      sinon.replace(files, "rename", async (from, to) => {
        const what = String(to).includes(".corrupt-") ? "old one" : "new one";
        steps.push(`${what} begins`);
        for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
        await realRename(from, to);
        steps.push(`${what} renamed`);
      });
      await start();
      assert.deepEqual(steps, ["old one begins", "old one renamed", "new one begins", "new one renamed"]);
    });

    it("stays where it cannot be renamed, and the error says so", async () => {
      await start();
      writeFileSync(world.storePath(), "{");
      const realRename = files.rename;
      sinon.replace(files, "rename", async (from, to) => {
        if (String(to).includes(".corrupt-")) throw Object.assign(new Error("no"), { code: "EPERM" });
        await realRename(from, to);
      });
      const error = await errorOf(start());
      assert.equal(error.kind, "credential");
      assert.match(error.message, /is corrupt and cannot be renamed \(EPERM\)/);
      assert.equal(world.storeText(), "{");
      assert.deepEqual(sentRefreshTokens(), ["refresh-0"]);
    });

    it("is left alone by a reader without the lock: another process may replace it at any moment", async () => {
      await start();
      const [file = ""] = world.storeFiles();
      writeFileSync(world.storePath(), "{");
      world.service.access.add("good");
      await startTask(clientWith({ accessToken: "good", refreshToken: "refresh-0" }));
      assert.deepEqual(world.storeFiles(), [file]);
    });
  });

  describe("that cannot be read", () => {
    const failReads = (code: string, times: number) => {
      const realRead = files.readFile;
      let left = times;
      sinon.replace(files, "readFile", (async (...args: Parameters<typeof realRead>) => {
        if (String(args[0]).endsWith(".json") && left > 0) {
          left -= 1;
          throw Object.assign(new Error(code), { code });
        }
        return realRead(...args);
      }) as typeof realRead);
    };

    for (const code of ["EMFILE", "ENFILE", "EIO", "ESTALE", "EACCES"]) {
      it(`for a moment (${code}) is read again`, async () => {
        await start();
        failReads(code, 2);
        const next = clientWith(configured);
        await startTask(next);
        assert.equal(next.describeCredentials().source, "storedToken");
        assert.equal(world.service.refreshes, 1);
        assert.deepEqual(world.warnings, []);
      });
    }

    it("is an error that names it, and stays as it is", async () => {
      await start();
      const before = world.storeText();
      failReads("EACCES", Number.POSITIVE_INFINITY);
      const error = await errorOf(start());
      assert.deepEqual([error.kind, error.outcome], ["credential", "notExecuted"]);
      assert.ok(error.message.includes(`the token store ${world.storePath()} cannot be read (EACCES).`), error.message);
      sinon.restore();
      assert.equal(world.storeText(), before);
      assert.equal(world.service.refreshes, 1);
    });

    it("stops nobody who has another credential", async () => {
      await start();
      failReads("EACCES", Number.POSITIVE_INFINITY);
      world.service.access.add("good");
      await startTask(clientWith({ accessToken: "good", refreshToken: "refresh-0" }));
      assert.equal(world.service.refreshes, 1);
    });

    it("is an error where another version wrote it, and stays as it is", async () => {
      await start();
      writeFileSync(world.storePath(), '{"version":2}');
      const error = await errorOf(start());
      assert.match(error.message, /was written by another version of pulumi-webextract and was not changed/);
      assert.equal(world.storeText(), '{"version":2}');
      assert.equal(world.service.refreshes, 1);
    });
  });

  it("that cannot be locked is used without a lock, at once and with a warning", async () => {
    await start();
    const path = `${world.storePath()}.lock`;
    // In place of a folder that may not be written to: an old file where the lock would be a folder.
    writeFileSync(path, "");
    utimesSync(path, new Date(0), new Date(0));
    world.service.access.clear();
    await start();
    assert.equal(world.service.refreshes, 2);
    assert.match(world.warnings.join(), /^The token store .* cannot be locked \(ENOTDIR\): /);
    assert.ok(existsSync(path));
  });
});
