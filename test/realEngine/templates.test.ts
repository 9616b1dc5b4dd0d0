import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { devDependencies } from "../../package.json";
import { isLarge, slowIt } from "../environment";
import { leanStart, Project, packTarball, repositoryRoot } from "./harness";
import { withSecondShelf, withShortPauses } from "./leanProgram";

const templates = join(repositoryRoot, "templates");

/** Replaces the version ranges of a template: our packages by their tarballs, others by the versions of this repository. */
async function installedVersions(): Promise<Record<string, string>> {
  return {
    ...devDependencies,
    "pulumi-webextract": `file:${await packTarball()}`,
    "webextract-emulator": `file:${await packTarball("emulator")}`,
  };
}

/** npm's cache, settings and certificates come from the user who runs the tests, because a project of the harness has its own home. */
function npmEnvironment(): Record<string, string> {
  const { NODE_EXTRA_CA_CERTS } = process.env;
  const settings = execFileSync("npm", ["config", "get", "cache", "userconfig"], { encoding: "utf8" });
  const get = (key: string) => new RegExp(`^${key}=(.*)$`, "m").exec(settings)?.[1] ?? "";
  return {
    npm_config_cache: get("cache"),
    npm_config_userconfig: get("userconfig"),
    npm_config_prefer_offline: "true",
    npm_config_audit: "false",
    ...(NODE_EXTRA_CA_CERTS === undefined ? {} : { NODE_EXTRA_CA_CERTS }),
  };
}

/** The packages that npm has installed for the first template with this package.json. A later one with the same gets them from here. */
class Installation {
  private static readonly all = new Map<string, Installation>();
  private readonly root = mkdtempSync(join(tmpdir(), "webextract-installed-"));
  private readonly modules = join(this.root, "node_modules");

  private constructor() {
    process.once("exit", () => rmSync(this.root, { recursive: true, force: true }));
  }

  static of(packageJson: string): Installation {
    const installation = Installation.all.get(packageJson) ?? new Installation();
    Installation.all.set(packageJson, installation);
    return installation;
  }

  /** Folders for PATH: none for the first template, then one with an npm that installs by moving the packages from here. */
  get path(): string[] {
    if (!existsSync(this.modules)) {
      return [];
    }
    const bin = join(this.root, "bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "npm"), `#!/bin/sh\ntest "$1" = install && mv "${this.modules}" .\n`, { mode: 0o755 });
    return [bin];
  }

  keep(project: string): void {
    if (existsSync(join(project, "node_modules"))) {
      renameSync(join(project, "node_modules"), this.modules);
    }
  }
}

/** `npm run emulator` of a project, on a free port. */
class EmulatorProcess {
  private output = "";
  private readonly child;

  constructor(folder: string) {
    // A process group, because npm does not pass every signal on.
    this.child = spawn("npm", ["run", "emulator", "--", "--port", "0"], { cwd: folder, detached: true });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.output += text;
      });
    }
  }

  /** Resolves with its address when it listens. */
  url(): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const url = /listens on (http:\S+);/.exec(this.output)?.[1];
        if (url !== undefined) resolve(url);
      };
      this.child.stdout.on("data", look);
      this.child.once("close", () => reject(new Error(`the emulator ended:\n${this.output}`)));
      look();
    });
  }

  async stop(): Promise<void> {
    if (this.child.pid === undefined || this.child.exitCode !== null) return;
    const closed = new Promise((resolve) => this.child.once("close", resolve));
    process.kill(-this.child.pid, "SIGTERM");
    await closed;
  }
}

/** The file that the edit step of each template's README changes. */
const edited: Record<string, string> = {
  typescript: "index.ts",
  "yaml-manifests-typescript": "tasks/products.yaml",
};

const skus = (first: number, count: number) => Array.from({ length: count }, (_, index) => `UL-${first + index}`);

/** The first one, and all in the slow tests. The others are programs in other languages, see `plugin/templateLife.ts`. */
const ofNodejs = readdirSync(templates)
  .filter((name) => existsSync(join(templates, name, "package.json")))
  .slice(0, isLarge ? undefined : 1);

