import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { repositoryRoot, runTool } from "../../scripts/commands";
import { engineVersion } from "../../scripts/engine/engine";
import { generateSdks, goModule, packSdks, sdkLanguages } from "../../scripts/schema/generateSdks";
import { schemaFile } from "../../scripts/schema/pluginSchema";
import { schemaExamples } from "./schemaExamples";

const run = promisify(execFile);

/** Prints what a compiler of C# would refuse in a class by its form. */
const parseCSharp = `
import pathlib, tree_sitter, tree_sitter_c_sharp
parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_c_sharp.language()))
def look(file, node):
    if node.type == "ERROR" or node.is_missing:
        print(file, node.start_point)
    names = [each.child_by_field_name("name").text for each in node.children if each.type == "property_declaration"]
    if node.type == "declaration_list" and len({*names, node.parent.child_by_field_name("name").text}) <= len(names):
        print(file, names)
    for each in node.children:
        look(file, each)
for file in pathlib.Path(".").glob("**/*.cs"):
    look(file, parser.parse(file.read_bytes()).root_node)
`;

/** Declares the resources of programs without an engine: a wrong argument is an error of the SDK. */
const runWithMocks = `
import asyncio, os, sys, pulumi
class Mocks(pulumi.runtime.Mocks):
    def new_resource(self, args):
        return [args.name + "-id", {}]
    def call(self, args):
        return {}
async def declare():
    pulumi.runtime.set_mocks(Mocks())
    for file in sys.argv[1:]:
        exec(compile(open(file).read(), file, "exec"), {})
    os._exit(0)
asyncio.run(declare())
`;

const goodPython = `
import pulumi
import pulumi_webextract as w
task = w.ExtractionTask(
    "task",
    from_={"source_task_id": "t", "task_group_id": "g"},
    actions={
        "open": {"action_type": "NavigateAction", "properties": {"Url": "https://a.test/", "Wait": 3}},
        "loop": {"action_type": "LoopAction", "loop": {"loop_type": "UrlList", "items": ["a"], "mode": "append"}},
    },
)
run = w.CloudRun("run", task_id=task.id, wait_for=w.CloudRunWaitFor.FINISHED, rerun_on=[task])
w.DataExport("rows", task_id=task.id, scope="batch", lot_no=run.id, path="rows.csv", columns={"price": "number"}, csv={"for_": "programs"})
w.Manifest("manifest", path=["a.yaml", "b.yaml"])
pulumi.export("total", run.subtasks.total)
pulumi.export("rows", w.get_data_output(task_id=task.id).rows)
pulumi.export("plain", w.get_data(task_id="t", plain=True).total)
`;

/** A type checker finds each of them. It finds neither a wrong word that is no constant nor a missing argument: Pulumi's SDKs let both pass, and a preview refuses them. */
const badPython = [
  'w.CloudRun("wrong constant", task_id="t", wait_for=w.CloudRunWaitFor.FINISHD)',
  'w.ExtractionTask("wrong property", from_={}, actions={"open": {"action_typ": "NavigateAction"}})',
  'w.ExtractionTask("wrong action", from_={}, actions={"open": "NavigateAction"})',
  'w.DataExport("wrong columns", task_id="t", scope="all", path="rows.csv", columns=["price"])',
  'w.TaskCopy("wrong argument", source_task="t", task_group_id="g")',
  'w.DataExport("wrong key", task_id="t", scope="all", path="rows.csv", csv={"for": "programs"})',
  'w.get_data_output(taskid="t")',
];

const goodTypeScript = `
const task = new w.ExtractionTask("task", {
  from: { sourceTaskId: "t", taskGroupId: "g" },
  actions: {
    open: { actionType: "NavigateAction", properties: { Url: "https://a.test/", Wait: 3 } },
    loop: { actionType: "LoopAction", loop: { loopType: "UrlList", items: ["a"], mode: "append" } },
  },
});
const run = new w.CloudRun("run", { taskId: task.id, waitFor: w.CloudRunWaitFor.Finished, rerunOn: [task] });
new w.DataExport("rows", { taskId: task.id, scope: "batch", lotNo: run.id, path: "rows.csv", columns: { price: "number" } });
new w.Manifest("manifest", { path: ["a.yaml", "b.yaml"] });
export const total = w.getDataOutput({ taskId: task.id }).total;
`;

