import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Project, repositoryRoot } from "./harness";

describe("schema.json in the engine", function () {
  this.timeout(120_000);

  it("binds without an error or a warning", async () => {
    const schema = readFileSync(join(repositoryRoot, "plugin/schema.json"), "utf8");
    const wrong = schema.replace('"#/types/webextract:index:Action"', '"#/types/webextract:index:Actoin"');
    const project = await Project.create({ files: { "schema.json": schema, "wrong.json": wrong } });
    try {
      assert.equal((await project.shell("pulumi schema check schema.json")).output, "");
      await assert.rejects(project.shell("pulumi schema check wrong.json"), /Actoin/);
    } finally {
      await project.remove();
    }
  });
});
