import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readPage } from "../../pages/readPage";
import { TemplateLife } from "./templateLife";

const waits = "waitFor: finished";

describe("the YAML tutorial: its template, with pulumi new from its folder and the plugin from its tarball", function () {
  this.timeout(180_000);
  let life: TemplateLife;
  before(async () => {
    life = await TemplateLife.create("yaml", "yaml");
    // The default is 10 seconds, which the test would wait for twice.
    const file = join(life.folder, "Pulumi.yaml");
    const text = readFileSync(file, "utf8");
    assert.ok(text.includes(waits));
    writeFileSync(file, text.replace(waits, `${waits}\n      pollSeconds: 0.2`));
  });
  after(() => life.remove());

  it("extracts the books without Node.js files, changes nothing in a second up, and runs again after a change", async () => {
    await life.live({ file: "Pulumi.yaml", from: "MaxPages: 2", to: "MaxPages: 3" });
  });

  it("imports a task into the program, which shows no change then", async () => {
    const [, command = ""] = /^pulumi (import .*)$/m.exec(readPage("docs/tutorial-yaml.md")) ?? [];
    const { stdout } = await life.run([...command.split(" "), "--yes", "--skip-preview"]);
    const [, imported = ""] = /\nresources:\n([\s\S]*?)\n\n?(?=\S|$)/.exec(stdout) ?? [];
    const file = join(life.folder, "Pulumi.yaml");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace("\nresources:\n", `\nresources:\n${imported}\n`));
    const { output } = await life.run(["preview"], ["--expect-no-changes"]);
    assert.match(output, /\b5 unchanged/);
  });

  it("is destroyed as the tutorial says", () => life.destroy());
});

describe("the template yaml-manifests, with pulumi new from its folder and the plugin from its tarball", function () {
  this.timeout(180_000);
  let life: TemplateLife;
  before(async () => {
    life = await TemplateLife.create("yaml-manifests", "yaml");
    const file = join(life.folder, "tasks", "products.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace(waits, `${waits}, pollSeconds: 0.2`));
  });
  after(() => life.remove());

  it("extracts the books, changes nothing in a second up, and runs again after a change of the manifest", async () => {
    await life.live({ file: "tasks/products.yaml", from: "MaxPages: 2", to: "MaxPages: 3" }, 5);
  });

  it("has the command line of the plugin, as its README says", async () => {
    const [, alias = ""] = /^alias webextract='(.*)'$/m.exec(readPage("templates/yaml-manifests/README.md")) ?? [];
    assert.match((await life.shell(`${alias} validate tasks`)).stdout, /^1 task, no problem\.$/m);
    assert.match((await life.shell(`${alias} list`)).stdout, /products/);
    await life.shell(`${alias} rename products books tasks`);
    assert.match((await life.run(["preview"])).output, /\b5 unchanged/);
  });

  it("is destroyed as its README says", () => life.destroy());
});
