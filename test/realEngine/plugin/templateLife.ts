import assert from "node:assert/strict";
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance } from "fastify";
import fastify from "fastify";
import type { Emulator } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { parse } from "yaml";
import { pluginDownloadURL } from "../../../plugin/schema.json";
import { ensureEngine } from "../../../scripts/engine/ensureEngine";
import type { Language } from "../../../scripts/engine/hosts";
import { ensureHosts } from "../../../scripts/engine/hosts";
import { packPlugin } from "../../../scripts/plugin/packPlugin";
import type { RunResult } from "../harness";
import { Project, repositoryRoot } from "../harness";
import { withSecondShelf, withShortPauses } from "../leanProgram";
import { goCaches } from "./sdkWorld";

/** A project that `pulumi new` made from a template for a program in another language. The engine itself installs the plugin, from a release on this machine. */
export class TemplateLife {
  private constructor(
    private readonly project: Project,
    readonly folder: string,
    private readonly file: string,
    private readonly emulator: Emulator,
    private readonly packed: string,
    private readonly release: FastifyInstance,
  ) {}

  /** @param file the program or manifest, which the edit step of the template's README changes */
  static async create(template: string, language: Language, file: string): Promise<TemplateLife> {
    await ensureHosts(await ensureEngine(), [language]);
    const packed = realpathSync(mkdtempSync(join(tmpdir(), "webextract-template-")));
    const source = join(packed, "template");
    cpSync(join(repositoryRoot, "templates", template), source, { recursive: true });
    const seed = parse(readFileSync(join(source, "emulator.yaml"), "utf8"));
    const emulator = await startEmulator({ seed, bookshop: true });
    await packPlugin(join(packed, "release"));
    const release = fastify();
    release.register(fastifyStatic, { root: join(packed, "release") });
    const address = await release.listen({ port: 0, host: "127.0.0.1" });
    const project = await Project.create({
      files: {},
      install: "none",
      path: [join(packed, "venv", "bin")],
      env: {
        ...(language === "go" && goCaches()),
        PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "false",
        PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES: `^${pluginDownloadURL}$=${address}`,
      },
    });
    const life = new TemplateLife(project, join(project.root, "my-shop"), file, emulator, packed, release);
    const options = ["--yes", "--generate-only", "--dir", life.folder, "--name", "my-shop", "--description", "My shop"];
    await project.run(["new", source, ...options]);
    await project.run(["stack", "init", "dev", "--cwd", life.folder]);
    life.edit(withShortPauses);
    // A host for Python that `npm run engine` builds is too old to take the virtual environment from Pulumi.yaml.
    symlinkSync(join(life.folder, "venv"), join(packed, "venv"));
    return life;
  }

  async remove(): Promise<void> {
    await this.project.remove();
    await this.emulator.close();
    await this.release.close();
    rmSync(this.packed, { recursive: true, force: true });
  }

  /**
   * Previews, applies, applies again, edits, and applies.
   * @param count of resources
   */
  async live(count = 4): Promise<void> {
    const { project, emulator } = this;
    const inFolder = { args: ["--cwd", this.folder] };
    const { credentials } = emulator;
    const config = { baseUrl: emulator.url, accessToken: credentials.accessToken, apiKey: credentials.apiKey };
    const pairs = Object.entries(config).flatMap(([name, value]) => ["--secret", `webextract:${name}=${value}`]);
    const own = { siteUrl: `${emulator.url}/bookshop`, sourceTaskId: "shop-template", taskGroupId: "shops" };
    const plain = Object.entries(own).flatMap(([name, value]) => ["--plaintext", `${name}=${value}`]);
    await project.run(["config", "set-all", ...pairs, ...plain], inFolder);

    assert.match((await project.preview(inFolder)).output, new RegExp(`\\+ ${count} to create`));
    assert.deepEqual(emulator.requests, [], "a preview makes no request");
    const { output } = await project.up(inFolder);
    assert.doesNotMatch(output, /warning/i);
    assert.equal(this.rows().length, 10);
    emulator.clearRequests();
    assert.match((await project.up(inFolder)).output, new RegExp(`\\b${count} unchanged`));
    assert.deepEqual(emulator.requests, [], "an up without a change makes no request");

    this.edit(withSecondShelf);
    const { output: changed } = await project.up({ args: [...inFolder.args, "--diff"] });
    assert.match(changed, /\+ \S+\/shelves\/nature\//);
    assert.equal(this.rows().length, 17);
  }

  /**
   * The steps of a README after that: what somebody else changed, and a mistake.
   * @param waitFor the name of the argument with the mistake
   */
  async liveOn(waitFor: string): Promise<void> {
    const { emulator } = this;
    const { taskId = "" } = emulator.inspect.tasks().find((task) => task.taskId !== "shop-template") ?? {};
    const loop = () => emulator.inspect.task(taskId)?.actions[0];
    const { actionId = "", loopItems = [], loopType } = loop() ?? {};
    const kids = `${emulator.url}/bookshop/shelves/kids/`;
    emulator.change.setLoopItems(taskId, actionId, [...loopItems, kids], loopType);
    const runs = emulator.inspect.runs(taskId).length;
    const { output: shown } = await this.run(["preview"], ["--refresh", "--diff"]);
    assert.match(shown, /\+ \S+\/shelves\/kids\/.*- \S+\/shelves\/kids\//s);
    await this.run(["up"], ["--yes", "--skip-preview", "--refresh"]);
    assert.deepEqual(loop()?.loopItems, loopItems);
    assert.equal(emulator.inspect.runs(taskId).length, runs);
    emulator.clearRequests();
    this.edit((text) => text.replace('"finished"', '"finish"'));
    const { output } = await this.run(["preview"], [], "failure");
    assert.match(output, new RegExp(`\\b${waitFor} must be "started" or "finished"`));
    assert.deepEqual(emulator.requests, []);
    this.edit((text) => text.replace('"finish"', '"finished"'));
  }

  /** Runs a command of Pulumi in the project. */
  run(
    command: readonly string[],
    args: readonly string[] = [],
    expect: "success" | "failure" = "success",
  ): Promise<RunResult> {
    return this.project.run(command, { args: ["--cwd", this.folder, ...args], expect });
  }

  /** Runs a command of a shell in the project. */
  shell(command: string, env: Record<string, string> = {}): Promise<RunResult> {
    return this.project.shell(`cd ${this.folder}\n${command}`, { env });
  }

  async destroy(): Promise<void> {
    await this.project.destroy({ args: ["--cwd", this.folder], env: { WEBEXTRACT_FORCE_DESTROY: "true" } });
  }

  private edit(change: (text: string) => string): void {
    const path = join(this.folder, this.file);
    writeFileSync(path, change(readFileSync(path, "utf8")));
  }

  /** The lines of the newest file. */
  private rows(): string[] {
    const folder = join(this.folder, "rows");
    const files = readdirSync(folder).sort();
    return readFileSync(join(folder, files.at(-1) ?? ""), "utf8")
      .trimEnd()
      .split("\n");
  }
}
