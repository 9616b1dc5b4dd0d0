import { chmodSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryRoot } from "../harness/package";
import type { WorldOptions } from "../world";
import { World } from "../world";

let bin: string | undefined;

/** A folder with the plugin of `dist`, as `node_modules/.bin` has it. */
export function pluginFolder(): string {
  if (bin === undefined) {
    const folder = mkdtempSync(join(tmpdir(), "webextract-plugin-"));
    const main = join(repositoryRoot, "dist", "plugin", "main.js");
    chmodSync(main, 0o755);
    symlinkSync(main, join(folder, "pulumi-resource-webextract"));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    bin = folder;
  }
  return bin;
}

/** Declares resources of the plugin without their classes, as generated SDKs do. */
export const prelude = `
const native = (type, name, args, opts = {}) => {
  const outputs = opts.outputs ?? ["taskId", "lotNo", "file", "sha256", "hosts", "count", "updatedParameters", "actions", "items"];
  const props = { ...Object.fromEntries(outputs.map((each) => [each, undefined])), ...args };
  return new pulumi.CustomResource("webextract:index:" + type, name, props, opts);
};
`;

/** The part of Pulumi.yaml that names the plugin. */
export function pluginSection(): string {
  return `plugins:\n  providers:\n    - name: webextract\n      path: ${pluginFolder()}\n`;
}

/** A YAML program on the native plugin. */
export function yamlWorld(program: string, options: Omit<WorldOptions, "program"> = {}): Promise<World> {
  return World.create({ ...options, program: "", files: { "Pulumi.yaml": yamlProgram(program), ...options.files } });
}

export function yamlProgram(program: string): string {
  return `name: test\nruntime: yaml\n${pluginSection()}${program}`;
}

/** A program of the Node.js SDK on the native plugin. */
export function nativeWorld({ program, ...options }: WorldOptions): Promise<World> {
  return World.create({
    ...options,
    program: prelude + program,
    files: {
      "Pulumi.yaml": `name: test\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n${pluginSection()}`,
      ...options.files,
    },
  });
}
