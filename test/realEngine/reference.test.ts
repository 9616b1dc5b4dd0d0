import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { resources } from "../internals/resources";
import { Project, repositoryRoot } from "./harness";

const folder = join(repositoryRoot, "examples", "reference");

describe("the program of the reference pages on the engine", () => {
  let project: Project;
  before(async () => {
    const source = readFileSync(join(folder, "index.ts"), "utf8");
    const { outputText } = ts.transpileModule(source, { compilerOptions: { module: ts.ModuleKind.CommonJS } });
    project = await Project.create({
      program: outputText,
      files: Object.fromEntries(
        ["shelves.txt", "tasks/novels.yaml"].map((file) => [file, readFileSync(join(folder, file), "utf8")]),
      ),
      config: { "webextract:baseUrl": "https://service.example.com" },
    });
  });
  after(() => project.remove());

  it("passes a preview and declares every resource", async () => {
    const { steps } = await project.previewJson();
    const types = steps
      .map(({ urn }) => urn.split("::")[2] ?? "")
      .flatMap((type) => (type.includes("webextract:") ? (type.split(":").at(-1) ?? "") : []));
    assert.deepEqual([...new Set(types)].sort(), [...Object.keys(resources), "Manifest"].sort());
  });
});
