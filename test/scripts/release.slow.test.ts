import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import type { Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { version } from "../../package.json";
import { repositoryRoot } from "../../scripts/commands";

/** The commands of the workflow that are ours, in their order. */
const { jobs } = parse(readFileSync(join(repositoryRoot, ".github/workflows/release.yml"), "utf8"));
const steps: string[] = Object.values<{ steps: { run?: string }[] }>(jobs)
  .flatMap((job) => job.steps)
  .flatMap(({ run }) => (run?.startsWith("npm run release") ? [run] : []));

/** A copy of what a release reads, with the day of the release in the changelog. */
function checkout(): string {
  const folder = mkdtempSync(join(tmpdir(), "webextract-release-"));
  const left = ["node_modules", ".git", ".webextract", "release", "docs", "bench"];
  for (const name of readdirSync(repositoryRoot).filter((each) => !left.includes(each) && each !== "test")) {
    cpSync(join(repositoryRoot, name), join(folder, name), {
      recursive: true,
      filter: (path) => basename(path) !== "node_modules",
    });
  }
  symlinkSync(join(repositoryRoot, "node_modules"), join(folder, "node_modules"));
  const fixtures = "test/realEngine/upgrade/fixtures";
  for (const name of readdirSync(join(repositoryRoot, fixtures)))
    mkdirSync(join(folder, fixtures, name), { recursive: true });
  const changelog = join(folder, "CHANGELOG.md");
  writeFileSync(changelog, readFileSync(changelog, "utf8").replace(/^(## \S+) - Unreleased$/m, "$1 - 2026-01-31"));
  return folder;
}

/** A registry that knows these versions, by their package: the integrity of the tarball. */
async function registryOf(published: Readonly<Record<string, string>>): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    const name = decodeURIComponent(request.url ?? "").slice(1);
    const integrity = published[name];
    const dist = { integrity, tarball: "http://127.0.0.1:1/none.tgz" };
    const document = { name, "dist-tags": { latest: version }, versions: { [version]: { name, version, dist } } };
    response.writeHead(integrity === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(integrity === undefined ? { error: "not found" } : document));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

describe("a rehearsal of a release", function () {
  this.timeout(1_800_000);

  it("runs the workflow to its end: the first version by hand, then what is published, installed as users do", async () => {
    const args = ["--import", "tsx", "scripts/release/main.ts", "--rehearse"];
    const options = { cwd: repositoryRoot, maxBuffer: 2 ** 26 };
    const { stdout } = await promisify(execFile)(process.execPath, args, options);
    const said = stdout.split("\n");
    const publish = "$ npm run release -- publish";
    const check = '$ npm run release -- check "$GITHUB_REF_NAME" --server ';
    assert.deepEqual(
      said.filter((line) => line.startsWith(publish)),
      [publish, `${publish} --no-provenance`, publish],
    );
    assert.ok(
      said.some((line) => line.startsWith(check)),
      stdout,
    );
    assert.match(stdout, /Nothing has left this machine\.\s*$/);
  });
});

describe("the steps of the release workflow", function () {
  this.timeout(300_000);
  let folder: string;
  before(() => {
    folder = checkout();
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs a step as the workflow does, but uploads nothing. */
  async function run(
    step: string,
    published: Readonly<Record<string, string>> = {},
    tag = `v${version}`,
  ): Promise<string> {
    const { server, url } = await registryOf(published);
    const environment = { GITHUB_REF_NAME: tag, npm_config_registry: url, npm_config_cache: join(folder, ".cache") };
    const command = step.endsWith("publish") ? `${step} --dry-run` : step;
    try {
      const { stdout, stderr } = await promisify(execFile)("bash", ["-e", "-c", command], {
        cwd: folder,
        env: { ...process.env, ...environment },
      });
      return stdout + stderr;
    } finally {
      server.close();
    }
  }

  const integrityOf = (name: string) => {
    const tarball = readFileSync(join(folder, "release", `${name}-${version}.tgz`));
    return `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  };

  const publish = steps[3] ?? "";

  it("are verify, pack, sdks, publish and check", () => {
    assert.deepEqual(
      steps.map((step) => step.split(" ")[4]),
      ["verify", "pack", "sdks", "publish", "check"],
    );
  });

  it("accept this version, pack both packages, the plugin and the API reference, and take the notes from the changelog", async () => {
    const [verify = "", pack = ""] = steps;
    await run(verify);
    await run(pack);
    assert.deepEqual(readdirSync(join(folder, "release")).sort(), [
      `api-reference-${version}.tgz`,
      "notes.md",
      ...["darwin-amd64", "darwin-arm64", "linux-amd64", "linux-arm64", "windows-amd64", "windows-arm64"].map(
        (system) => `pulumi-resource-webextract-v${version}-${system}.tar.gz`,
      ),
      `pulumi-resource-webextract_${version}_checksums.txt`,
      `pulumi-webextract-${version}.tgz`,
      `sbom-${version}.cdx.json`,
      `webextract-emulator-${version}.tgz`,
    ]);
    const { components } = JSON.parse(readFileSync(join(folder, "release", `sbom-${version}.cdx.json`), "utf8"));
    // The command line contains a part of commander, which no user installs.
    assert.ok(components.some(({ name }: { name: string }) => name === "commander"));
    const notes = readFileSync(join(folder, "release/notes.md"), "utf8");
    assert.match(notes, /TaskCopy/);
    const reference = join(folder, "release", `api-reference-${version}.tgz`);
    const { stdout } = await promisify(execFile)("tar", ["-tzf", reference]);
    assert.match(stdout, /^api\/pulumi-webextract\/service\.md$/m);
    assert.doesNotMatch(notes, /^## /m);
  });

  it("publish the emulator, then the provider, with provenance; the dry run uploads nothing", async () => {
    const output = await run(publish);
    const places = ["webextract-emulator", "pulumi-webextract"].map((name) => output.indexOf(`+ ${name}@${version}`));
    assert.ok(
      places.every((place) => place >= 0),
      output,
    );
    assert.deepEqual(
      [...places].sort((a, b) => a - b),
      places,
    );
    assert.match(output, /would be published as latest/);
  });

  it("leave out a package that a stopped release has published", async () => {
    const output = await run(publish, { "webextract-emulator": integrityOf("webextract-emulator") });
    assert.match(output, new RegExp(`webextract-emulator@${version} is already published`));
    assert.ok(output.includes(`+ pulumi-webextract@${version}`));
    assert.ok(!output.includes(`+ webextract-emulator@${version}`));
  });

  it("refuse a version that is published with other content", async () => {
    await assert.rejects(run(publish, { "webextract-emulator": "sha512-b3RoZXI=" }), (error: { stderr: string }) => {
      assert.match(error.stderr, /already published with other content/);
      return true;
    });
  });

  it("refuse another tag with one error that lists every problem, and pack nothing", async () => {
    rmSync(join(folder, "release"), { recursive: true, force: true });
    await assert.rejects(run(steps[1] ?? "", {}, "v9.9.9"), (error: { stderr: string }) => {
      const [title, ...problems] = error.stderr.split("\n").filter((line) => /^(v9|- )/.test(line));
      assert.equal(title, "v9.9.9 cannot be released:");
      assert.ok(problems.length >= 4, error.stderr);
      return true;
    });
    assert.equal(existsSync(join(folder, "release")), false);
  });
});
