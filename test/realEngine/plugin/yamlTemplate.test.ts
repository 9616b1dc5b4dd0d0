import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isLarge, slowIt } from "../../environment";
import { readPage } from "../../pages/readPage";
import { actionSteps } from "../../pages/workflow";
import { TemplateLife } from "./templateLife";

// The life that the tutorial has, once more in the language of the smallest template.
if (isLarge) {
  describe("the template yaml, with pulumi new from its folder", function () {
    this.timeout(180_000);
    let life: TemplateLife;
    before(async () => {
      life = await TemplateLife.create("yaml", "yaml", "Pulumi.yaml");
    });
    after(() => life.remove());

    it("extracts the books without Node.js files, changes nothing in a second up, and runs again after a change", async () => {
      await life.live();
    });

    it("is destroyed as its README says", () => life.destroy());
  });
}

describe("the YAML tutorial: the template yaml-manifests, with pulumi new", function () {
  this.timeout(180_000);
  const page = readPage("docs/tutorial-yaml.md");
  const command = (line: RegExp): string => line.exec(page)?.[1] ?? "";
  let life: TemplateLife;
  before(async () => {
    life = await TemplateLife.create("yaml-manifests", "yaml", "tasks/products.yaml");
  });
  after(() => life.remove());

  slowIt(
    "extracts the books, changes nothing in a second up, and runs again after a change of the manifest",
    async () => {
      await life.live(5);
    },
  );

  const webextract = command(/^alias webextract='(.*)'$/m);

  slowIt("has the command line of the plugin, which checks and lists tasks", async () => {
    assert.match((await life.shell(`${webextract} validate tasks`)).stdout, /^1 task, no problem\.$/m);
    assert.match((await life.shell(`${webextract} list`)).stdout, /products/);
  });

  slowIt("is previewed by the action of this repository, without Node.js files", async () => {
    await life.shell("sed -i.bak 's/nature/staff-picks/' tasks/products.yaml && rm tasks/products.yaml.bak");
    const summary = join(life.folder, "summary.md");
    const runner = {
      RUNNER_TEMP: life.folder,
      GITHUB_STEP_SUMMARY: summary,
      GITHUB_OUTPUT: join(life.folder, "output"),
    };
    for (const { run, env } of actionSteps({ with: { stack: "dev", comment: "false" } })) {
      if (run !== undefined) await life.shell(run, { ...env, ...runner });
    }
    assert.match(readFileSync(summary, "utf8"), /shelves\/staff-picks/);
    await life.shell("sed -i.bak 's/staff-picks/nature/' tasks/products.yaml && rm tasks/products.yaml.bak");
  });

  slowIt("reports a change of a task, and renames a task without a change", async () => {
    await life.shell("sed -i.bak 's/nature/kids/' tasks/products.yaml && rm tasks/products.yaml.bak");
    await life.shell(command(/^(pulumi preview --json.*)$/m));
    const { stdout } = await life.shell(command(/^(webextract plan-report.*)$/m).replace("webextract", webextract));
    assert.match(stdout, /shelves\/kids/);
    await life.shell("sed -i.bak 's/kids/nature/' tasks/products.yaml && rm tasks/products.yaml.bak");
    await life.shell(`${webextract} rename products books tasks`);
    assert.match((await life.run(["preview"])).output, /\b5 unchanged/);
  });

  slowIt("imports a task into the program, which shows no change then", async () => {
    const { stdout } = await life.run([...command(/^pulumi (import .*)$/m).split(" "), "--yes", "--skip-preview"]);
    const [, imported = ""] = /\nresources:\n([\s\S]*?)\n\n?(?=\S|$)/.exec(stdout) ?? [];
    const file = join(life.folder, "Pulumi.yaml");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace("\nresources:\n", `\nresources:\n${imported}\n`));
    const { output } = await life.run(["preview"], ["--expect-no-changes"]);
    assert.match(output, /\b6 unchanged/);
  });

  slowIt("is destroyed as the tutorial says", () => life.destroy());
});
