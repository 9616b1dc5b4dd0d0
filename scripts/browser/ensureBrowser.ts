import { existsSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { foldersOnPath } from "../engine/engine";
import { firstExecutable } from "../engine/find";
import { runAndWatch } from "../engine/runAndWatch";

const programs = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
const timeout = 10 * 60_000;

/** A way to install a browser. Returns the reason why it did not work, or nothing. */
export interface BrowserWay {
  name: string;
  isPossible(environment: NodeJS.ProcessEnv): boolean;
  commands: readonly (readonly [command: string, ...args: string[]])[];
}

const isRoot = process.getuid?.() === 0;
const playwright = join(require.resolve("playwright-core/package.json"), "..", "cli.js");

/**
 * Debian's packages bring the libraries that a browser needs; the one without a window starts in half the time. Without root rights, and where there are
 * no such packages, Playwright downloads a browser.
 */
const defaultWays: readonly BrowserWay[] = [
  ...["chromium-headless-shell", "chromium"].map(
    (name): BrowserWay => ({
      name: `apt-get install ${name}`,
      isPossible: (environment) => isRoot && firstExecutable(foldersOnPath(environment), "apt-get") !== undefined,
      commands: [
        ["apt-get", "update"],
        ["apt-get", "install", "-y", "--no-install-recommends", name, "fonts-dejavu-core"],
      ],
    }),
  ),
  {
    name: "npx playwright-core install chromium",
    isPossible: () => true,
    commands: [[process.execPath, playwright, "install", "--no-shell", ...(isRoot ? ["--with-deps"] : []), "chromium"]],
  },
];

export interface EnsureBrowserOptions {
  /** The environment with PATH. Default: the environment of this process. */
  environment?: NodeJS.ProcessEnv;
  /** Receives progress messages while a browser is installed. Default: a line on stderr. */
  say?: (line: string) => void;
  ways?: readonly BrowserWay[];
}

/**
 * Returns the path of Chromium or Chrome for the tests of the emulator's page: from PATH, from Playwright's cache, from Debian's package, or
 * downloaded by Playwright.
 * @throws Error with each way that was tried and what to do next.
 */
export async function ensureBrowser(options: EnsureBrowserOptions = {}): Promise<string> {
  const { environment = process.env, say = (line) => console.error(line), ways = defaultWays } = options;
  const tried: string[] = [];
  let found = findBrowser(environment);
  for (const way of ways.filter(({ isPossible }) => isPossible(environment))) {
    if (found !== undefined) {
      break;
    }
    say(`The tests of the emulator's page need Chromium: ${way.name} (once).`);
    const problem = await run(way, environment, say);
    found = findBrowser(environment);
    tried.push(`- ${way.name}: ${problem ?? "it brought no browser"}`);
  }
  if (found === undefined) {
    const reasons = ["There is no Chromium or Chrome for the tests of the emulator's page.", ...tried];
    throw new Error([...reasons, "Install one of them so that it is on PATH, and try again."].join("\n"));
  }
  return found;
}

function findBrowser(environment: NodeJS.ProcessEnv): string | undefined {
  const folders = foldersOnPath(environment);
  const onPath = programs.map((program) => firstExecutable(folders, program)).find((path) => path !== undefined);
  return onPath ?? [chromium.executablePath()].find(existsSync);
}

async function run(
  { name, commands }: BrowserWay,
  environment: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<string | undefined> {
  for (const [command, ...args] of commands) {
    const { code, lastLine } = await runAndWatch(command, args, {
      env: { ...environment, DEBIAN_FRONTEND: "noninteractive" },
      timeout,
      everySoOften: ({ seconds }) => say(`   … ${name}, ${seconds} s`),
    });
    if (code !== 0) {
      return lastLine;
    }
  }
  return undefined;
}
