import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Emulator } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { parse } from "yaml";
import { pages } from "../../scripts/docs/snippets";
import { assertPicture, firstParagraph, linesBetween } from "../pages/pictures";
import { pulumiCommands } from "../pages/pulumiCommands";
import { readPage } from "../pages/readPage";
import { Project, repositoryRoot } from "./harness";

const template = join(repositoryRoot, "templates/typescript");
const diff = { args: ["--diff", "--color", "always"] };

describe("the tutorial", () => {
  let emulator: Emulator;
  let project: Project;

  before(async () => {
    const read = (file: string) => readFileSync(join(template, file), "utf8");
    const seed = parse(read("emulator.yaml"));
    emulator = await startEmulator({ seed, bookshop: true });
    project = await Project.create({
      name: "my-shop",
      files: {
        "Pulumi.yaml": "name: my-shop\nruntime: nodejs\n",
        "package.json": JSON.stringify({ name: "my-shop", private: true, main: "index.ts" }),
        "index.ts": read("index.ts"),
        "tsconfig.json": read("tsconfig.json"),
      },
      link: ["typescript", "@types"],
      // The test of the templates runs the same program as users do.
      leanSdk: "transpiled",
      config: {
        "webextract:baseUrl": emulator.url,
        "my-shop:siteUrl": `${emulator.url}/bookshop`,
        "my-shop:sourceTaskId": "shop-template",
        "my-shop:taskGroupId": "shops",
      },
      secrets: { "webextract:accessToken": seed.credentials.accessToken, "webextract:apiKey": seed.credentials.apiKey },
    });
  });
  after(async () => {
    await project.remove();
    await emulator.close();
  });

  const rowFiles = () => readdirSync(join(project.folder, "rows"));
  const starts = () => emulator.requests.filter(({ operation }) => operation === "startTask").length;

  it("previews the project, which makes no request", async () => {
    const { output } = await project.preview(diff);
    assertPicture("tutorial-create", {
      title: "A preview: a task, a run and an export are to be created",
      command: "pulumi preview --diff",
      output,
    });
    assert.deepEqual(emulator.requests, []);
  });

  it("applies the project, and changes nothing in the next up", async () => {
    const { output } = await project.up({ args: ["--color", "always"] });
    assertPicture("tutorial-up", {
      title: "The end of an up: what was created, and the outputs of the program",
      command: "pulumi up",
      output: linesBetween(output, "Outputs:"),
    });
    const requests = emulator.requests.length;
    assert.match((await project.up()).output, /4 unchanged/);
    assert.equal(emulator.requests.length, requests);
  });

  it("shows a change of the task and the run that it starts, and applies both", async () => {
    const program = readFileSync(join(project.folder, "index.ts"), "utf8");
    const changed = program.replace('MaxPages: "2"', 'MaxPages: "3"');
    assert.notEqual(changed, program);
    project.write("index.ts", changed);
    const { output } = await project.preview(diff);
    assertPicture("tutorial-change", {
      title: "A preview: one property of the task changes, its run is replaced, and the export follows",
      command: "pulumi preview --diff",
      output,
    });
    const rowCount = async () => (await project.outputs()).rowCount;
    assert.equal(await rowCount(), 15);
    await project.up();
    assert.equal(await rowCount(), 17);
    assert.equal(rowFiles().length, 2);
    assert.equal(starts(), 2);
  });

  it("shows drift, and corrects it without a new run", async () => {
    const { taskId } = await project.outputs();
    const command = readPage("examples/tutorial/somebodyElse.sh").replace("http://127.0.0.1:8787", emulator.url);
    await promisify(execFile)("bash", ["-c", command], { env: { PATH: process.env.PATH, TASK: String(taskId) } });
    const { output } = await project.preview({ args: ["--refresh", ...diff.args] });
    assertPicture("tutorial-drift", {
      title: "A preview with a refresh: a property was changed at the service, and the up sets it back",
      command: "pulumi preview --refresh --diff",
      output,
    });
    await project.up({ args: ["--refresh"] });
    const pages = emulator.inspect.task(String(taskId))?.actions.find(({ actionId }) => actionId === "pages");
    assert.equal(pages?.properties?.MaxPages, "3");
    assert.equal(starts(), 2);
  });

  it("refuses to destroy a task with rows until forceDestroy allows it", async () => {
    const { output } = await project.destroy({ args: ["--color", "always"], expect: "failure" });
    assertPicture("destroy-refused", {
      title: "A refused destroy: the task still has rows, and the error names the ways to continue",
      command: "pulumi destroy",
      // The engine shows the error of the stack before or after it.
      output: firstParagraph(linesBetween(output, "ExtractionTask (products):", "Resources:")),
    });
    const { output: allowed } = await project.destroy({ env: { WEBEXTRACT_FORCE_DESTROY: "true" } });
    assert.match(allowed, /stays at the service/);
    assert.equal(rowFiles().length, 2);
  });

  it("names only existing commands and options of Pulumi, as do all other pages", async () => {
    const commands = pulumiCommands(pages().map(readPage).join("\n"));
    assert.ok(commands.size > 8);
    for (const [command, options] of commands) {
      const { stdout } = await project.run([...command.split(" "), "--help"]);
      const name = command.split(" ").at(-1);
      // The help of an unknown command is that of its group.
      assert.match(stdout, new RegExp(`^  pulumi ${command}\\b|^Aliases:\\n.*\\b${name}\\b`, "m"), `pulumi ${command}`);
      for (const option of options) assert.match(stdout, new RegExp(`--${option}\\b`), `pulumi ${command} --${option}`);
    }
  });
});
