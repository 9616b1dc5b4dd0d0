import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { parse } from "yaml";
import type { Site } from "../../examples/quickstart/serveSite";
import { pagesFolder, serveSite } from "../../examples/quickstart/serveSite";
import { readPages } from "../quickstart/readPages";
import { Project, repositoryRoot } from "./harness";

describe("the example examples/manifest", () => {
  let site: Site;
  let emulator: Emulator;
  let project: Project;

  const read = (path: string): string => readFileSync(join(repositoryRoot, "examples", path), "utf8");

  before(async () => {
    site = await serveSite();
    emulator = await startEmulator({ seed: parse(read("quickstart/seed.yaml")) });
    const { accessToken, apiKey } = emulator.credentials;
    project = await Project.create({
      files: {
        "Pulumi.yaml": "name: test\nruntime: nodejs\n",
        "package.json": JSON.stringify({ name: "test", private: true, main: "index.ts" }),
        "index.ts": read("manifest/index.ts"),
        "tsconfig.json": readFileSync(join(repositoryRoot, "templates/typescript/tsconfig.json"), "utf8"),
        "tasks/books.yaml": read("manifest/tasks/books.yaml"),
      },
      link: ["typescript", "@types"],
      // `npm run check` checks the types of the examples.
      leanSdk: "transpiled",
      config: { "webextract:baseUrl": emulator.url, "test:siteUrl": site.url },
      secrets: { "webextract:accessToken": accessToken, "webextract:apiKey": apiKey },
    });
  });
  after(async () => {
    await project.remove();
    await emulator.close();
    await site.close();
  });

  function expectedRows(...more: string[]): unknown[] {
    const lists = ["novels", "nature", "kids", "staff-picks", ...more].map((shelf) => `/shelves/${shelf}/`);
    return readPages({ folder: pagesFolder, siteUrl: site.url, lists, maxPages: 2 });
  }

  async function exportedRows(): Promise<unknown[]> {
    const { file } = await project.outputs();
    const lines = readFileSync(join(project.folder, String(file)), "utf8")
      .trimEnd()
      .split("\n");
    return lines.map((line) => JSON.parse(line));
  }

  it("extracts what the quickstart extracts", async () => {
    await project.up();
    assert.deepEqual(await exportedRows(), expectedRows());
  });

  it("shows its edit step as one item and the new run, and exports the new rows", async () => {
    const edited = read("manifest/tasks/books.yaml").replace(/^( *- .*)staff-picks(.*)$/m, "$&\n$1signed$2");
    project.write("tasks/books.yaml", edited);
    const { output } = await project.up({ args: ["--diff"] });
    assert.match(output, /\+ \S+\/shelves\/signed\//);
    assert.match(output, /1 replaced/);
    assert.deepEqual(await exportedRows(), expectedRows("signed"));
  });
});
