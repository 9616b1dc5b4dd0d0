/** `npm run check`: types, lint and format, the contract, the API reference, the project's own rules. Every check runs, and every problem is shown. */
import { checkRules } from "./checkRules";
import { repositoryRoot, runTool } from "./commands";
import { checkConfigTable, checkReference, checkResourcePage } from "./docs";

interface Check {
  name: string;
  /** Complaints; an empty text is success. */
  run(): Promise<string>;
}

const checks: readonly Check[] = [
  { name: "types", run: () => complaintsOf("typescript/tsc", ["--noEmit"]) },
  { name: "lint and format", run: () => complaintsOf("@biomejs/biome", ["check", "--error-on-warnings", "."]) },
  {
    name: "openapi.yaml",
    run: () => complaintsOf("@redocly/cli/redocly", ["lint", "--format=stylish"]),
  },
  {
    name: "types of openapi.yaml",
    run: async () => (await complaintsOf("openapi-typescript", ["--check"])) && "they are out of date: npm run openapi",
  },
  { name: "API reference", run: checkReference },
  { name: "docs/resources.md", run: checkResourcePage },
  { name: "configuration keys in README.md", run: checkConfigTable },
  { name: "project rules", run: async () => checkRules(repositoryRoot).join("\n") },
];

/** Runs every check. Resolves with the names of those that failed. */
export async function check(say: (line: string) => void): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of checks) {
    const complaints = await run();
    say(`${complaints === "" ? "✔" : "✖"} ${name}`);
    if (complaints !== "") {
      say(complaints);
      failed.push(name);
    }
  }
  return failed;
}

async function complaintsOf(tool: string, args: readonly string[]): Promise<string> {
  const { code, output } = await runTool(tool, args, {
    REDOCLY_TELEMETRY: "off",
    REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  });
  return code === 0 ? "" : output.trim() || `${tool} ended with ${code}`;
}

if (require.main === module) {
  check(console.log).then((failed) => {
    process.exitCode = failed.length === 0 ? 0 : 1;
  });
}
