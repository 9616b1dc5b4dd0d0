import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { Emulator } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { parse } from "yaml";
import { Project, repositoryRoot } from "./harness";

const examples = join(repositoryRoot, "examples");
const read = (file: string) => parse(readFileSync(join(examples, file), "utf8"));
const seed = read("emulator.yaml");
const bookshop = { ...read("quickstart/seed.yaml"), credentials: seed.credentials };
const own = readdirSync(examples).filter((name) => existsSync(join(examples, name, "Pulumi.yaml")));

/** What the pages say to set for an example, besides the connection. */
const settings = (books: Emulator): Record<string, Record<string, string>> => ({
  compose: { "webextract:baseUrl": books.url, "compose:siteUrl": `${books.url}/bookshop` },
  manifest: { "webextract:baseUrl": books.url, "manifest:siteUrl": `${books.url}/bookshop` },
  review: {
    ...{ "webextract:baseUrl": books.url, "review:siteUrl": `${books.url}/bookshop` },
    ...{ "review:sourceTaskId": "shop-template", "review:taskGroupId": "bookshops" },
  },
  fleet: { "fleet:templateId": "shop-template", "fleet:groupId": "shops" },
});

describe("the folders of the examples", function () {
  this.timeout(600_000);
  let root: string;
  let env: Record<string, string>;
  const emulators: Emulator[] = [];
  let books: Emulator;
  before(async () => {
    root = mkdtempSync(join(tmpdir(), "webextract-examples-"));
    emulators.push(await startEmulator({ seed }), await startEmulator({ seed }));
    books = await startEmulator({ seed: bookshop, bookshop: true });
    const accounts = emulators.map(({ url: baseUrl, credentials }) => ({ ...credentials, baseUrl }));
    const [one = assert.fail(), other] = accounts.map(({ baseUrl, accessToken }) => ({ baseUrl, accessToken }));
    env = {
      WEBEXTRACT_BASE_URL: one.baseUrl,
      WEBEXTRACT_ACCESS_TOKEN: one.accessToken,
      WEBEXTRACT_API_KEY: accounts[0]?.apiKey ?? "",
      WEBEXTRACT_PROFILES: JSON.stringify({ europe: one, america: other }),
      PULUMI_SKIP_CHECKPOINTS: "true",
    };
  });
  after(async () => {
    await Promise.all([...emulators, books].map((emulator) => emulator.close()));
    rmSync(root, { recursive: true });
  });

  const git = (folder: string, ...args: string[]): string =>
    execFileSync("git", ["-C", folder, "-c", "user.name=test", "-c", "user.email=test@example.com", ...args], {
      encoding: "utf8",
    });

  /** As `git clone` and `npm ci` make it. */
  function clone(): string {
    const folder = mkdtempSync(join(root, "clone-"));
    const list = ["ls-files", "--cached", "--others", "--exclude-standard"];
    const files = git(repositoryRoot, ...list, "examples", "package.json", "tsconfig.json", ".gitignore");
    for (const file of files.trim().split("\n")) {
      cpSync(join(repositoryRoot, file), join(folder, file));
    }
    git(folder, "init", "--quiet");
    git(folder, "add", ".");
    git(folder, "commit", "--quiet", "--message", "all");
    symlinkSync(join(repositoryRoot, "dist"), join(folder, "dist"));
    mkdirSync(join(folder, "node_modules"));
    for (const name of readdirSync(join(repositoryRoot, "node_modules"))) {
      symlinkSync(join(repositoryRoot, "node_modules", name), join(folder, "node_modules", name));
    }
    return folder;
  }

  /** In a project of the user, which has the package and the SDK. */
  function copied(name: string): string {
    const folder = mkdtempSync(join(root, "copy-"));
    cpSync(join(examples, name), folder, { recursive: true });
    const modules = join(folder, "node_modules");
    mkdirSync(join(modules, "pulumi-webextract"), { recursive: true });
    cpSync(join(repositoryRoot, "package.json"), join(modules, "pulumi-webextract/package.json"));
    symlinkSync(join(repositoryRoot, "dist"), join(modules, "pulumi-webextract/dist"));
    for (const each of ["@pulumi", "@types", "typescript", "tsx"]) {
      symlinkSync(join(repositoryRoot, "node_modules", each), join(modules, each));
    }
    return folder;
  }

  async function applies(folder: string, example: string): Promise<void> {
    const { name } = parse(readFileSync(join(folder, "Pulumi.yaml"), "utf8"));
    const project = await Project.create({ folder, name, env, config: settings(books)[example] ?? {} });
    try {
      await project.up();
      assert.ok(Object.keys(await project.outputs()).length > 0);
      const { changeSummary } = await project.previewJson();
      assert.deepEqual(Object.keys(changeSummary), ["same"]);
    } finally {
      await project.remove();
    }
  }

  for (const name of own) {
    it(`can be applied in their place, and leave nothing for git there: ${name}`, async () => {
      const repository = clone();
      await applies(join(repository, "examples", name), name);
      assert.equal(git(repository, "status", "--porcelain", "examples"), "");
    });

    it(`can be applied copied out: ${name}`, () => applies(copied(name), name));
  }

  it("leave nothing for git after the program with the Automation API", async () => {
    const repository = clone();
    const project = await Project.create({ name: "unused", program: "", env });
    try {
      const tsx = join(repositoryRoot, "node_modules/tsx/dist/cli.mjs");
      const { code, output } = await project.node([tsx, "index.ts", "--apply"], {
        within: relative(project.folder, join(repository, "examples/automation")),
      });
      assert.equal(code, 0, output);
      assert.match(output, /25 rows in rows\/shop-\d+\.ndjson/);
      assert.equal(git(repository, "status", "--porcelain", "examples"), "");
    } finally {
      await project.remove();
    }
  });
});
