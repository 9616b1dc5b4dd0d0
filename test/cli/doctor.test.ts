import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { CliWorld } from "./webextract";

interface Finding {
  check: string;
  is: "good" | "warning" | "problem";
  found: string;
  remedy?: string;
}

describe("webextract doctor on a machine with problems", () => {
  let world: CliWorld;
  beforeEach(async () => {
    world = await CliWorld.create();
  });
  afterEach(() => world.remove());

  const doctor = async (env: Record<string, string | undefined>): Promise<Record<string, Finding>> => {
    const ended = await world.run("doctor --json", env);
    const findings: Finding[] = ended.json().findings;
    assert.equal(ended.code, findings.some(({ is }) => is === "problem") ? 1 : 0, ended.stderr);
    assert.ok(findings.every(({ is, remedy }) => (is === "good") === (remedy === undefined)));
    return Object.fromEntries(findings.map((each) => [each.check, each]));
  };

  it("compares the clock with that of the service", async () => {
    for (const [shift, says] of [
      [3_600_000, /^36\d\d s ahead of the service's clock$/],
      [-3_600_000, /^3[56]\d\d s behind the service's clock$/],
    ] as const) {
      const text = `const now = Date.now; Date.now = () => now() + ${shift};`;
      writeFileSync(world.path("clock.cjs"), text);
      const { clock } = await doctor({ NODE_OPTIONS: `--require ${world.path("clock.cjs")}` });
      assert.equal(clock?.is, "problem");
      assert.match(clock?.found ?? "", says);
    }
  });

  it("names the proxy without its password", async () => {
    const proxy = "http://someone:very-secret@127.0.0.1:1";
    const ended = await world.run("doctor --json --base-url https://service.test", { HTTPS_PROXY: proxy });
    const found = ended.json().findings.find(({ check }: Finding) => check === "proxy").found;
    assert.equal(found, "http://127.0.0.1:1, with a user name");
    assert.ok(!`${ended.stdout}${ended.stderr}`.includes("very-secret"));
    assert.equal((await doctor({ HTTPS_PROXY: proxy })).proxy?.found, "none for this service");
  });

  it("looks at the folders of the token store and the journal", async () => {
    writeFileSync(world.path("taken"), "a file");
    const { journal, "token store": store } = await doctor({
      WEBEXTRACT_JOURNAL: "off",
      WEBEXTRACT_TOKEN_STORE: world.path("taken/tokens"),
    });
    assert.equal(journal?.is, "warning");
    assert.equal(store?.is, "problem", store?.found);
  });

  it("warns if Pulumi is not on the PATH", async () => {
    const { engine } = await doctor({ PATH: world.path("empty") });
    assert.deepEqual([engine?.is, engine?.found], ["warning", "no program pulumi on the PATH"]);
  });

  it("finds that no credential is configured", async () => {
    const { credentials, read } = await doctor({
      WEBEXTRACT_ACCESS_TOKEN: undefined,
      WEBEXTRACT_API_KEY: undefined,
    });
    assert.deepEqual([credentials?.is, read?.is], ["problem", "problem"]);
  });
});
