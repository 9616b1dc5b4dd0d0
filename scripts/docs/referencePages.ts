/** The pages of docs/reference that are written by hand except for generated parts. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { resources } from "../../src/resources/index";
import { repositoryRoot } from "../commands";
import { cliPage, partsOfCli } from "./cliPage";
import { configurationPage, partsOfConfiguration, partsOfRegistry, registryPage } from "./configurationPage";
import { docComments } from "./docComments";
import { functionsPage, partsOfFunctions } from "./functionsPage";
import { manifestPage, partsOfManifest } from "./manifestPage";
import type { Parts } from "./parts";
import { withParts } from "./parts";
import { partsOfResource, pathOfPage } from "./resourcePage";

/** Writes the generated parts of all pages. Returns the problems; a page with a problem is not written. */
export function writeReferencePages(): string[] {
  const { pages, problems } = generatedPages();
  for (const [path, { now }] of pages) writeFileSync(join(repositoryRoot, path), now);
  return problems;
}

/** Problems of the pages: a part that is out of date, missing or not known, or a doc comment that contradicts the code. */
export function referencePageProblems(): string[] {
  const { pages, problems } = generatedPages();
  const outdated = [...pages].filter(([, { before, now }]) => before !== now);
  return [...problems, ...outdated.map(([path]) => `${path} is out of date. Run: npm run docs`)];
}

function generatedPages(): { pages: Map<string, { before: string; now: string }>; problems: string[] } {
  const problems: string[] = [];
  const ofResources = docComments();
  const parts: [string, Parts][] = [
    ...Object.values(resources).map((resource): [string, Parts] => [
      pathOfPage(resource.type),
      partsOfResource(resource, ofResources, problems),
    ]),
    [configurationPage, partsOfConfiguration()],
    [registryPage, partsOfRegistry()],
    [manifestPage, partsOfManifest(problems)],
    [cliPage, partsOfCli()],
    [functionsPage, partsOfFunctions(docComments())],
  ];
  const pages = new Map<string, { before: string; now: string }>();
  for (const [path, each] of parts) {
    const file = join(repositoryRoot, path);
    try {
      const before = existsSync(file) ? readFileSync(file, "utf8") : "";
      pages.set(path, { before, now: withParts(before, each) });
    } catch (error) {
      problems.push(`${path} ${error instanceof Error ? error.message : error}`);
    }
  }
  return { pages, problems };
}
