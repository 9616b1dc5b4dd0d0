import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { slowIt } from "../environment";
import { packTarball, repositoryRoot } from "../realEngine/harness";

const run = promisify(execFile);
const manifest: {
  exports: Record<string, string | Record<string, string>>;
  bin: Record<string, string>;
} = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));

const entries = Object.entries(manifest.exports);
/** Every file that the package promises to have, from its own folder. */
const promised = entries
  .flatMap(([, target]) => (typeof target === "string" ? [target] : Object.values(target)))
  .concat(Object.values(manifest.bin))
  .map((path) => path.replace(/^\.\//, ""));
const modules = entries
  .filter(([, target]) => typeof target === "object")
  .map(([entry]) => `pulumi-webextract${entry.slice(1)}`);

/** Runs a program in a process of its own, beside an installed package. Answers what it prints, as JSON. */
async function inConsumer(folder: string, program: string, kind: "commonjs" | "module"): Promise<unknown> {
  const { stdout } = await run(process.execPath, ["--input-type", kind, "--eval", program], { cwd: folder });
  return JSON.parse(stdout);
}

describe("the package", () => {
  let folder: string;
  before(() => {
    assert.ok(existsSync(join(repositoryRoot, "dist", "index.js")), "there is no dist: run npm run build first");
    folder = mkdtempSync(join(tmpdir(), "webextract-package-"));
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(repositoryRoot, join(folder, "node_modules", "pulumi-webextract"), "junction");
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("exports the same names to require and to import, from each entry point", async () => {
    assert.deepEqual(modules, ["pulumi-webextract", "pulumi-webextract/service", "pulumi-webextract/provider"]);
    const list = JSON.stringify(modules);
    const required = await inConsumer(
      folder,
      `console.log(JSON.stringify(${list}.map((name) => Object.keys(require(name)).sort())))`,
      "commonjs",
    );
    const imported = await inConsumer(
      folder,
      `const all = await Promise.all(${list}.map((name) => import(name)));
       const own = (names) => names.filter((name) => !["default", "module.exports", "__esModule"].includes(name));
       console.log(JSON.stringify(all.map((each) => own(Object.keys(each)).sort())))`,
      "module",
    );
    assert.deepEqual(imported, required);
    const [main = [], service = [], provider = []] = required as string[][];
    assert.ok(main.includes("TaskCopy"));
    assert.ok(service.includes("ServiceClient"));
    assert.deepEqual(provider, ["get"]);
  });

  it("exports no other files", async () => {
    const said = await inConsumer(
      folder,
      `try { require("pulumi-webextract/dist/pulumi/backend.js"); } catch (error) { console.log(JSON.stringify(error.code)); }`,
      "commonjs",
    );
    assert.equal(said, "ERR_PACKAGE_PATH_NOT_EXPORTED");
  });

  it("provides the client without Pulumi, which is an optional peer", async () => {
    const names = await inConsumer(
      folder,
      `const Module = require("node:module");
       const resolve = Module._resolveFilename;
       Module._resolveFilename = function (request, ...rest) {
         if (request.startsWith("@pulumi/")) throw new Error(request + " is not installed");
         return resolve.call(this, request, ...rest);
       };
       console.log(JSON.stringify(Object.keys(require("pulumi-webextract/service"))))`,
      "commonjs",
    );
    assert.ok((names as string[]).includes("ServiceClient"));
  });

  it("loads no HTTP library before the first request, because most runs of a program make none", async () => {
    const loaded = await inConsumer(
      folder,
      `require("pulumi-webextract"); require("pulumi-webextract/provider").get("TaskCopy");
       const { ServiceClient } = require("pulumi-webextract/service");
       new ServiceClient({ baseUrl: "http://127.0.0.1:1", accessToken: "a-1" });
       console.log(JSON.stringify(Object.keys(require.cache).filter((file) => /axios/.test(file))))`,
      "commonjs",
    );
    assert.deepEqual(loaded, []);
  });

  slowIt("loads no YAML parser before the first manifest, because most programs have none", async () => {
    const loaded = await inConsumer(
      folder,
      `const { Manifest } = require("pulumi-webextract");
       const parts = /node_modules.leven.|manifest.(yaml|readManifests)/;
       const before = Object.keys(require.cache).filter((file) => parts.test(file));
       try { new Manifest("tasks", { path: "none.yaml" }); } catch {}
       console.log(JSON.stringify([before, Object.keys(require.cache).some((file) => parts.test(file))]));`,
      "commonjs",
    );
    assert.deepEqual(loaded, [[], true]);
  });

  it("contains the files that it needs and no others when it is packed", async () => {
    const { stdout } = await run("tar", ["-tzf", await packTarball()]);
    const files = stdout
      .trim()
      .split("\n")
      .map((path) => path.replace(/^package\//, ""));
    assert.deepEqual(files.filter((path) => !path.startsWith("dist/")).sort(), [
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "SKILL.md",
      "package.json",
      "plugin/schema.json",
      "src/manifest/manifest.schema.json",
    ]);
    // Its pages lead to the repository, because docs is not installed.
    const pages = ["package/README.md", "package/CHANGELOG.md"];
    const { stdout: text } = await run("tar", ["-xzOf", await packTarball(), ...pages], { maxBuffer: 2 ** 22 });
    assert.deepEqual(text.match(/\]\((?!https:|#)[^)]*|"(docs|templates|examples)\/[^"]*"/g), null);
    assert.match(text, /\/blob\/v[\d.]+\/docs\/tutorial\.md\)/);
    assert.deepEqual(
      promised.filter((path) => !files.includes(path)),
      [],
    );
    const withoutSource = files.filter((path) => {
      const source = /^dist\/(.+?)(\.d\.ts|\.js)$/.exec(path)?.[1];
      const [, part, inPart] = /^(cli|plugin)\/(.*)/.exec(source ?? "") ?? [];
      const file = part === undefined ? `src/${source}.ts` : `${part}/src/${inPart}.ts`;
      return path.startsWith("dist/") && !existsSync(join(repositoryRoot, file));
    });
    const licences = ["cli", "engine", "manifest", "plugin", "program", "provider", "resources/export/checks"].map(
      (folder) => `dist/${folder}/THIRD-PARTY-NOTICES.txt`,
    );
    const bundles = ["dist/program/program.js"];
    const ofPlugin = [
      ...["axios.js", "jsonSchema.js", "openTelemetry.js", "yaml.js"],
      ...["pulumi-resource-webextract", "pulumi-resource-webextract.cmd"],
    ];
    assert.deepEqual(
      withoutSource.sort(),
      [...licences, ...bundles, ...ofPlugin.map((name) => `dist/plugin/${name}`)].sort(),
      "left over from an earlier build, or no part of the package",
    );
  });
});

describe("the provider that the engine's host loads", () => {
  let loaded: string[];
  before(async () => {
    // By its file: only what it asks for itself is then in the cache.
    const program = `
      require(${JSON.stringify(join(repositoryRoot, "dist/provider/provider.js"))}).get("TaskCopy");
      console.log(JSON.stringify(Object.keys(require.cache)));`;
    loaded = (await inConsumer(tmpdir(), program, "commonjs")) as string[];
    loaded = loaded.map((path) => relative(repositoryRoot, path).replaceAll("\\", "/"));
  });

  it("is one file, and loads only the packages that each run needs", () => {
    const installed = loaded.map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path);
    assert.equal(
      [...new Set(installed)].sort().join(" "),
      "dataloader dist/provider/provider.js graceful-fs p-limit proper-lockfile proxy-from-env retry signal-exit",
    );
  });

  it("does not contain the classes", () => {
    // The bundler names the file of each module in a comment.
    const bundled = [
      ...readFileSync(join(repositoryRoot, "dist/provider/provider.js"), "utf8").matchAll(/^ *\/\/ (src\/.*)$/gm),
    ];
    const parts = new Set(bundled.map(([, path]) => path?.split("/")[1]));
    const known = "config engine journal provider resources rows service store system values";
    assert.equal([...parts].sort().join(" "), known);
  });
});
