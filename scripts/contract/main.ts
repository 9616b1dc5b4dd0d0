/**
 * `npm run test:contract`: sends requests that schemathesis derives from openapi.yaml and admin.openapi.yaml to the emulator, and checks the responses
 * against them. The same seed leads to the same requests.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Emulator } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { repositoryRoot } from "../commands";
import { ensureSchemathesis } from "./ensureSchemathesis";

const seed = 1;

interface Contract {
  file: string;
  /** Requests for each operation in the phase with random values. */
  examples: number;
  headers(emulator: Emulator): Record<string, string>;
  /** Arguments for what the contract cannot express. */
  args: readonly string[];
  /** Settings of operations. */
  settings: string;
}

/** Operations whose documents have rules that JSON Schema does not have, as JSON in a string in `getRequests`: a valid one can be refused with 400. */
const withRules = "seed setState setClock createAccount change fault setFaults hold getRequests".split(" ");

/** Shortens allowed waits, which would take minutes. */
const hooks = `import schemathesis

@schemathesis.hook
def before_call(context, case, kwargs):
    query = case.query
    wait = str((query or {}).get("timeoutMs", ""))
    if wait.isdigit() and 20 < int(wait) <= 600000:
        query["timeoutMs"] = 20
`;

const contracts: readonly Contract[] = [
  {
    file: "openapi.yaml",
    examples: 25,
    headers: ({ credentials }) => ({
      Authorization: `Bearer ${credentials.accessToken}`,
      "x-api-key": credentials.apiKey,
    }),
    // Tasks and batches with random ids do not exist, which is 400 in this service.
    args: ["--exclude-checks", "positive_data_acceptance,ignored_auth"],
    settings: "",
  },
  {
    file: "admin.openapi.yaml",
    examples: 15,
    headers: ({ adminToken }) => ({ Authorization: `Bearer ${adminToken}` }),
    // Events have no end.
    args: ["--exclude-operation-id", "getEvents"],
    settings: withRules
      .map(
        (name) => `[[operations]]\ninclude-operation-id = "${name}"\nchecks.positive_data_acceptance.enabled = false\n`,
      )
      .join("\n"),
  },
];

async function main(): Promise<number> {
  const program = await ensureSchemathesis(process.env, (line) => console.error(line));
  let failed = 0;
  for (const contract of contracts) {
    console.log(`\n${contract.file}`);
    if ((await test(contract, program)) !== 0) failed += 1;
  }
  return failed;
}

/** Resolves with the exit code of schemathesis. */
async function test({ file, examples, headers, args, settings }: Contract, program: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "webextract-contract-"));
  const emulator = await startEmulator({ adminToken: "contract-tests", log: reportFailures });
  try {
    writeFileSync(join(folder, "hooks.py"), hooks);
    writeFileSync(join(folder, "schemathesis.toml"), settings);
    const given = Object.entries(headers(emulator)).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
    const options = [
      "--seed",
      String(seed),
      "--max-examples",
      String(examples),
      "--phases",
      "examples,coverage,fuzzing",
    ];
    const quiet = ["--warnings", "off", "--no-color", "--generation-database", "none", "--request-timeout", "30"];
    return await exitCode(
      program,
      ["run", join(repositoryRoot, "emulator", file), "--url", emulator.url, ...given, ...options, ...quiet, ...args],
      folder,
    );
  } finally {
    await emulator.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The reasons of a response with status 500. */
function reportFailures(line: string): void {
  if (/\bfailed: /.test(line)) console.error(line);
}

function exitCode(program: string, args: readonly string[], cwd: string): Promise<number> {
  return new Promise((resolve, reject) => {
    spawn(program, args, { cwd, stdio: "inherit", env: { ...process.env, SCHEMATHESIS_HOOKS: "hooks" } })
      .on("error", reject)
      .on("exit", (code) => resolve(code ?? 1));
  });
}

main().then(
  (failed) => {
    process.exitCode = failed === 0 ? 0 : 1;
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  },
);
