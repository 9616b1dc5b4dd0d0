import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "../../scripts/commands";
import type { Engine } from "../../scripts/engine/engine";
import { engineAt, NoEngine } from "../../scripts/engine/engine";
import { ensureHosts } from "../../scripts/engine/hosts";

const windows = process.platform === "win32";

describe("ensureHosts", () => {
  let root: string;
  let engine: Engine;
  let said: string[];

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "webextract-hosts-")));
    mkdirSync(join(root, "bin"));
    const environment = { PATH: join(root, "empty"), XDG_CACHE_HOME: join(root, "cache") };
    engine = engineAt(put(windows ? "pulumi.exe" : "pulumi"), "cache", "3.248.0", environment);
    said = [];
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  function put(file: string, folder = join(root, "bin")): string {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, file), file, { mode: 0o755 });
    return join(folder, file);
  }

  const host = (language: string): string => `pulumi-language-${language}${windows ? ".exe" : ""}`;

  it("leaves an engine as it is that has the hosts, as Pulumi's releases do", async () => {
    put(host("yaml"));
    put(host("go"));
    await ensureHosts(engine, ["yaml", "go"], (line) => said.push(line));
    assert.deepEqual(said, []);
  });

  it("puts a host that was built before beside the engine, because the engine warns of one that is on PATH alone", async () => {
    put(host("yaml"), join(root, "cache", "pulumi-webextract", "pulumi-language-yaml-1.38.3"));
    await ensureHosts(engine, ["yaml"], (line) => said.push(line));
    assert.ok(existsSync(join(root, "bin", host("yaml"))));
    assert.equal(said.length, 1);
  });

  it("names what is missing if a host cannot be built", async () => {
    await assert.rejects(
      ensureHosts(engine, ["yaml"], (line) => said.push(line)),
      (error: unknown) => error instanceof NoEngine && /Programs in yaml need .*Go is not on PATH/.test(error.message),
    );
    assert.equal(existsSync(join(root, "bin", host("yaml"))), false);
  });

  for (const [option, value, said] of [
    ["--languages", "yaml,cobol", "--languages cannot be cobol; allowed: yaml, python, go"],
    ["--version", "2.9.0", "--version must be newest, or a version of Pulumi 3 such as 3.276.0; got 2.9.0"],
  ] as const) {
    it(`is what npm run engine asks for, which refuses ${option} ${value} by name`, async () => {
      const script = ["--import", "tsx", "scripts/engine/main.ts", option, value];
      await assert.rejects(
        promisify(execFile)(process.execPath, script, { cwd: repositoryRoot }),
        ({ stderr }: { stderr: string }) => stderr.includes(said),
      );
    });
  }
});
