import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
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
import { clock } from "../../internals/service";
import { errorOf } from "../errors/errorOf";
import { startTask, useTokenWorld } from "./tokenWorld";

describe("the token store", () => {
  const world = useTokenWorld();
  const { clientWith, passTime } = world;
  const configured = { refreshToken: "refresh-0" };
  const start = () => startTask(clientWith(configured));
  const sentRefreshTokens = () =>
    world.service.seen.filter(({ url }) => url === "/token").map(({ body }) => JSON.parse(body).refresh_token);

  /** Ends the waits of the client at once, and resolves after this number of them. */
  const skipUntil = (number: number) =>
    new Promise<"waited">((resolve) => {
      let waits = 0;
      sinon.replace(clock, "wait", (_milliseconds, done) => {
        waits += 1;
        if (waits === number) resolve("waited");
        const timer = setTimeout(done, 1);
        return () => clearTimeout(timer);
      });
    });

  it("gives its access token to the next process, which makes no refresh", async () => {
    await start();
    const next = clientWith(configured);
    await startTask(next);
    assert.equal(world.service.refreshes, 1);
    assert.equal(next.describeCredentials().source, "storedToken");
  });

  it("gives its refresh token to the next process in place of the configured one", async () => {
    await start();
    world.service.access.clear();
    await start();
    assert.deepEqual(sentRefreshTokens(), ["refresh-0", "refresh-1"]);
  });

  it("lets many clients share one refresh", async () => {
    await Promise.all(Array.from({ length: 6 }, () => start()));
    assert.equal(world.service.refreshes, 1);
  });

  it("contains a token family for each configured refresh token", async () => {
    world.service.refresh.add("other-start");
    await start();
    await startTask(clientWith({ refreshToken: "other-start" }));
    await start();
    assert.equal(world.service.refreshes, 2);
  });

  it("keeps every token family, however wrong the clock is", async () => {
    world.service.refresh.add("second");
    await start();
    passTime(100 * 24 * 3600);
    await startTask(clientWith({ refreshToken: "second" }));
    passTime(1000 * 24 * 3600);
    world.service.access.clear();
    await startTask(clientWith({ refreshToken: "second" }));
    assert.match(world.storeText(), /refresh-1/);
    world.service.access.clear();
    await start();
    assert.equal(sentRefreshTokens().at(-1), "refresh-1");
  });

  it("takes a lock from the future for a stale one", async () => {
    await start();
    const path = `${world.storePath()}.lock`;
    for (const ahead of [60_000, 1e12]) {
      mkdirSync(path);
      const time = new Date(Date.now() + ahead);
      utimesSync(path, time, time);
      world.service.access.clear();
      await start();
      assert.ok(!existsSync(path));
    }
    assert.equal(world.service.refreshes, 3);
    assert.deepEqual(world.warnings, []);
  });

  it("waits for the lock of another process", async () => {
    await start();
    const path = `${world.storePath()}.lock`;
    mkdirSync(path);
    world.service.access.clear();
    const { refreshes } = world.service;
    const done = start();
    const waited = skipUntil(3);
    assert.equal(await Promise.race([done, waited]), "waited");
    assert.equal(world.service.refreshes, refreshes);
    rmSync(path, { recursive: true });
    await done;
  });

  it("is not read if it is no regular file, and the error says so", async () => {
    await start();
    const path = world.storePath();
    rmSync(path);
    execFileSync("mkfifo", [path]);
    const error = await errorOf(start());
    assert.deepEqual([error.kind, error.outcome], ["credential", "notExecuted"]);
    assert.ok(error.message.includes(`the token store ${path} cannot be read (not a regular file)`), error.message);
    assert.ok(lstatSync(path).isFIFO());
    assert.deepEqual(sentRefreshTokens(), ["refresh-0"]);
  });

  it("is readable by its owner only, as is its folder, and does not contain the configured refresh token", async () => {
    await start();
    const [file = ""] = world.storeFiles();
    assert.deepEqual(world.storeFiles(), [file]);
    assert.equal(statSync(join(world.folder, "store")).mode & 0o777, 0o700);
    assert.equal(statSync(world.storePath()).mode & 0o777, 0o600);
    assert.doesNotMatch(world.storeText(), /refresh-0/);
  });

  it("does not change the mode of an existing folder", async () => {
    mkdirSync(join(world.folder, "store"), { mode: 0o755 });
    await start();
    assert.equal(statSync(join(world.folder, "store")).mode & 0o777, 0o755);
    assert.equal(statSync(world.storePath()).mode & 0o777, 0o600);
  });

  it("writes, syncs and renames a new refresh token before the client uses the access token", async () => {
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
      steps.push(`rename ${/refresh-1/.test(readFileSync(String(from), "utf8")) ? "new" : "check"}`);
      await realRename(from, to);
    });
    world.service.onCall = () =>
      steps.push(`call, ${world.storeText().includes("refresh-1") ? "stored" : "not stored"}`);
    await start();
    // The first write only shows that the disk is not full.
    const check = ["sync file", "rename check", "sync folder"];
    assert.deepEqual(steps, [...check, "sync file", "rename new", "sync folder", "call, stored"]);
    assert.deepEqual(
      world.storeFiles().filter((name) => !name.endsWith(".json")),
      [],
    );
  });

  it("is read again after a refusal, because another process may have refreshed the token", async () => {
    await start();
    const written = world.storeText();
    const path = world.storePath();
    rmSync(join(world.folder, "store"), { recursive: true });
    world.service.onRefresh = () => {
      // A machine that shares the folder without locks writes at this moment.
      writeFileSync(path, written);
      return false;
    };
    const late = clientWith(configured);
    await startTask(late);
    assert.equal(late.describeCredentials().source, "storedToken");
    assert.equal(world.service.refreshes, 1);
    assert.equal(sentRefreshTokens().length, 2);
  });

  it("stores the result of a refresh that is in progress when its client is closed", async () => {
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

  it("warns at once if it cannot be written, keeps the new refresh token in memory, and makes close() throw", async () => {
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

  it("stays a symbolic link, and the new refresh token is written to the target of the link", async () => {
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

  it("removes the temporary files of killed processes and no other files", async () => {
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

  describe("with invalid content", () => {
    for (const [what, content] of [
      ["truncated", '{"version":1,"salt":"a","fam'],
      ["another shape", '{"version":1,"salt":"a","families":{"k":{"refreshToken":7}}}'],
      ["empty", ""],
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
      const written = ["new one begins", "new one renamed"];
      assert.deepEqual(steps, ["old one begins", "old one renamed", ...written, ...written]);
    });

    it("stays unchanged if it cannot be renamed, and the error says so", async () => {
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

    it("is not renamed by a reader without the lock, because another process may be replacing it", async () => {
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
      it(`is read again after a temporary error (${code})`, async () => {
        await start();
        failReads(code, 2);
        const next = clientWith(configured);
        await startTask(next);
        assert.equal(next.describeCredentials().source, "storedToken");
        assert.equal(world.service.refreshes, 1);
        assert.deepEqual(world.warnings, []);
      });
    }

    it("causes an error that names it, and stays unchanged", async () => {
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

    it("causes an error that names the user to whom it belongs: another store would not have its tokens", async () => {
      await start();
      failReads("EACCES", Number.POSITIVE_INFINITY);
      const owner = statSync(world.storePath()).uid;
      sinon.replace(process, "geteuid", () => owner + 1);
      const { message } = await errorOf(start());
      const whose = `${world.storePath()} belongs to user ${owner}, and this is user ${owner + 1}. `;
      const remedy =
        "Run this as that user, or log in again: set tokenStore to another folder and use a newly issued refresh token.";
      assert.ok(message.includes(`cannot be read (EACCES): ${whose}${remedy}`), message);
    });

    it("causes an error that also says why the credential command has no token", async () => {
      await start();
      failReads("EACCES", Number.POSITIVE_INFINITY);
      for (const refreshToken of [undefined, "refresh-0"]) {
        const { message } = await errorOf(startTask(clientWith({ credentialCommand: "echo hush", refreshToken })));
        const both = /not sent: credentialCommand did not print JSON on stdout; the token store .* cannot be read/;
        assert.match(message, both);
        assert.equal(message.split("cannot be read").length, 2, message);
      }
    });

    it("does not affect clients that have another credential", async () => {
      await start();
      failReads("EACCES", Number.POSITIVE_INFINITY);
      world.service.access.add("good");
      await startTask(clientWith({ accessToken: "good", refreshToken: "refresh-0" }));
      assert.equal(world.service.refreshes, 1);
    });

    it("causes an error if a newer version wrote it, and stays unchanged", async () => {
      await start();
      writeFileSync(world.storePath(), '{"version":2}');
      const error = await errorOf(start());
      assert.match(error.message, /was written by another version of pulumi-webextract and was not changed/);
      assert.equal(world.storeText(), '{"version":2}');
      assert.equal(world.service.refreshes, 1);
    });
  });

  /** Simulates a folder without write permission: an old file has the path of the lock folder. */
  const preventLock = (): void => {
    const path = `${world.storePath()}.lock`;
    writeFileSync(path, "");
    utimesSync(path, new Date(0), new Date(0));
  };

  it("is neither renamed nor replaced without a lock if it is corrupt, because another process may be writing it", async () => {
    await start();
    preventLock();
    const before = world.storeFiles();
    writeFileSync(world.storePath(), "{");
    world.service.access.clear();
    world.service.refresh.add("refresh-0");
    const error = await errorOf(start());
    assert.match(
      error.message,
      /is corrupt and was not changed, because it cannot be locked \(ENOTDIR\)\. It can contain/,
    );
    assert.deepEqual([world.storeText(), world.storeFiles()], ["{", before]);
    assert.deepEqual(sentRefreshTokens(), ["refresh-0"]);
  });

  it("is used at once without a lock, with a warning, if it cannot be locked", async () => {
    await start();
    preventLock();
    world.service.access.clear();
    await start();
    assert.equal(world.service.refreshes, 2);
    assert.match(world.warnings.join(), /^The token store .* cannot be locked \(ENOTDIR\): /);
    assert.ok(existsSync(`${world.storePath()}.lock`));
  });
});
