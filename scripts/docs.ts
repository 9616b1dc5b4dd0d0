/**
 * `npm run docs` writes the API reference, docs/reference/api, from the doc comments of the package's exports. It writes the generated
 * parts of the other pages in docs/reference, and manifest.schema.json, from the descriptions in the code. It also writes the snippets of
 * all pages.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { repositoryRoot, runTool } from "./commands";
import { writeManifestSchema } from "./docs/manifestSchema";
import { referencePageProblems, writeReferencePages } from "./docs/referencePages";
import { pages, snippetProblems, withSnippets } from "./docs/snippets";

const folder = join(repositoryRoot, "docs", "reference", "api");

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

/** What is wrong with the generated parts of docs/reference; an empty string if they are up to date. */
export async function checkReferencePages(): Promise<string> {
  return referencePageProblems().join("\n");
}

function writeSnippets(): void {
  for (const page of pages()) {
    const path = join(repositoryRoot, page);
    const text = readFileSync(path, "utf8");
    try {
      writeFileSync(path, withSnippets(text));
    } catch {
      // The page stays as it is: checkSnippets says what is wrong.
    }
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
  writeReference(folder).then(async (ofReference) => {
    const problems = writeReferencePages();
    writeManifestSchema();
    writeSnippets();
    const complaints = [ofReference, ...problems, await checkSnippets()].filter((each) => each !== "").join("\n");
    if (complaints !== "") console.error(complaints);
    process.exitCode = complaints === "" ? 0 : 1;
  });
}
