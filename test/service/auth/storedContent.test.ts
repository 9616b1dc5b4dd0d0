import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TokenStore } from "../../internals/service";
import { errorOf } from "../errors/errorOf";
import { startTask, useTokenWorld } from "./tokenWorld";

/** A place in the content of the store. */
type Path = readonly (string | number)[];

describe("the content of the token store", () => {
  const world = useTokenWorld();
  const { clientWith } = world;
  const start = () => startTask(clientWith({ refreshToken: "refresh-0" }));

  /** Replaces one value of the stored content; `undefined` removes it. Returns the text of the file. */
  const damage = (path: Path, value: unknown): string => {
    const content = JSON.parse(world.storeText());
    const parent = path.slice(0, -1).reduce((above, key) => above[key], content);
    parent[path.at(-1) ?? ""] = value;
    const text = JSON.stringify(content);
    writeFileSync(world.storePath(), text);
    return text;
  };

  const family = ["families", 0];
  const wrong: [Path, unknown][] = [
    [["version"], "1"],
    [["version"], undefined],
    [["families"], {}],
    [family, null],
    [family, "refresh-1"],
    ...["key", "refreshToken", "accessToken"].map((name): [Path, unknown] => [[...family, name], 7]),
    [[...family, "refreshToken"], undefined],
    ...["beganAt", "updatedAt", "expiresAt"].flatMap((name): [Path, unknown][] => [
      [[...family, name], "1970"],
      [[...family, name], 1e300],
    ]),
    [[...family, "beganAt"], undefined],
    [[...family, "profiles"], "default"],
    [
      [...family, "profiles"],
      ["default", 7],
    ],
    [["imported"], []],
    [["imported"], undefined],
  ];
  for (const [path, value] of wrong) {
    it(`is kept aside if ${path.join(".")} is ${value === undefined ? "missing" : JSON.stringify(value)}`, async () => {
      await start();
      const damaged = damage(path, value);
      world.service.refresh.add("refresh-0");
      await start();
      const aside = world.storeFiles().find((name) => name.includes(".corrupt-"));
      assert.ok(aside !== undefined, world.storeFiles().join());
      assert.equal(readFileSync(join(world.folder, "store", aside), "utf8"), damaged);
      assert.match(world.storeText(), /refresh-2/);
    });
  }

  it("may lack the time at which an access token expires", async () => {
    await start();
    const content = damage([...family, "expiresAt"], undefined);
    await start();
    assert.equal(world.storeText(), content);
    assert.equal(world.service.refreshes, 1);
  });

  it("is needed where nothing else has a credential: the error says that it was not changed", async () => {
    await start();
    writeFileSync(world.storePath(), "{");
    for (const attempt of [1, 2]) {
      const error = await errorOf(startTask(clientWith({})));
      assert.deepEqual([error.kind, error.outcome], ["credential", "notExecuted"], `attempt ${attempt}`);
      assert.ok(
        error.message.includes(
          `the token store ${world.storePath()} is corrupt and was not changed. It can contain the only valid refresh token: keep a copy, correct the file, or import`,
        ),
        error.message,
      );
    }
    assert.equal(world.storeText(), "{");
    assert.deepEqual(world.warnings, []);
  });

  describe("after an import", () => {
    const storeOf = (profile: string) => {
      const { baseUrl } = world.service;
      const warn = (message: string) => world.warnings.push(message);
      const tokenStore = join(world.folder, "store");
      return new TokenStore({ tokenStore, baseUrl, movedFrom: [], profile, sharesDefault: false, warn });
    };
    const begin = async (refreshToken: string, profile?: string) => {
      world.service.refresh.add(refreshToken);
      await startTask(clientWith({ refreshToken, profile }));
    };

    it("names the family of each profile, and keeps those of the others", async () => {
      await begin("a", "shop");
      await begin("b", "shop");
      await begin("c", "news");
      await storeOf("shop").setImported("b");
      await storeOf("news").setImported("c");
      await storeOf("shop").setImported("a");
      const imported = async (profile: string) => (await storeOf(profile).families(undefined)).imported?.refreshToken;
      assert.deepEqual(
        [await imported("shop"), await imported("news"), await imported("other")],
        ["refresh-1", "refresh-3", undefined],
      );
      assert.equal((await storeOf("shop").families("b")).own?.refreshToken, "refresh-2");
    });

    it("serves a profile that has nothing but the store", async () => {
      await begin("a");
      await begin("b");
      await storeOf("").setImported("a");
      world.service.seen.length = 0;
      await startTask(clientWith({}));
      assert.equal(world.service.seen[0]?.headers.authorization, "Bearer access-1");
    });
  });
});
