/**
 * `npm test`: the checks, the build, the unit tests and the tests on the real engine. `--all` (`npm run test:all`) adds the slow tests,
 * `--unit` runs the unit tests only, and file names or patterns run those tests only. `--newest` (`npm run test:newest`), a part of `--all`, runs the tests on
 * the engine, or those of the given files, with the newest engine, SDK and Node.js. `--shard 2/4` runs the second of four parts. The last line is always
 * `N passed, N failed`.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { TestCounts } from "../test/reporter";
import { summaryOf } from "../test/reporter";
import { buildIfStale } from "./build";
import { repositoryRoot } from "./commands";
import { ensureEngine } from "./engine/ensureEngine";
import { ensureHosts, languages } from "./engine/hosts";
import type { MochaOptions } from "./runMocha";
import { runMocha } from "./runMocha";

const engineFolders = ["test/realEngine", "test/quickstart"];
const onEngine = engineFolders.map((folder) => `${folder}/**/*.test.ts`);
/** The tests on the engine that take the longest, by the time that they take. They start first, so that none runs alone at the end. */
const longest = [
  ...["quickstart/quickstart", "realEngine/mistakes", "realEngine/kills/kills", "realEngine/plugin/manifestComponent"],
  ...["realEngine/plugin/safety", "realEngine/lastCredentials", "realEngine/upgrade/upgrade", "realEngine/export"],
  ...["realEngine/plugin/classes", "realEngine/liveServices", "realEngine/templates", "realEngine/refresh"],
  ...["realEngine/secrets", "realEngine/kills/identity", "realEngine/runLabels", "realEngine/renamedHolders"],
].map((name) => join("test", `${name}.test.ts`));
const slow = "**/*.slow.test.ts";
/** Most of the unit tests, in parts that take about the same time. */
const partsOfUnitTests = [
  "test/service/**/*.test.ts",
  "{plugin/test,cli/test/adopt,test/{program,provider,scripts}}/**/*.test.ts",
  "test/resources/export/**/*.test.ts",
  "test/resources/{*,{lists,run,settings,task}/**/*}.test.ts",
  "{emulator/test/page,cli/test/probe,test/package}/**/*.test.ts",
  "emulator/test/{*,admin/*}.test.ts",
  "cli/test/[!c]*.test.ts",
];

let [shard, shards] = [1, 1];
const total: TestCounts = { passed: 0, failed: 0, skipped: 0, failures: [], ended: false };

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      all: { type: "boolean", default: false },
      unit: { type: "boolean", default: false },
      newest: { type: "boolean", default: false },
      shard: { type: "string", default: "1/1" },
    },
  });
  [shard = 0, shards = 0] = values.shard.split("/").map(Number);
  if (!(shard >= 1 && shard <= shards)) throw new Error(`--shard cannot be ${values.shard}; allowed: 1/4 to 4/4`);
  const notSlow = values.all ? [] : [slow];
  if (values.all) {
    // Properties and lists are tested with more values.
    process.env.TEST_SIZE = "large";
  }
  if (values.newest) {
    await step("build", buildIfStale);
    // Tests that take the newest of everything themselves compare it with the pinned versions.
    if (positionals.length === 0) await tests("tests with the newest of everything", engineTestFiles(isNewest));
    await newestTests(positionals.length > 0 ? positionals : engineTestFiles((file) => !isSlow(file)));
  } else if (positionals.length > 0) {
    await tests("tests", positionals);
  } else if (values.unit) {
    await neededPrograms();
    await Promise.all(unitTests(notSlow));
  } else {
    const built = await step("build", buildIfStale);
    await neededPrograms();
    const units = [...unitTests(notSlow), ...(shard === 1 ? [step("check", checks)] : [])];
    // The engine takes the time of the last ones. Its slow tests have time limits that need a core each.
    await allBut(values.all ? 0 : 3, units);
    const ready = await step("engine", async () => {
      await ensureHosts(await ensureEngine(), values.all ? languages : ["yaml"], console.log);
      return "";
    });
    if (built && ready) {
      await engineTests(values.all);
      if (values.all) {
        await newestTests(engineTestFiles((file) => !isSlow(file)));
      }
    }
    await Promise.all(units);
  }
}

/** Ends when so many are left, or none. */
async function allBut(most: number, work: readonly Promise<unknown>[]): Promise<void> {
  const left = new Set(work);
  while (left.size > most) await Promise.race([...left].map((each) => each.finally(() => left.delete(each))));
}

async function checks(): Promise<string> {
  // Loaded only here, because the checks take longer to load than a small test file takes to run.
  const { check } = await import("./check.js");
  return (await check(console.log)).length === 0 ? "" : "npm run check failed, see above";
}

/** Before the tests, because an installation can take minutes. They are loaded only here, because a run of a few tests rarely needs them. */
async function neededPrograms(): Promise<void> {
  await step("browser", async () => {
    const { ensureBrowser } = await import("./browser/ensureBrowser.js");
    return (await ensureBrowser({ say: console.log })) && "";
  });
  await step("object store", async () => {
    const { ensureObjectStore } = await import("./objectStore/ensureObjectStore.js");
    return (await ensureObjectStore()) && "";
  });
}

function unitTests(ignored: readonly string[]): Promise<void>[] {
  const others = [...onEngine, ...ignored];
  // Eight processes use both cores, because many tests wait. mocha's --parallel would not notice a server that a test leaves open.
  const parts = [
    ...partsOfUnitTests.map((part) => [part, ...ignore(others)]),
    ["{,cli/,plugin/,emulator/}test/**/*.test.ts", ...ignore([...partsOfUnitTests, ...others])],
  ];
  const limit = ignored.includes(slow) ? "60000" : "600000";
  return inShard(parts).map((part) => tests(`unit tests, ${part[0]}`, [...part, "--timeout", limit]));
}

async function engineTests(withSlow: boolean): Promise<void> {
  const files = engineTestFiles((file) => withSlow || !isSlow(file));
  // A run of the engine uses most of one core: four test files at a time keep both cores busy. Slow tests have time limits that need a core each.
  await tests("tests on the engine", [...files, "--parallel", "--jobs", withSlow ? "2" : "4"]);
}

/** The tests on the engine once more, as for users who install the newest of everything. */
async function newestTests(files: readonly string[]): Promise<void> {
  const { newestEnvironment, newestNodes } = await import("../test/realEngine/harness/newest.js");
  const { nodeFolder } = await import("../test/realEngine/harness/nodes.js");
  for (const version of newestNodes) {
    await step(`newest engine and SDK, Node.js ${version}`, async () => {
      const options = { node: join(await nodeFolder(version), "node"), env: await newestEnvironment(version) };
      await tests(`tests on the engine, Node.js ${version}`, [...files, "--parallel", "--jobs", "3"], options);
      return "";
    });
  }
}

/** The longest tests first. */
function engineTestFiles(accept: (file: string) => boolean): string[] {
  const files = engineFolders.flatMap((folder) =>
    readdirSync(join(repositoryRoot, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  );
  const all = new Set([...longest, ...files.filter((file) => file.endsWith(".test.ts"))]);
  return inShard([...all].filter(accept));
}

/** Every fourth with `--shard 2/4`, from the second on, so that the long tests at the beginning are in different shards. */
function inShard<T>(all: readonly T[]): T[] {
  return all.filter((_, index) => index % shards === shard - 1);
}

function isSlow(file: string): boolean {
  return file.endsWith(".slow.test.ts");
}

/** Tests that make projects with the newest engine and SDK in each run. */
function isNewest(file: string): boolean {
  return file.startsWith(join("test", "realEngine", "newest"));
}

function ignore(patterns: readonly string[]): string[] {
  return patterns.flatMap((pattern) => ["--ignore", pattern]);
}

/** Runs a step that is not a test. A failure counts as one failed test. */
async function step(name: string, work: () => Promise<string>): Promise<boolean> {
  console.log(`\n== ${name}`);
  const problems = await work().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
  if (problems !== "") {
    const line = `✖ ${name}: ${problems}`;
    console.log(line);
    add({ failed: 1, failures: [line] });
  }
  return problems === "";
}

async function tests(title: string, mochaArguments: readonly string[], options?: MochaOptions): Promise<void> {
  console.log(`\n== ${title}`);
  add(await runMocha(mochaArguments, options));
}

function add({ passed = 0, failed = 0, skipped = 0, failures = [] }: Partial<TestCounts>): void {
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
  total.failures = [...total.failures, ...failures];
}

main()
  .catch((error: unknown) => {
    console.log(error instanceof Error ? error.message : error);
    total.failed += 1;
  })
  .finally(() => {
    // Again, because a log of CI is long and often shown only in part.
    if (total.failures.length > 0) {
      console.log(`\n== failed\n${total.failures.join("\n")}`);
    }
    console.log(`\n${summaryOf(total)}`);
    process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
  });
