/**
 * `npm run check`: build, types, lint and format, the contract, the API reference, the project's own rules, the packages. Every check runs, and every
 * problem is shown. `npm run check -- "project rules"` runs only the checks of these names.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildIfStale } from "./build";
import { checkRules } from "./checkRules";
import { repositoryRoot, runTool } from "./commands";
import { checkApiReference, checkReferencePages, checkSnippets } from "./docs";
import { checkManifestSchema } from "./docs/manifestSchema";
import { checkTypes } from "./openapi";
import { lintTarball } from "./packages/lint";
import { pack } from "./packages/pack";
import { packageFolders } from "./packages/packages";
import { isBuilt } from "./packages/sources";
import { checkPluginSchema } from "./schema/pluginSchema";

interface Check {
  name: string;
  /** Resolves with the problems; an empty string if there are none. */
  run(): Promise<string>;
}

const checks: readonly Check[] = [
  // First, because examples and templates are checked against the declarations in dist, and the packages are made of it.
  { name: "build", run: buildIfStale },
  { name: "types", run: () => typeProblems("tsconfig.json") },
  { name: "types of the emulator's page", run: () => typeProblems("emulator/tsconfig.page.json") },
  { name: "lint and format", run: () => problemsOf("@biomejs/biome", ["check", "--error-on-warnings", "."]) },
  { name: "unused code", run: () => problemsOf("knip", ["--no-progress", "--config=scripts/rules/knip.jsonc"]) },
  {
    name: "openapi.yaml",
    run: () => problemsOf("@redocly/cli/redocly", ["lint", "--config=emulator/redocly.yaml", "--format=stylish"]),
  },
  { name: "types of openapi.yaml", run: checkTypes },
  { name: "API reference", run: checkApiReference },
  { name: "generated parts of the reference", run: checkReferencePages },
  { name: "manifest.schema.json", run: checkManifestSchema },
  { name: "schema.json", run: checkPluginSchema },
  { name: "snippets in the pages", run: checkSnippets },
  { name: "project rules", run: async () => (await checkRules(repositoryRoot)).join("\n") },
  { name: "packages", run: checkPackages },
];

/** Runs the checks, all by default. Resolves with the names of the failed ones. */
export async function check(say: (line: string) => void, chosen: readonly string[] = []): Promise<string[]> {
  const unknown = chosen.filter((name) => !checks.some((each) => each.name === name));
  if (unknown.length > 0) {
    say(`✖ no check is called ${unknown.join(", ")}; there are ${checks.map(({ name }) => name).join(", ")}`);
    return unknown;
  }
  const failed: string[] = [];
  const started: { name: string; result: Promise<string> }[] = [];
  for (const { name, run } of checks.filter((each) => chosen.length === 0 || chosen.includes(each.name))) {
    const result = run().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
    // The other checks need the result of the build. They run side by side, because most of them are processes of their own.
    if (started.length === 0) await result;
    started.push({ name, result });
  }
  for (const { name, result } of started) {
    const problems = await result;
    say(`${problems === "" ? "✔" : "✖"} ${name}`);
    if (problems !== "") {
      say(problems);
      failed.push(name);
    }
  }
  return failed;
}

/** With one checker, because several of them check much twice, and the other checks use the other cores. */
function typeProblems(project: string): Promise<string> {
  return problemsOf("typescript-7/tsc", ["-p", project, "--noEmit", "--checkers", "1"]);
}

async function problemsOf(tool: string, args: readonly string[]): Promise<string> {
  const { code, output } = await runTool(tool, args, {
    REDOCLY_TELEMETRY: "off",
    REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  });
  return code === 0 ? "" : output.trim() || `${tool} ended with ${code}`;
}

/** Packs both packages and lints the tarballs. A `dist` that is older than the sources would hide problems. */
async function checkPackages(): Promise<string> {
  if (!isBuilt()) return "The build failed, so there is no package to check.";
  const folder = mkdtempSync(join(tmpdir(), "webextract-check-"));
  try {
    const problems = await Promise.all(
      packageFolders.map(async (name) => {
        const found = await lintTarball(await pack(name, folder));
        return found.map((problem) => `${join(name, "package.json")}: ${problem}`);
      }),
    );
    return problems.flat().join("\n");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (require.main === module) {
  check(console.log, process.argv.slice(2)).then((failed) => {
    process.exitCode = failed.length === 0 ? 0 : 1;
  });
}
