import assert from "node:assert/strict";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Emulator } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { parse } from "yaml";
import { program } from "../../cli/test/webextract";
import type { Site } from "../../examples/quickstart/serveSite";
import { pagesFolder, serveSite } from "../../examples/quickstart/serveSite";
import { withoutVaryingValues } from "../pages/pictures";
import { Project, repositoryRoot } from "./harness";
import { withoutTypes, withShortPauses } from "./leanProgram";

const example = join(repositoryRoot, "examples/review");
const report = join(example, "report.md");

/** The hash of a task contains the port of its site. */
function withStandIns(markdown: string): string {
  const standIns: Readonly<Record<string, string>> = { "+": "cbeb832cca0e", "-": "5061aab15a4e" };
  const hash = /(?<sign>[+-]) (?<name>ExtractionTask \w+) [0-9a-f]{12}/g;
  return withoutVaryingValues(markdown).replace(hash, (_all, sign, name) => `${sign} ${name} ${standIns[sign]}`);
}

/** The flow of a pull request, as the jobs of examples/review run it. */
describe("a trial of a pull request", function () {
  this.timeout(300_000);
  let folder: string;
  let site: Site;
  let emulator: Emulator;
  let project: Project;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "webextract-review-"));
    cpSync(pagesFolder, join(folder, "pages"), { recursive: true });
    site = await serveSite({ folder: join(folder, "pages") });
    const template = join(repositoryRoot, "templates/typescript");
    const seed = parse(readFileSync(join(template, "emulator.yaml"), "utf8"));
    seed.taskGroups.push({ taskGroupId: "trials" });
    emulator = await startEmulator({ seed });
    mkdirSync(join(folder, "bin"));
    writeFileSync(join(folder, "bin/npx"), `#!/bin/sh\nshift\nexec "${process.execPath}" "${program}" "$@"\n`);
    chmodSync(join(folder, "bin/npx"), 0o755);
    const read = (file: string): string => readFileSync(join(example, file), "utf8");
    project = await Project.create({
      name: "review",
      stack: "production",
      files: {
        "Pulumi.yaml": read("Pulumi.yaml").replace("index.ts", "index.js"),
        "index.js": withShortPauses(withoutTypes(read("index.ts"))),
        ...Object.fromEntries(["trial.sh", "targets.mjs"].map((file) => [file, read(file)])),
        "package.json": '{ "private": true }',
      },
      link: ["@duckdb"],
      leanSdk: true,
      path: [join(folder, "bin")],
      config: {
        "webextract:baseUrl": emulator.url,
        "review:siteUrl": site.url,
        "review:sourceTaskId": "shop-template",
        "review:taskGroupId": "shops",
      },
      secrets: {
        "webextract:accessToken": seed.credentials.accessToken,
        "webextract:apiKey": seed.credentials.apiKey,
      },
    });
    const settings = (stack: string): string => join(project.folder, `Pulumi.${stack}.yaml`);
    await project.shell("pulumi stack init trial --copy-config-from production");
    const copied = readFileSync(settings("trial"), "utf8");
    writeFileSync(settings("trial"), copied.replace("taskGroupId: shops", "taskGroupId: trials"));
    await project.up();
    await project.shell("pulumi up --yes --skip-preview --stack trial");
    // A runner of a pull request has no file of production.
    rmSync(join(project.folder, "rows"), { recursive: true });
  });
  after(async () => {
    await project?.remove();
    await emulator?.close();
    await site?.close();
    rmSync(folder, { recursive: true });
  });

  // biome-ignore lint/suspicious/noExplicitAny: a state has many forms.
  const resources = (stack: string): any[] => {
    const file = join(project.root, "state/.pulumi/stacks/review", `${stack}.json`);
    return JSON.parse(readFileSync(file, "utf8")).checkpoint.latest.resources;
  };
  /** Number of runs of each task. */
  const runs = (): Record<string, number> =>
    Object.fromEntries(
      ["production", "trial"].flatMap((stack) =>
        resources(stack)
          .filter(({ urn }) => urn.includes(":ExtractionTask::"))
          .map(({ id, urn }) => [`${stack} ${urn.split("::").at(-1)}`, emulator.inspect.runs(id).length]),
      ),
    );
  const edit = (file: string, from: string, to: string): void => {
    const text = readFileSync(file, "utf8");
    assert.ok(text.includes(from), `${file} has no ${from}`);
    writeFileSync(file, text.replaceAll(from, to));
  };
  /** The job of a push. */
  const push = async (label: string): Promise<{ code: number; markdown: string; output: string }> => {
    const { stdout } = await project.shell(`sh trial.sh ${label} > job.txt 2>&1 && echo "code 0" || echo "code $?"`);
    const markdown = readFileSync(join(project.folder, "review.md"), "utf8");
    const output = readFileSync(join(project.folder, "job.txt"), "utf8");
    return { code: Number(/code (\d+)/.exec(stdout)?.[1]), markdown, output };
  };

  it("runs only the task that the branch changes, and reports the field that a redesign has emptied", async () => {
    const shelves = join(folder, "pages/shelves");
    for (const name of readdirSync(shelves, { recursive: true, encoding: "utf8" })) {
      if (name.endsWith(".html")) {
        edit(join(shelves, name), 'class="price"', 'class="cost"');
      }
    }
    edit(join(project.folder, "index.js"), '"kids"]', '"kids", "signed"]');
    const before = runs();
    const { code, markdown, output } = await push("pr-1-aaa");
    assert.equal(code, 1, output);
    if (process.env.WRITE_REPORTS === "true") {
      writeFileSync(report, withStandIns(markdown));
    }
    assert.equal(withStandIns(markdown), readFileSync(report, "utf8"));
    assert.deepEqual(before, { "production books": 1, "production picks": 1, "trial books": 1, "trial picks": 1 });
    assert.deepEqual(runs(), { ...before, "trial books": 2 });
  });

  it("starts nothing twice for the same commit, and says the same", async () => {
    const before = runs();
    const { code, markdown } = await push("pr-1-aaa");
    assert.deepEqual([code, withStandIns(markdown)], [1, readFileSync(report, "utf8")]);
    assert.deepEqual(runs(), before);
  });

  it("runs the task once more for the next push, and passes when the selector is corrected", async () => {
    const before = runs();
    edit(join(project.folder, "index.js"), ".price .amount", ".cost .amount");
    const { code, markdown, output } = await push("pr-1-bbb");
    assert.equal(code, 0, output);
    assert.match(markdown, /^- Rows: 2 added, 0 removed, 0 changed, 20 unchanged$/m);
    assert.deepEqual(runs(), { ...before, "trial books": 3, "trial picks": 2 });
  });

  it("compares the last run of a stack, by the name of the task", async () => {
    const lotNo = resources("trial").find(({ urn }) => urn.endsWith(":CloudRun::books"))?.id;
    const file = `rows/trial/books-${lotNo}.ndjson`;
    const { stdout } = await project.shell(`npx webextract compare ${file} books:latest --stack trial --key sku`);
    assert.match(stdout, new RegExp(`^Head: books:${lotNo}, 22 rows$`, "m"));
    assert.match(stdout, /^Rows: 0 added, 0 removed, 0 changed, 22 unchanged$/m);
  });

  it("is limited by the configuration of its stack, and starts nothing for a branch without changes", async () => {
    await project.shell("pulumi config set --path 'shelves[0]' novels --stack trial");
    const { markdown } = await push("pr-2-ccc");
    assert.match(markdown, /^- Head: `rows\/trial\/books-\d+\.ndjson`, 8 rows \(-12, -60%\)$/m);
    const before = runs();
    await project.up();
    const after = await push("pr-3-ddd");
    assert.equal(after.code, 0, after.output);
    assert.match(after.markdown, /^## Preview\n\nNo changes\.\n\n## Rows\n\nNo rows were compared\.$/m);
    assert.deepEqual(runs(), { ...before, "production books": 2, "production picks": 2 });
    assert.deepEqual(project.findWritten([emulator.credentials.accessToken, emulator.credentials.apiKey ?? ""]), []);
  });
});
