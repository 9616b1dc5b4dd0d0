import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anyVariables, describeProblem, readManifests } from "../internals/manifest";
import { blocks, readPage, repository } from "./readPage";

const example = join(repository, "examples/manifest");

describe("the pages about manifests", () => {
  it("show manifests that are valid", () => {
    const paths = ["tasks", "snippets/tasks"];
    const { tasks, problems } = readManifests({ paths, folder: example, variables: anyVariables });
    assert.deepEqual(problems, []);
    assert.deepEqual(
      tasks.map(({ name }) => name),
      ["books", "checked", "novels", "kids", "parquet", "stories"],
    );
  });

  it("describe how values are converted", () => {
    const { tasks } = readManifests({
      paths: ["snippets/tasks/stories.yaml"],
      folder: example,
      variables: anyVariables,
    });
    const actions = tasks[0]?.args.actions as { search: { properties: Record<string, string> } };
    const [shown = ""] = blocks(readPage("docs/how-to/manifests.md"), "yaml").filter((block) =>
      block.includes("Delay"),
    );
    const promised = [...shown.matchAll(/^ +(\w+): .* # "([^"]*)"/gm)].map(([, name, value]) => [name, value]);
    assert.equal(promised.length, 6);
    assert.deepEqual(Object.entries(actions.search.properties), promised);
  });

  it("show real errors", () => {
    const folder = mkdtempSync(join(tmpdir(), "webextract-page-"));
    try {
      const books = readPage("examples/manifest/tasks/books.yaml");
      writeFileSync(join(folder, "books.yaml"), books.replace(/^exports:/m, "exporst:"));
      writeFileSync(join(folder, "kids.yaml"), "from: { adoptTaskId: t }\n\nrun: { waitFor: finish }\n");
      const { problems } = readManifests({ paths: ["."], folder, variables: anyVariables });
      const [shown = ""] = blocks(readPage("docs/how-to/manifests.md"), "text");
      const [, ...lines] = shown.trim().split("\n");
      assert.deepEqual(
        problems
          .map((each) => `tasks/${describeProblem(each)}`)
          .join("\n")
          .split("\n"),
        lines,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
