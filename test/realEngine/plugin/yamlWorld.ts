import type { Emulator, EmulatorOptions, Seed } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { stringify } from "yaml";
import { ensureEngine } from "../../../scripts/engine/ensureEngine";
import { ensureHosts } from "../../../scripts/engine/hosts";
import type { ProjectOptions } from "../harness";
import { Project } from "../harness";
import { template } from "../world";
import { pluginFolder } from "./nativeWorld";

export interface YamlOptions extends Pick<ProjectOptions, "config" | "env"> {
  resources: Readonly<Record<string, object>>;
  /** Further parts of Pulumi.yaml, such as `outputs`. */
  program?: Readonly<Record<string, unknown>>;
  seed?: Seed;
  emulator?: EmulatorOptions;
  /** `dist` (default): the plugin of this repository, named by Pulumi.yaml. `installed`: the test installs it. */
  plugin?: "dist" | "installed";
}

/** The same in each world, so that the engine encrypts them only once, see `harness/newStack.ts`. */
const credentials = {
  accessToken: "access-of-yaml-7c1f",
  refreshToken: "refresh-of-yaml-02be",
  apiKey: "key-of-yaml-95da",
};

/** A program in YAML on the real engine and the native plugin, with an emulator as its service. */
export class YamlWorld {
  private constructor(
    readonly emulator: Emulator,
    readonly project: Project,
    private readonly options: YamlOptions,
  ) {}

  static async create(options: YamlOptions): Promise<YamlWorld> {
    await ensureHosts(await ensureEngine(), ["yaml"]);
    const emulator = await startEmulator({ seed: { credentials, ...(options.seed ?? template) }, ...options.emulator });
    try {
      const { accessToken, apiKey } = emulator.credentials;
      const project = await Project.create({
        files: { "Pulumi.yaml": programOf(options.resources, options) },
        install: "none",
        config: { "webextract:baseUrl": emulator.url, ...options.config },
        secrets: { "webextract:accessToken": accessToken, "webextract:apiKey": apiKey },
        env: options.env,
        // An installed plugin runs as users run it.
        leanSdk: options.plugin !== "installed",
      });
      return new YamlWorld(emulator, project, options);
    } catch (error) {
      await emulator.close();
      throw error;
    }
  }

  /** Replaces the resources of the program. */
  declare(resources: Readonly<Record<string, object>>): void {
    this.project.write("Pulumi.yaml", programOf(resources, this.options));
  }

  async remove(): Promise<void> {
    await this.project.remove();
    await this.emulator.close();
  }
}

function programOf(resources: Readonly<Record<string, object>>, { program, plugin }: YamlOptions): string {
  const plugins = { providers: [{ name: "webextract", path: pluginFolder() }] };
  const whole = {
    name: "test",
    runtime: "yaml",
    ...(plugin !== "installed" && { plugins }),
    ...program,
    resources,
  };
  // Pulumi supports no aliases.
  return stringify(whole, { aliasDuplicateObjects: false });
}
