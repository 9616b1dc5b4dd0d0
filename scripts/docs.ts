/**
 * `npm run docs` writes the generated parts of the pages in docs/reference, manifest.schema.json and schema.json, from the doc comments and descriptions in
 * the code, and the snippets of all pages. `npm run docs -- api` writes the API reference, docs/reference/api, which git ignores: a release and
 * a site generate it.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryRoot, runTool } from "./commands";
import { writeManifestSchema } from "./docs/manifestSchema";
import { referencePageProblems, writeReferencePages } from "./docs/referencePages";
import { pages, snippetProblems, withSnippets } from "./docs/snippets";
import { resourcesAreComplete } from "./rules/completeness";
import type { Project } from "./rules/project";
import { apiReference, readProject } from "./rules/project";
import { writePluginSchema } from "./schema/pluginSchema";

/** Resolves with problems, such as a public name without a doc comment or a broken link. Writes nothing if there are any. `tsc` checks the types. */
export async function writeApiReference(out: string): Promise<string> {
  const { code, output } = await runTool("typedoc", ["--options", "scripts/docs/typedoc.json", "--out", out], {
    NO_COLOR: "1",
  });
  return code === 0 ? "" : output.trim();
}

/** What prevents the API reference; an empty string if nothing does. */
export async function checkApiReference(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "webextract-reference-"));
  try {
    return await writeApiReference(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
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

async function writePages(): Promise<string> {
  try {
    const problems = writeReferencePages();
    writeManifestSchema();
    writePluginSchema();
    writeSnippets();
    return [...problems, await checkSnippets()].filter((each) => each !== "").join("\n");
  } catch (error) {
    return whyNotWritten(error, readProject(repositoryRoot));
  }
}

/** The pages are made of the examples and more: for a new resource, one line names all that it still needs. */
export function whyNotWritten(error: unknown, project: Project): string {
  const lacking = resourcesAreComplete(project);
  return ["Not all pages were written.", ...(lacking.length > 0 ? lacking : [String(error)])].join("\n");
}

if (require.main === module) {
  const written = process.argv[2] === "api" ? writeApiReference(join(repositoryRoot, apiReference)) : writePages();
  written.then((complaints) => {
    if (complaints !== "") console.error(complaints);
    process.exitCode = complaints === "" ? 0 : 1;
  });
}
