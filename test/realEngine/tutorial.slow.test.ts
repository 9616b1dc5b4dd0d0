import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { parse } from "yaml";
import { closePages, OpenPage, openBrowser } from "../../emulator/test/page/browser";
import { pages } from "../../scripts/docs/snippets";
import { assertPicture, firstParagraph, linesBetween } from "../pages/pictures";
import { pulumiCommands } from "../pages/pulumiCommands";
import { readPage } from "../pages/readPage";
import { Project, repositoryRoot } from "./harness";
import { withoutTypes, withSecondShelf, withShortPauses } from "./leanProgram";

const template = join(repositoryRoot, "templates/typescript");
const diff = { args: ["--diff", "--color", "always"] };
/** A preview and the up after it, in one command. @returns the part of the preview. */
const upWithPreview = async (project: Project, ...args: string[]): Promise<string> => {
  const { output } = await project.run(["up", "--yes"], { args: [...args, ...diff.args] });
  return linesBetween(output, "Previewing update", "Updating (").replace(/\n+$/, "\n");
};

describe("the tutorial", () => {
  let emulator: Emulator;
  let project: Project;

  before(async () => {
    const read = (file: string) => readFileSync(join(template, file), "utf8");
    const seed = parse(read("emulator.yaml"));
    emulator = await startEmulator({ seed, bookshop: true });
    project = await Project.create({
      name: "my-shop",
      // The test of the templates runs the same program as users do.
      program: withoutTypes(read("index.ts")),
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

  const edit = (change: (text: string) => string): void => {
    const program = readFileSync(join(project.folder, "index.js"), "utf8");
    const changed = change(program);
    assert.notEqual(changed, program);
    project.write("index.js", changed);
  };

  it("applies the project", async () => {
    edit(withShortPauses);
    const { output } = await project.up({ args: ["--color", "always"] });
    assertPicture("tutorial-up", {
      title: "The end of an up: what was created, and the outputs of the program",
      command: "pulumi up",
      output: linesBetween(output, "Outputs:"),
    });
  });

  it("shows a change of the task and the run that it starts, and applies both", async () => {
    edit(withSecondShelf);
    assert.equal((await project.outputs()).rowCount, 10);
    const output = await upWithPreview(project);
    assertPicture("tutorial-change", {
      title: "A preview: the list of the task gets an item, its run is replaced, and the export follows",
      command: "pulumi preview --diff",
      output,
    });
    assert.equal((await project.outputs()).rowCount, 17);
    assert.equal(rowFiles().length, 2);
    assert.equal(starts(), 2);
  });

  it("shows drift, and corrects it without a new run", async () => {
    const { taskId } = await project.outputs();
    const page = await OpenPage.open(await openBrowser(), emulator, `#/tasks/${taskId}`);
    const form = page.tab.getByRole("form", { name: "Another loop item of shelves" });
    const kids = `${emulator.url}/bookshop/shelves/kids/`;
    await form.getByRole("textbox").fill(kids);
    await form.getByRole("button").click();
    await page.tab.getByRole("table", { name: "Loop items of shelves" }).getByText(kids).waitFor();
    await page.close();
    await closePages();
    const output = await upWithPreview(project, "--refresh");
    assertPicture("tutorial-drift", {
      title: "A preview with a refresh: an item was added at the service, and the up removes it",
      command: "pulumi preview --refresh --diff",
      output,
    });
    const [loop] = emulator.inspect.task(String(taskId))?.actions ?? [];
    const items = ["novels", "nature"].map((shelf) => `${emulator.url}/bookshop/shelves/${shelf}/`);
    assert.deepEqual(loop?.loopItems, items);
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
    // The page about `pulumi do` is for newer engines, and a slow test runs its commands.
    const others = pages().filter((page) => !page.endsWith("pulumi-do.md"));
    const commands = pulumiCommands(others.map(readPage).join("\n"));
    assert.ok(commands.size > 8);
    // The help of all commands at once, in a file for each.
    const folder = join(project.root, "help");
    await project.shell(`mkdir ${folder} && pulumi gen-markdown ${folder}`);
    for (const [command, options] of commands) {
      const file = join(folder, `pulumi ${command}.md`.replaceAll(" ", "_"));
      const help = existsSync(file) ? readFileSync(file, "utf8") : await helpOfAlias(command);
      for (const option of options) assert.match(help, new RegExp(`--${option}\\b`), `pulumi ${command} --${option}`);
    }
  });

  /** The help of a command under another of its names. */
  async function helpOfAlias(command: string): Promise<string> {
    const { stdout } = await project.run([...command.split(" "), "--help"]);
    // The help of an unknown command is that of its group.
    assert.match(stdout, new RegExp(`^Aliases:\\n.*\\b${command.split(" ").at(-1)}\\b`, "m"), `pulumi ${command}`);
    return stdout;
  }
});
