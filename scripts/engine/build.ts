import { execFile } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { engineFiles, engineVersion, NoEngine } from "./engine";
import { findGo, goBuild } from "./goBuild";

/** The modules, the compiler's cache and the programs need about 4 GB of disk space. */
const neededBytes = 5e9;

/** A program to build. Each has its own folder with go.mod and go.sum, because the two need different dependencies. */
interface Program {
  file: string;
  folder: string;
  package: string;
  version: string;
  about: string;
}

const programs: readonly Program[] = [
  {
    file: engineFiles.pulumi,
    folder: "pulumi",
    package: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
    version: engineVersion,
    about: "about 3 minutes on 2 cores",
  },
  {
    // Later versions are not published as a Go module. This one runs any version of the SDK in node_modules.
    file: engineFiles.languageHost,
    folder: "language-nodejs",
    package: "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs",
    version: "3.68.0",
    about: "about 20 seconds",
  },
];

/**
 * Builds an engine from its published Go modules into the folder `root`. The committed go.sum files verify what is downloaded. For another version of the
 * engine, Go's checksum database does.
 */
export async function buildEngine(
  root: string,
  environment: NodeJS.ProcessEnv,
  say: (line: string) => void,
  version: string = engineVersion,
): Promise<void> {
  const bin = join(root, "bin");
  mkdirSync(bin, { recursive: true });
  await assertSpace(root);
  const go = goOrNone(environment);
  for (const program of programs) {
    const build = (which: Program, folder: string) =>
      buildProgram({ go, program: which, folder, output: join(bin, program.file), environment, say });
    if (program.file === engineFiles.pulumi && version !== engineVersion) {
      const other = { ...program, version, about: "4 to 12 minutes on 2 cores" };
      await withModule(go, other, environment, (folder) => build(other, folder));
    } else {
      await build(program, join(__dirname, program.folder));
    }
  }
  copyDynamicHost(join(bin, engineFiles.dynamicHost));
}

/** Makes a temporary Go module that requires the program, and removes it after `work`. */
async function withModule(
  go: string,
  { package: source, version, file }: Program,
  env: NodeJS.ProcessEnv,
  work: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "webextract-engine-"));
  try {
    writeFileSync(join(folder, "go.mod"), "module pulumi-webextract/engine\n\ngo 1.25.0\n");
    await promisify(execFile)(go, ["get", "-tool", `${source}@v${version}`], { cwd: folder, env }).catch((error) => {
      const said = String(error.stderr).trim().split("\n").at(-1);
      throw new NoEngine(`Go could not download ${file} ${version}: ${said}`);
    });
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface ProgramBuild {
  go: string;
  program: Program;
  /** The folder with go.mod and go.sum. */
  folder: string;
  output: string;
  environment: NodeJS.ProcessEnv;
  say: (line: string) => void;
}

async function buildProgram({ go, program, folder, output, environment, say }: ProgramBuild): Promise<void> {
  say(`Building ${program.file} from its Go modules (once, ${program.about}).`);
  const problem = await goBuild({
    go,
    folder,
    package: program.package,
    output,
    linkerFlags: `-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${program.version}`,
    environment,
    say,
  });
  if (problem !== undefined) {
    throw new NoEngine(`the build of ${program.file} failed: ${problem}`);
  }
}

function goOrNone(environment: NodeJS.ProcessEnv): string {
  const go = findGo(environment);
  if (go === undefined) {
    throw new NoEngine("Go is not on PATH, so the engine cannot be built");
  }
  return go;
}

async function assertSpace(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < neededBytes) {
    const free = (bavail * bsize) / 1e9;
    throw new NoEngine(
      `a build needs about ${neededBytes / 1e9} GB of disk space, and ${folder} has ${free.toFixed(1)} GB`,
    );
  }
}

/** Copies the launcher of the dynamic provider host from the npm package, because Pulumi's releases have it beside `pulumi`. */
function copyDynamicHost(to: string): void {
  const sdk = dirname(createRequire(__filename).resolve("@pulumi/pulumi/package.json"));
  copyFileSync(join(sdk, engineFiles.dynamicHost), to);
  chmodSync(to, 0o755);
}
