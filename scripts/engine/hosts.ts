import { execFile } from "node:child_process";
import { chmodSync, copyFileSync, realpathSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { ensureProgram } from "./cachedProgram";
import type { Engine } from "./engine";
import { NoEngine } from "./engine";
import { firstExecutable } from "./find";
import { findGo } from "./goBuild";

/** The languages of programs besides those of Node.js. */
export const languages = ["yaml", "python", "go"] as const;
export type Language = (typeof languages)[number];

interface Host {
  package: string;
  version: string;
  about: string;
  /** The variable of the version, which the linker sets. */
  versionVariable: string;
  /** A script beside the host, and its module and place in it. */
  script?: { file: string; module: string; path: string };
}

const versionOfSdk = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version";

/** Each has its own go.mod in `language-NAME`. Later versions of the hosts for Python and Go are not published as Go modules. */
const hosts: Readonly<Record<Language, Host>> = {
  yaml: {
    package: "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
    version: "1.38.3",
    about: "about 3 minutes on 2 cores",
    versionVariable: "github.com/pulumi/pulumi-yaml/pkg/version.Version",
  },
  python: {
    package: "github.com/pulumi/pulumi/sdk/v3/python/cmd/pulumi-language-python",
    version: "3.68.0",
    about: "about 20 seconds",
    versionVariable: versionOfSdk,
    script: {
      file: "pulumi-language-python-exec",
      module: "github.com/pulumi/pulumi/sdk/v3",
      path: "python/cmd/pulumi-language-python-exec",
    },
  },
  go: {
    package: "github.com/pulumi/pulumi/sdk/v3/go/pulumi-language-go",
    version: "3.60.0",
    about: "about 20 seconds",
    versionVariable: versionOfSdk,
  },
};

/**
 * Makes the language hosts available beside the engine. Pulumi's releases contain them; for an engine that was built from Go modules, they are built in
 * the same way. On PATH alone, the engine would use them with a warning in the output of each command.
 *
 * @throws NoEngine if a host is missing and cannot be built
 */
export async function ensureHosts(
  engine: Engine,
  wanted: readonly Language[],
  say: (line: string) => void = (line) => console.error(line),
): Promise<void> {
  for (const language of wanted) {
    const host = hosts[language];
    const bin = dirname(realpathSync(engine.pulumi));
    const file = engine.pulumi.endsWith(".exe") ? `pulumi-language-${language}.exe` : `pulumi-language-${language}`;
    const needed = [file, ...(host.script === undefined ? [] : [host.script.file])];
    if (needed.every((each) => firstExecutable([bin], each) !== undefined)) {
      continue;
    }
    try {
      say(`${bin} has no ${file}, which the releases of Pulumi contain.`);
      const folder = join(__dirname, `language-${language}`);
      const built = await ensureProgram(
        {
          title: `the language host for ${language}`,
          neededBy: `Programs in ${language} need`,
          file: `pulumi-language-${language}`,
          folder,
          ...host,
          linkerFlags: `-X ${host.versionVariable}=v${host.version}`,
        },
        engine.env,
        say,
      );
      if (host.script !== undefined) {
        const { module, path } = host.script;
        put(join(await folderOfModule(module, folder, engine.env), path), join(bin, host.script.file));
      }
      put(built, join(bin, file));
    } catch (error) {
      throw new NoEngine(error instanceof Error ? error.message : String(error));
    }
  }
}

/** Renamed into place, so that another process never starts half of a program. */
function put(from: string, to: string): void {
  const unfinished = `${to}.${process.pid}`;
  copyFileSync(from, unfinished);
  chmodSync(unfinished, 0o755);
  renameSync(unfinished, to);
}

async function folderOfModule(module: string, folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  const go = findGo(env) ?? "go";
  const { stdout } = await promisify(execFile)(go, ["list", "-m", "-f", "{{.Dir}}", module], { cwd: folder, env });
  return stdout.trim();
}
