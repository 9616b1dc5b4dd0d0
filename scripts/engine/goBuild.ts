import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { foldersOnPath, NoEngine } from "./engine";
import { firstExecutable } from "./find";
import { runAndWatch } from "./runAndWatch";

const builtWithin = 45 * 60_000;

export interface GoBuild {
  /** Path of the program `go`. */
  go: string;
  /** The folder with the go.mod and the go.sum that pin and verify what is downloaded. */
  folder: string;
  /** The package with the program. */
  package: string;
  /** Path of the program to write. */
  output: string;
  linkerFlags?: string;
  environment: NodeJS.ProcessEnv;
  say(line: string): void;
}

/** Builds a program from its published Go modules. Returns why it failed; undefined if it did not. */
export async function goBuild(build: GoBuild): Promise<string | undefined> {
  const linkerFlags = ["-s -w", build.linkerFlags ?? ""].join(" ").trim();
  const flags = ["-v", "-mod=readonly", "-trimpath", "-buildvcs=false", "-ldflags", linkerFlags];
  const result = await runAndWatch(build.go, ["build", ...flags, "-o", build.output, build.package], {
    cwd: build.folder,
    env: build.environment,
    timeout: builtWithin,
    everySoOften: ({ seconds, lines }) => build.say(`  ${seconds} s, ${lines} packages downloaded or compiled`),
  });
  return result.code === 0 ? undefined : reasonOf(result.lines, result.lastLine);
}

/** The program `go` on PATH; undefined if there is none. */
export function findGo(environment: NodeJS.ProcessEnv): string | undefined {
  return firstExecutable(foldersOnPath(environment), process.platform === "win32" ? "go.exe" : "go");
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

/** The newest version of the engine that is published as a Go module. */
export async function newestEngine(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const go = findGo(env);
  if (go === undefined) {
    throw new NoEngine("Go is not on PATH, so the newest version of the engine cannot be looked up");
  }
  const newest = ["list", "-m", "-f", "{{.Version}}", "github.com/pulumi/pulumi/pkg/v3@latest"];
  // In a folder without a go.mod, so that no module of this repository counts.
  const { stdout } = await promisify(execFile)(go, newest, { cwd: tmpdir(), env }).catch((error) => {
    throw new NoEngine(`Go could not look up the newest engine: ${String(error.stderr).trim().split("\n").at(-1)}`);
  });
  return stdout.trim().replace(/^v/, "");
}
