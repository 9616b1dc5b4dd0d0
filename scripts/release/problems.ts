import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import semver from "semver";
import { parse } from "yaml";
import { repositoryRoot } from "../commands";
import { manifestOf, packageFolders } from "../packages/packages";
import { sectionsOf } from "./changelog";

/**
 * Everything that prevents a release of this tag: versions that differ, and missing parts of a release. Empty if nothing does.
 * @param root the repository. Default: this one.
 */
export function releaseProblems(tag: string, root = repositoryRoot): string[] {
  const version = /^v(.+)$/.exec(tag)?.[1] ?? "";
  if (semver.valid(version) !== version) {
    return [`the tag must be v and a version, such as v1.2.3; got ${tag}`];
  }
  return [
    ...versionProblems(version, root),
    ...changelogProblems(version, readFileSync(join(root, "CHANGELOG.md"), "utf8")),
    ...stateProblems(version, root),
    ...templateProblems(version, root),
  ];
}

function versionProblems(version: string, root: string): string[] {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const found = packageFolders.flatMap((folder) => [
    { place: join(folder, "package.json"), is: manifestOf(folder, root).version },
    { place: `package-lock.json (${folder})`, is: lock.packages[folder === "." ? "" : folder]?.version },
  ]);
  const others = found.flatMap(({ place, is }) => (is === version ? [] : [`${place} has version ${is}`]));
  const command = `npm version ${version} --workspaces --include-workspace-root --no-git-tag-version`;
  return others.length === 0 ? [] : [`${others.join(", ")}. Run: ${command}`];
}

function changelogProblems(version: string, changelog: string): string[] {
  const sections = sectionsOf(changelog);
  const section = sections.find((each) => each.version === version);
  const unreleased = sections.find((each) => each.version === "Unreleased")?.body ?? "";
  const problems: string[] = [];
  if (section === undefined) {
    problems.push(`there is no section ${version}`);
  } else {
    if (section.body === "") problems.push(`the section ${version} is empty`);
    if (!/^\d{4}-\d{2}-\d{2}$/.test(section.date ?? "")) {
      problems.push(`the heading must have the day of the release: ## ${version} - YYYY-MM-DD`);
    }
  }
  if (unreleased !== "") problems.push(`the section Unreleased has entries. Move them to ${version}`);
  return problems.map((problem) => `CHANGELOG.md: ${problem}`);
}

/** Every later version is tested with the state of each released one. */
function stateProblems(version: string, root: string): string[] {
  const folder = `test/realEngine/upgrade/fixtures/${version}`;
  return existsSync(join(root, folder)) ? [] : [`${folder}: the recorded state is missing. Run: npm run record`];
}

/** A new project installs the dependencies of the template, and the engine installs the plugin of a template in YAML. */
function templateProblems(version: string, root: string): string[] {
  const ours = packageFolders.map((folder) => manifestOf(folder, root).name);
  return readdirSync(join(root, "templates")).flatMap((name) => {
    const packages = `templates/${name}/sdks/webextract`;
    if (existsSync(join(root, packages))) {
      const files = readdirSync(join(root, packages)).map((file) => join(root, packages, file));
      const versions = files.map((file) => parse(readFileSync(file, "utf8")).version).join();
      return versions === version ? [] : [`${packages}: the version is ${versions}, not ${version}`];
    }
    const file = `templates/${name}/package.json`;
    if (!existsSync(join(root, file))) return [];
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, file), "utf8"));
    return Object.entries<string>({ ...dependencies, ...devDependencies }).flatMap(([dependency, range]) =>
      !ours.includes(dependency) || semver.satisfies(version, range)
        ? []
        : [`${file}: ${dependency} ${range} does not allow ${version}`],
    );
  });
}
