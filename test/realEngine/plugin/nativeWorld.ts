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

/** A project whose program runs on the native plugin. */
export function nativeWorld({ program, ...options }: WorldOptions): Promise<World> {
  const plugin = `plugins:\n  providers:\n    - name: webextract\n      path: ${pluginFolder()}\n`;
  return World.create({
    ...options,
    program: prelude + program,
    files: {
      "Pulumi.yaml": `name: test\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n${plugin}`,
      ...options.files,
    },
  });
}