const badTypeScript = [
  'new w.CloudRun("wrong constant", { taskId: "t", waitFor: w.CloudRunWaitFor.Finishd });',
  'new w.ExtractionTask("wrong property", { actions: { open: { actionTyp: "NavigateAction" } } });',
  'new w.ExtractionTask("wrong action", { actions: { open: "NavigateAction" } });',
  'new w.DataExport("wrong columns", { taskId: "t", scope: "all", path: "rows.csv", columns: ["price"] });',
  'new w.TaskCopy("wrong argument", { sourceTask: "t", taskGroupId: "g" });',
  'new w.TaskLoopItems("missing argument", { taskId: "t", loopType: "UrlList" });',
  'new w.CloudRun("text for a number", { taskId: "t", pollSeconds: "ten" });',
  'w.getDataOutput({ taskid: "t" });',
];

const badGo = [
  "var _ = webextract.CloudRunArgs{WaitFor: pulumi.String(webextract.CloudRunWaitForFinishd)}",
  'var _ = webextract.ActionArgs{ActionTyp: pulumi.String("NavigateAction")}',
  'var _ = webextract.TaskLoopItemsArgs{Items: pulumi.String("https://a.test/")}',
  "var _ = webextract.DataExportArgs{Columns: pulumi.StringArray{}}",
  'var _ = webextract.GetDataOutputArgs{TaskID: pulumi.String("t")}',
];

const goodJava = `
var actions = Map.of("open", Either.<ActionArgs, Map<String, Object>>ofLeft(ActionArgs.builder().actionType("NavigateAction").properties(Map.of("Wait", 3)).build()));
var task = new ExtractionTask("task", ExtractionTaskArgs.builder().from(TaskSourceArgs.builder().adoptTaskId("t").build()).actions(actions).build());
var run = new CloudRun("run", CloudRunArgs.builder().taskId(task.id()).waitFor("finished").rerunOn(List.of(task)).build());
new DataExport("rows", DataExportArgs.builder().taskId(task.id()).scope("batch").lotNo(run.id()).path("rows.csv").columns(Map.of("price", Either.ofLeft("number"))).build());
new Manifest("manifest", ManifestArgs.builder().path(List.of("a.yaml", "b.yaml")).build());
ctx.export("total", WebextractFunctions.getData(GetDataArgs.builder().taskId(task.id()).build()).applyValue(result -> result.total()));
`;

const badJava = [
  'CloudRunArgs.builder().taskId("t").pollSeconds("ten");',
  'ActionArgs.builder().actionTyp("NavigateAction");',
  'TaskLoopItemsArgs.builder().taskId("t").items(Map.of());',
  'DataExportArgs.builder().taskId("t").scope("all").columns(List.of("price"));',
  'TaskCopyArgs.builder().sourceTask("t");',
];

const pom = `<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>a</artifactId><version>1</version><dependencies>
<dependency><groupId>com.pulumi</groupId><artifactId>pulumi</artifactId><version>1.16.0</version></dependency></dependencies></project>`;

