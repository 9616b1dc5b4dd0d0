import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServiceClientOptions } from "../../../src/service";
import { serviceAddress } from "../../internals/service";
import { errorOf } from "../errors/errorOf";
import { movedTo } from "./tokenService";
import { startTask, useTokenWorld } from "./tokenWorld";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

describe("the token store of a service", () => {
  const world = useTokenWorld();
  const { clientWith } = world;
  const spelled = () => `${world.service.baseUrl.replace("http:", "HTTP:")}/x/../.`;
  const use = (options: Partial<ServiceClientOptions> = {}) =>
    startTask(clientWith({ refreshToken: "refresh-0", ...options }));
  const sent = () =>
    world.service.seen.filter(({ url }) => url === "/token").map(({ body }) => JSON.parse(body).refresh_token);

  /** Makes the store as earlier versions wrote it: named after the letters of the address, the top level as `default`. */
  function asEarlier(letters: string, startTokens: readonly string[]): string {
    const folder = join(world.folder, "store");
    const text = startTokens.reduce(
      (all, token) => all.replaceAll(sha256(`${world.service.baseUrl}\n${token}`), sha256(`${letters}\n${token}`)),
      readFileSync(world.storePath(), "utf8"),
    );
    writeFileSync(world.storePath(), text.replaceAll('"profiles":[""]', '"profiles":["default"]'));
    const file = join(folder, `${sha256(letters).slice(0, 32)}.json`);
    renameSync(world.storePath(), file);
    return file;
  }

  it("is one for each spelling of its address", async () => {
    await use({ baseUrl: spelled() });
    world.service.access.clear();
    await use();
    world.service.access.clear();
    await use({ baseUrl: `${world.service.baseUrl}/` });
    assert.deepEqual(sent(), ["refresh-0", "refresh-1", "refresh-2"]);
    assert.equal(world.storeFiles().filter((name) => name.endsWith(".json")).length, 1);
  });

  it("is one for the names of this machine, also as earlier versions named it", async () => {
    const named = (host: string): string => world.service.baseUrl.replace("127.0.0.1", host);
    await use({ baseUrl: named("localhost") });
    asEarlier(named("localhost"), ["refresh-0"]);
    world.service.access.clear();
    await use();
    world.service.access.clear();
    await use({ baseUrl: named("LOCALHOST") });
    assert.deepEqual(sent(), ["refresh-0", "refresh-1", "refresh-2"]);
    const addresses = ["localhost", "127.1", "[::1]"].map((host) => serviceAddress(named(host)));
    assert.deepEqual([...new Set(addresses)], [world.service.baseUrl]);
    // Only a resolver knows what these are.
    const others = ["eu.localhost", "127.0.0.2", "localhost.test", "[::2]"].map((host) => serviceAddress(named(host)));
    assert.equal(new Set([...others, world.service.baseUrl]).size, 5);
  });

  it("is another one for each path", async () => {
    await use();
    await errorOf(use({ baseUrl: `${world.service.baseUrl}/eu` }));
    const ofPath = world.service.seen.filter(({ url }) => url === "/eu/token");
    assert.deepEqual([JSON.parse(ofPath[0]?.body ?? "{}").refresh_token, sent()], ["refresh-0", ["refresh-0"]]);
  });

  for (const [what, options] of [
    ["the letters that are still configured", () => ({ baseUrl: spelled() })],
    ["an address that the service had before", () => ({ movedFrom: [spelled()] })],
  ] as const) {
    it(`takes along the families that an earlier version stored under ${what}`, async () => {
      world.service.refresh.add("second");
      await use();
      await use({ refreshToken: "second", profile: "shop" });
      const earlier = asEarlier(spelled(), ["refresh-0", "second"]);
      const before = readFileSync(earlier, "utf8");
      world.service.access.clear();
      world.service.seen.length = 0;
      await use(options());
      // The next one finds its own, also without the hint to the earlier address.
      world.service.access.clear();
      await use();
      world.service.access.clear();
      await use({ ...options(), refreshToken: "second", profile: "shop" });
      assert.deepEqual(sent(), ["refresh-1", "refresh-3", "refresh-2"]);
      assert.equal(readFileSync(earlier, "utf8"), before);
      const [present = ""] = readdirSync(join(world.folder, "store")).filter(
        (name) => name.endsWith(".json") && !earlier.endsWith(name),
      );
      const { families } = JSON.parse(readFileSync(join(world.folder, "store", present), "utf8"));
      assert.deepEqual(families.map(({ refreshToken }: { refreshToken: string }) => refreshToken).sort(), [
        "refresh-4",
        "refresh-5",
      ]);
      assert.deepEqual(families.map(({ profiles }: { profiles: string[] }) => profiles).sort(), [[""], ["shop"]]);
    });
  }

  it("finds what was imported at an earlier address", async () => {
    await use();
    const file = asEarlier(spelled(), ["refresh-0"]);
    const content = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify({ ...content, imported: { default: content.families[0].key } }));
    world.service.access.clear();
    await use({ refreshToken: undefined, movedFrom: [spelled()] });
    assert.deepEqual(sent(), ["refresh-0", "refresh-1"]);
  });

  it("sends nothing while the file of an earlier address cannot be read: the configured token may be spent", async () => {
    await use();
    const file = asEarlier(spelled(), ["refresh-0"]);
    writeFileSync(file, '{"version":7}');
    world.service.seen.length = 0;
    const error = await errorOf(use({ movedFrom: [spelled()] }));
    assert.match(error.message, /was written by another version of pulumi-webextract and was not changed/);
    assert.deepEqual(world.service.seen, []);
  });

  it("sends no token from an address from which the service has moved", async () => {
    const next = await movedTo(world.service);
    const { baseUrl } = world.service;
    const now = { baseUrl: next.baseUrl, movedFrom: [baseUrl] };
    for (const options of [{}, now, now]) {
      world.service.access.clear();
      await use(options);
    }
    world.service.access.clear();
    const { message } = await errorOf(use());
    assert.match(message, /belong to the address to which the service has moved\. Set webextract:baseUrl to it/);
    await use({ movedFrom: [next.baseUrl] });
    assert.deepEqual([world.service.refused, next.refused], [[], []]);
    await next.close();
  });

  describe("where a profile is called default", () => {
    const both = { sharesDefault: true };
    const profile = "default";
    /** Two families: the configured token of one account is refused after the other one began. */
    const refuseFirst = async (first: Partial<ServiceClientOptions>, second: Partial<ServiceClientOptions>) => {
      world.service.refresh.add("other");
      await use(first);
      await use({ ...second, refreshToken: "other" });
      world.service.access.delete("access-1");
      world.service.refresh.delete("refresh-1");
      world.service.seen.length = 0;
      return first;
    };
    const assertOnlyOwn = async (options: Partial<ServiceClientOptions>) => {
      const error = await errorOf(use(options));
      assert.equal(error.kind, "credential");
      assert.doesNotMatch(world.service.seen.map(({ headers }) => headers.authorization).join(), /access-2/);
    };

    it("never gives the top level the tokens of that profile", async () => {
      await assertOnlyOwn(await refuseFirst({}, { profile }));
    });

    it("never gives that profile the tokens of the top level", async () => {
      await assertOnlyOwn(await refuseFirst({ profile }, {}));
    });

    for (const own of [{ profile }, {}]) {
      it(`gives ${"profile" in own ? "the profile" : "the top level"} of what an earlier version stored only the family of its own refresh token`, async () => {
        const first = await refuseFirst({ ...own, ...both }, own);
        const text = world.storeText().replaceAll('"profiles":["=default"]', '"profiles":["default"]');
        writeFileSync(world.storePath(), text.replaceAll('"profiles":[""]', '"profiles":["default"]'));
        await assertOnlyOwn(first);
        await use({ ...first, refreshToken: "other" });
        assert.equal(world.service.seen.at(-1)?.headers.authorization, "Bearer access-2");
      });
    }

    it("gives what an earlier version stored to the one account that there is", async () => {
      for (const options of [{}, { profile }]) {
        await use(options);
        writeFileSync(
          world.storePath(),
          JSON.stringify({
            version: 1,
            families: JSON.parse(world.storeText()).families.map((each: object) => ({
              ...each,
              profiles: ["default"],
            })),
            imported: { default: JSON.parse(world.storeText()).families[0].key },
          }),
        );
        await use({ ...options, refreshToken: undefined });
      }
      assert.deepEqual(sent(), ["refresh-0"]);
    });
  });
});
