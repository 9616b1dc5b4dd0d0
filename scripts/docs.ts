/**
 * `npm run docs`: writes the API reference, docs/reference/api, from the doc comments of what the package's entry points export, docs/resources.md
 * from the resources, the table of configuration keys in README.md from their descriptions, and the snippets of all pages from the files that they name.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { repositoryRoot, runTool } from "./commands";
import { withConfigTable } from "./docs/configTable";
import { resourcePage } from "./docs/resourcePage";
import { pages, snippetProblems, withSnippets } from "./docs/snippets";

const folder = join(repositoryRoot, "docs", "reference", "api");
const readme = join(repositoryRoot, "README.md");
const resourceFile = join(repositoryRoot, "docs", "resources.md");

/** Resolves with problems, such as a public name without a doc comment or a broken link. Writes nothing if there are any. */
async function writeReference(out: string): Promise<string> {
  const { code, output } = await runTool("typedoc", ["--options", "scripts/docs/typedoc.json", "--out", out], {
    NO_COLOR: "1",
  });
  return code === 0 ? "" : output.trim();
}

/** The differences between docs/reference/api and the doc comments; an empty string if there are none. */
export async function checkReference(): Promise<string> {
  const fresh = mkdtempSync(join(tmpdir(), "webextract-reference-"));
  try {
    const complaints = await writeReference(fresh);
    if (complaints !== "") return complaints;
    const expected = pagesIn(fresh);
    const found = pagesIn(folder);
    return [...new Set([...expected.keys(), ...found.keys()])]
      .filter((page) => expected.get(page) !== found.get(page))
      .map((page) => `docs/reference/api/${page} is out of date. Run: npm run docs`)
      .join("\n");
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Resolves with complaints: an argument without a doc comment, or with one that contradicts its description. Then nothing is written. */
function writeResourcePage(): string {
  const { text, complaints } = resourcePage();
  if (complaints.length === 0) writeFileSync(resourceFile, text);
  return complaints.join("\n");
}

/** What is wrong with docs/resources.md; an empty string if it is up to date. */
export async function checkResourcePage(): Promise<string> {
  const { text, complaints } = resourcePage();
  const isOutdated = readFileSync(resourceFile, "utf8") !== text;
  return [...complaints, ...(isOutdated ? ["docs/resources.md is out of date. Run: npm run docs"] : [])].join("\n");
}

function writeConfigTable(): void {
  writeFileSync(readme, withConfigTable(readFileSync(readme, "utf8")));
}

/** What is wrong with the table of configuration keys in README.md; an empty string if it is up to date. */
export async function checkConfigTable(): Promise<string> {
  const text = readFileSync(readme, "utf8");
  return withConfigTable(text) === text ? "" : "The configuration keys in README.md are out of date. Run: npm run docs";
}

function writeSnippets(): void {
  for (const page of pages()) {
    const path = join(repositoryRoot, page);
    writeFileSync(path, withSnippets(readFileSync(path, "utf8")));
  }
}

/** What is wrong with the snippets of the pages; an empty string if they are up to date. */
export async function checkSnippets(): Promise<string> {
  return pages().flatMap(snippetProblems).join("\n");
}

function pagesIn(of: string): Map<string, string> {
  const files = readdirSync(of, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map(({ name, parentPath }) => {
      const path = join(parentPath, name);
      return [relative(of, path).replaceAll("\\", "/"), readFileSync(path, "utf8")];
    }),
  );
}

if (require.main === module) {
  writeReference(folder).then((ofReference) => {
    writeConfigTable();
    writeSnippets();
    const complaints = [ofReference, writeResourcePage()].filter((each) => each !== "").join("\n");
    if (complaints !== "") console.error(complaints);
    process.exitCode = complaints === "" ? 0 : 1;
  });
}