describe("the SDKs that are generated from schema.json", function () {
  this.timeout(900_000);
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "webextract-sdks-"));
    await generateSdks(folder, "1.2.3", sdkLanguages);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs a step of the workflow for the tag v1.2.3. */
  const releaseStep = async (part: string, cwd: string): Promise<void> => {
    const { jobs } = parse(readFileSync(join(repositoryRoot, ".github/workflows/release.yml"), "utf8"));
    const steps = Object.values<{ steps: { run?: string }[] }>(jobs).flatMap((job) => job.steps);
    const step = steps.find((each) => each.run?.includes(part))?.run ?? assert.fail(part);
    await run("bash", ["-ec", step], { cwd, env: { ...process.env, GITHUB_REF_NAME: "v1.2.3" } });
  };

  it("are released as a tarball for Python and one for Go", async () => {
    const files = await packSdks(join(folder, "release"), "1.2.3");
    assert.deepEqual(
      files.map((file) => basename(file)),
      ["go", "python"].map((language) => `pulumi-webextract-sdk-${language}-1.2.3.tgz`),
    );
    const { stdout } = await run("tar", ["-tzf", files[1] ?? ""]);
    assert.match(stdout, /^\.\/pyproject\.toml$/m);
  });

  it("compile in TypeScript", async () => {
    const sdk = join(folder, "nodejs");
    symlinkSync(join(repositoryRoot, "node_modules"), join(sdk, "node_modules"), "junction");
    const project = ["--noEmit", "--skipLibCheck", "-p", join(sdk, "tsconfig.json")];
    assert.deepEqual(await runTool("typescript/tsc", project), { code: 0, output: "" });
    assert.equal(JSON.parse(readFileSync(join(sdk, "package.json"), "utf8")).pulumi.version, "1.2.3");
  });

  it("find mistakes in TypeScript when it compiles", async () => {
    const sdk = join(folder, "nodejs");
    const begin = 'import * as w from "./index";\n';
    writeFileSync(join(sdk, "good.ts"), begin + goodTypeScript);
    writeFileSync(join(sdk, "bad.ts"), begin + badTypeScript.join("\n"));
    const compiler = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "commonjs"];
    const programs = [join(sdk, "good.ts"), join(sdk, "bad.ts")];
    const { output } = await runTool("typescript/tsc", [...compiler, "--types", "node", ...programs]);
    const lines = [...output.matchAll(/(\w+\.ts)\((\d+),/g)].map(([, file, line]) => `${file}:${line}`);
    assert.deepEqual(
      [...new Set(lines)],
      badTypeScript.map((_mistake, index) => `bad.ts:${index + 2}`),
      output,
    );
  });

  it("compile in Python, with the action types for a user's keys", async () => {
    const sdk = join(folder, "python", "pulumi_webextract");
    await run("python3", ["-m", "compileall", "-q", sdk]);
    const task = readFileSync(join(sdk, "extraction_task.py"), "utf8");
    assert.match(
      task,
      /actions: pulumi\.Input\[Optional\[Mapping\[str, pulumi\.Input\[Union\['ActionArgs', 'ActionArgsDict'\]\]/,
    );
    assert.match(task, /from_: pulumi\.Input\['TaskSourceArgs'\]/);
  });

  it("are formatted Go, with a type for each resource", async () => {
    const sdk = join(folder, "go", "webextract");
    const { stdout } = await run("gofmt", ["-l", sdk]);
    assert.equal(stdout, "");
    assert.match(readFileSync(join(sdk, "cloudRun.go"), "utf8"), /^func NewCloudRun\(/m);
    assert.match(readFileSync(join(sdk, "pulumiTypes.go"), "utf8"), /^type ActionLoopArgs struct /m);
  });

  it("compile the Go examples of schema.json", async () => {
    const root = join(folder, "go");
    for (const { type, code } of schemaExamples()) {
      mkdirSync(join(root, "examples", type), { recursive: true });
      writeFileSync(join(root, "examples", type, "main.go"), code.go ?? "");
    }
    cpSync(join(repositoryRoot, "examples/reference/languages/main.go"), join(root, "examples", "main.go"));
    assert.equal((await run("gofmt", ["-l", "examples"], { cwd: root })).stdout, "");
    await run("go", ["mod", "tidy"], { cwd: root });
    await run("go", ["vet", "./examples/..."], { cwd: root });
  });

  it("are a module of Go in a tag of the repository, which go get takes from a module proxy", async () => {
    const repository = join(folder, "repository");
    const origin = join(folder, "origin");
    const git = (...args: string[]) => run("git", args, { cwd: repository });
    await run("git", ["init", "--quiet", "--bare", origin]);
    await run("git", ["clone", "--quiet", origin, repository]);
    cpSync(join(repositoryRoot, "LICENSE"), join(repository, "LICENSE"));
    cpSync(join(folder, "release"), join(repository, "release"), { recursive: true });
    await git("add", "LICENSE");
    await git("-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "--quiet", "--message", "First");
    // Twice, as a repeated job does.
    for (const _try of ["first", "second"]) await releaseStep("sdk/go", repository);
    const tagged = await git("ls-tree", "-r", "--name-only", "sdk/go/v1.2.3");
    assert.match(
      tagged.stdout,
      /^sdk\/go\/LICENSE\nsdk\/go\/go\.mod\nsdk\/go\/go\.sum\nsdk\/go\/pulumi-plugin\.json\nsdk\/go\/webextract\//m,
    );

    // What Go keeps of the module that it made of the tag has the form of a module proxy.
    const address = `https://${goModule.replace("/sdk/go", "")}`;
    const env = { ...process.env, GOFLAGS: "-modcacherw", GONOSUMDB: goModule, GOMODCACHE: join(folder, "cache") };
    const fromTag = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: `url.${origin}.insteadOf`, GIT_CONFIG_VALUE_0: address };
    await run("go", ["mod", "download", `${goModule}@v1.2.3`], {
      cwd: folder,
      env: { ...env, ...fromTag, GOPROXY: "direct" },
    });
    const { stdout: usual } = await run("go", ["env", "GOMODCACHE", "GOPROXY"]);
    const [cache, online] = usual.trim().split("\n");
    const GOPROXY = [`file://${folder}/cache/cache/download`, `file://${cache}/cache/download`, online].join();
    const proxy = { ...env, GOMODCACHE: join(folder, "user"), GOPROXY };
    const program = join(folder, "program");
    mkdirSync(program);
    cpSync(join(repositoryRoot, "examples/reference/languages/main.go"), join(program, "main.go"));
    const go = (...args: string[]) => run("go", args, { cwd: program, env: proxy });
    await go("mod", "init", "program");
    await go("get", `${goModule}/webextract@v1.2.3`);
    await go("get", "program");
    // Finds each package, and does not compile them once more.
    await go("list", "-deps", ".");
    assert.match((await go("list", "-m", goModule)).stdout, / v1\.2\.3$/m);
  });

  it("are a package of Python in the folder of a release, from which the examples of schema.json run", async () => {
    const root = join(folder, "python");
    await releaseStep("pip wheel", folder);
    await run("python3", ["-m", "venv", "venv"], { cwd: root });
    const wanted = [`pulumi==${engineVersion}`, "pulumi-webextract==1.2.3"];
    const index = ["--no-cache-dir", "--find-links", join(folder, "release")];
    await run("venv/bin/pip", ["install", "-q", ...index, ...wanted], { cwd: root });
    const { stdout } = await run("venv/bin/pip", ["show", "pulumi-webextract"], { cwd: root });
    assert.match(stdout, /^Home-page: https:\/\/github\.com\/pulumi-webextract|^License.*Apache-2\.0/m);
    writeFileSync(join(root, "run.py"), runWithMocks);
    const files = schemaExamples().map(({ type, code }) => {
      writeFileSync(join(root, `${type}.py`), code.python ?? "");
      return `${type}.py`;
    });
    await run("venv/bin/python", ["run.py", ...files], { cwd: root });
  });

  it("find mistakes in Python before a program runs, and refuse the plain form of a function before its request", async () => {
    const root = join(folder, "python");
    const plain = "pulumi_webextract.get_data(task_id='t')";
    const files = {
      "good.py": goodPython,
      "bad.py": `import pulumi_webextract as w\n${badPython.join("\n")}\n`,
      "plain.py": `import pulumi_webextract\n${plain}\n`,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
    await run("venv/bin/pip", ["install", "-q", "pyright==1.1.414"], { cwd: root });
    const { stdout } = await run(
      "bash",
      ["-c", "venv/bin/pyright --pythonpath venv/bin/python --outputjson good.py bad.py || true"],
      { cwd: root },
    );
    const found: { file: string; range: { start: { line: number } } }[] = JSON.parse(stdout).generalDiagnostics;
    const lines = new Set(found.map(({ file, range }) => `${basename(file)}:${range.start.line}`));
    assert.deepEqual(
      [...lines],
      badPython.map((_mistake, index) => `bad.py:${index + 1}`),
    );
    await run("venv/bin/python", ["run.py", "good.py"], { cwd: root });
    await assert.rejects(
      run("venv/bin/python", ["run.py", "plain.py"], { cwd: root }),
      /Use get_data_output, or set plain=True/,
    );
  });

  /** The languages whose generators need an earlier version of Pulumi's packages. */
  const earlier = { cwd: join(repositoryRoot, "scripts/schema/sdks/earlier") };
  const generateEarlier = (language: string, root: string) =>
    run("go", ["run", ".", language, schemaFile, "1.2.3", root], earlier);

  it("have the form of C#, with a class for each resource", async () => {
    const root = join(folder, "csharp");
    await generateEarlier("dotnet", root);
    await run("python3", ["-m", "venv", "venv"], { cwd: root });
    await run("venv/bin/pip", ["install", "-q", "tree-sitter==0.26.1", "tree-sitter-c-sharp==0.23.5"], { cwd: root });
    assert.equal((await run("venv/bin/python", ["-c", parseCSharp], { cwd: root })).stdout, "");
    const classes = schemaExamples().map(({ type }) => readFileSync(join(root, `${type}.cs`), "utf8"));
    for (const text of classes) assert.match(text, /^ {4}public partial class \w+ : /m);
  });

  it("compile in Java, and find mistakes there", async () => {
    const root = join(folder, "java");
    mkdirSync(root);
    const { stdout: missing } = await run("bash", ["-c", "type javac mvn >&2 || echo missing"]);
    if (missing !== "") return console.error("NOT TESTED: the SDK for Java, because Java or Maven is missing");
    await generateEarlier("java", root);
    writeFileSync(join(root, "pom.xml"), pom);
    await run("mvn", ["-q", "dependency:build-classpath", "-Dmdep.outputFile=libraries"], { cwd: root });
    const compile = async (name: string, body: string): Promise<string> => {
      const ours = "io.github.pulumi_webextract.webextract";
      const imports = [`${ours}.*`, `${ours}.inputs.*`, "com.pulumi.core.Either", "com.pulumi.Context", "java.util.*"];
      const lines = imports.map((each) => `import ${each};`).join(" ");
      const text = `${lines} class ${name} { void run(Context ctx) {\n${body}\n} }\n`;
      writeFileSync(join(root, `${name}.java`), text);
      const javac = `javac -proc:none -Xdiags:verbose -d classes -cp "$(cat libraries)" -sourcepath src/main/java ${name}.java 2>&1 || true`;
      return (await run("bash", ["-c", javac], { cwd: root })).stdout;
    };
    assert.doesNotMatch(await compile("Good", goodJava), /error/);
    const found = [...(await compile("Bad", badJava.join("\n"))).matchAll(/Bad\.java:(\d+): error/g)];
    assert.deepEqual(
      [...new Set(found.map(([, line]) => Number(line)))],
      badJava.map((_mistake, index) => index + 2),
    );
  });

  it("find mistakes in Go when it compiles", async () => {
    const root = join(folder, "go");
    mkdirSync(join(root, "bad"), { recursive: true });
    const frame = (lines: readonly string[]) =>
      `package bad\n\nimport (\n\t"github.com/pulumi-webextract/pulumi-webextract/sdk/go/webextract"\n\t"github.com/pulumi/pulumi/sdk/v3/go/pulumi"\n)\n\nvar _ pulumi.String\n${lines.join("\n")}\n`;
    writeFileSync(join(root, "bad", "bad.go"), frame(badGo));
    const failed = await run("go", ["build", "-gcflags=-e", "./bad"], { cwd: root }).catch(
      ({ stderr }: { stderr: string }) => stderr,
    );
    const lines = [...String(failed).matchAll(/bad\.go:(\d+):/g)].map(([, line]) => Number(line));
    assert.deepEqual(
      lines,
      badGo.map((_mistake, index) => index + 9),
    );
  });
});