for (const template of ofNodejs) {
  describe(`the template ${template}, with pulumi new from its folder`, function () {
    this.timeout(300_000);
    let project: Project;
    let folder: string;
    let copy: string;
    let emulator: EmulatorProcess | undefined;
    let output: string;
    let count: string;
    let installation: Installation;

    before(async () => {
      copy = realpathSync(mkdtempSync(join(tmpdir(), "webextract-template-")));
      cpSync(join(templates, template), copy, { recursive: true });
      const manifest = JSON.parse(readFileSync(join(copy, "package.json"), "utf8"));
      const versions = await installedVersions();
      for (const group of [manifest.dependencies, manifest.devDependencies]) {
        for (const name of Object.keys(group ?? {})) group[name] = versions[name];
      }
      writeFileSync(join(copy, "package.json"), JSON.stringify(manifest));
      installation = Installation.of(JSON.stringify(manifest));
      // Only the home and the backend of this project are used, not its program.
      project = await Project.create({ files: {}, install: "none", path: installation.path });
      folder = join(project.root, "my-shop");
      const options = ["--yes", "--dir", folder, "--name", "my-shop", "--description", "Products of my shop"];
      ({ output } = await project.run(["new", copy, ...options], { env: npmEnvironment() }));
    });
    after(async () => {
      await emulator?.stop();
      installation.keep(folder);
      await project.remove();
      rmSync(copy, { recursive: true, force: true });
    });

    const rowsIn = (file: string): Record<string, string>[] =>
      readFileSync(join(folder, "rows", file), "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
    const inFolder = (...args: string[]) => ({ args: ["--cwd", folder, ...args] });
    const edit = (change: (text: string) => string): void => {
      const file = join(folder, edited[template] ?? "");
      const text = readFileSync(file, "utf8");
      assert.notEqual(change(text), text);
      writeFileSync(file, change(text));
    };
    /** After the preview, which runs as users do. The tests of the packed package make the first up in this way too. */
    const lean = () => ({ ...inFolder(), env: leanStart(true) });

    it("creates a project with its name, and says how to start the emulator", () => {
      const settings = parse(readFileSync(join(folder, "Pulumi.yaml"), "utf8"));
      assert.equal(settings.name, "my-shop");
      assert.equal(settings.description, "Products of my shop");
      assert.equal(settings.template, undefined);
      assert.equal(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).name, "my-shop");
      assert.match(output, /npm run emulator/);
    });

    it("configures the emulator, with its credentials as secrets", async () => {
      const { config } = parse(readFileSync(join(folder, "Pulumi.dev.yaml"), "utf8"));
      const { credentials } = parse(readFileSync(join(folder, "emulator.yaml"), "utf8"));
      assert.match(config["webextract:baseUrl"], /^http:\/\/127\.0\.0\.1:8787$/);
      const { stdout } = await project.run(["config", "--json", "--show-secrets"], inFolder());
      const decrypted = JSON.parse(stdout);
      for (const key of ["accessToken", "apiKey"]) {
        assert.deepEqual(Object.keys(config[`webextract:${key}`]), ["secure"]);
        assert.equal(decrypted[`webextract:${key}`].value, credentials[key]);
      }
    });

    slowIt("previews without an emulator", async () => {
      const { output: preview } = await project.preview(inFolder());
      count = /(\d+) to create/.exec(preview)?.[1] ?? "";
      assert.ok(Number(count) > 1, preview);
    });

    it("extracts the books from the emulator of the project", async () => {
      emulator = new EmulatorProcess(folder);
      const url = await emulator.url();
      const plain = [`webextract:baseUrl=${url}`, `siteUrl=${url}/bookshop`].flatMap((pair) => ["--plaintext", pair]);
      await project.run(["config", "set-all", ...plain], inFolder());
      edit(withShortPauses);
      await project.up(lean());
      const [file = "", ...others] = readdirSync(join(folder, "rows"));
      assert.deepEqual(others, []);
      const rows = rowsIn(file);
      assert.deepEqual(
        rows.map(({ sku }) => sku),
        skus(1001, 10),
      );
      assert.deepEqual(rows[0], { sku: "UL-1001", title: "The Long Ferry", price: "14.90 €" });
    });

    slowIt("changes nothing in a second up", async () => {
      const { output: second } = await project.up(lean());
      assert.match(second, new RegExp(`\\b${count} unchanged`));
    });

    slowIt("extracts more books with one more shelf in the list", async () => {
      const [before = ""] = readdirSync(join(folder, "rows"));
      edit(withSecondShelf);
      await project.up(lean());
      const [file = ""] = readdirSync(join(folder, "rows")).filter((name) => name !== before);
      assert.deepEqual(
        rowsIn(file).map(({ sku }) => sku),
        [...skus(1001, 10), ...skus(2001, 7)],
      );
    });

    it("is destroyed as its README says", async () => {
      await project.destroy({ ...inFolder(), env: { ...leanStart(true), WEBEXTRACT_FORCE_DESTROY: "true" } });
    });
  });
}
