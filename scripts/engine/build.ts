import { chmodSync, copyFileSync, mkdirSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { engineFiles, engineVersion, foldersOnPath, NoEngine } from "./engine";
import { firstExecutable } from "./find";
import { runAndWatch } from "./runAndWatch";

/** The modules, the compiler's cache and the programs need about 4 GB of disk space. */
const neededBytes = 5e9;
const builtWithin = 45 * 60_000;

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

/** Builds an engine from its published Go modules into the folder `root`. The go.sum files verify what is downloaded. */
export async function buildEngine(
  root: string,
  environment: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<void> {
  const bin = join(root, "bin");
  mkdirSync(bin, { recursive: true });
  await assertSpace(root);
  const go = findGo(environment);
  for (const program of programs) {
    await buildProgram(go, program, join(bin, program.file), environment, say);
  }
  copyDynamicHost(join(bin, engineFiles.dynamicHost));
}

async function buildProgram(
  go: string,
  program: Program,
  output: string,
  environment: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<void> {
  say(`Building ${program.file} from its Go modules (once, ${program.about}).`);
  const version = `-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${program.version}`;
  const flags = ["-v", "-mod=readonly", "-trimpath", "-buildvcs=false", "-ldflags", `-s -w ${version}`];
  const result = await runAndWatch(go, ["build", ...flags, "-o", output, program.package], {
    cwd: join(__dirname, program.folder),
    env: environment,
    timeout: builtWithin,
    everySoOften: ({ seconds, lines }) => say(`  ${seconds} s, ${lines} packages downloaded or compiled`),
  });
  if (result.code !== 0) {
    throw new NoEngine(`the build of ${program.file} failed: ${reasonOf(result.lines, result.lastLine)}`);
  }
}

/** `go` mixes its errors with names of packages and downloads. Removes those, and returns the last lines. */
function reasonOf(lines: readonly string[], lastLine: string): string {
  const complaints = lines.filter((line) => /[:\s]/.test(line.trim()) && !line.startsWith("go: downloading "));
  const text = complaints.length === 0 ? lastLine : complaints.slice(-3).join("\n  ");
  const hint = /no space left/i.test(text)
    ? "The disk is full. `go env GOCACHE GOMODCACHE` shows the folders that Go uses."
    : /dial tcp|lookup|timeout|connection/i.test(text)
      ? "Go could not download the modules. Check the network and `go env GOPROXY`."
      : undefined;
  return hint === undefined ? text : `${text}\n  ${hint}`;
}

function findGo(environment: NodeJS.ProcessEnv): string {
  const go = firstExecutable(foldersOnPath(environment), process.platform === "win32" ? "go.exe" : "go");
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
