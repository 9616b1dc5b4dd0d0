import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { version } from "../../package.json";
import { repositoryRoot } from "../../scripts/commands";
import { sectionsOf } from "../../scripts/release/changelog";
import { releaseProblems } from "../../scripts/release/problems";

describe("the problems that prevent a release", () => {
  let root: string;

  function write(path: string, content: string | object): void {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === "string" ? content : JSON.stringify(content));
  }

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "webextract-tag-"));
    write("package.json", { name: "pulumi-webextract", version: "1.2.0" });
    write("emulator/package.json", { name: "webextract-emulator", version: "1.2.0" });
    write("package-lock.json", { packages: { "": { version: "1.2.0" }, emulator: { version: "1.2.0" } } });
    write(
      "CHANGELOG.md",
      "# Changelog\n\n## Unreleased\n\n## [1.2.0] - 2026-01-31\n\n- New\n\n## 1.1.0 - 2025-12-01\n\n- Old\n",
    );
    write("test/realEngine/upgrade/fixtures/1.2.0/state.json", {});
    write("templates/typescript/package.json", { dependencies: { "pulumi-webextract": "^1.0.0", other: "^9.0.0" } });
    write("templates/yaml/sdks/webextract/webextract-1.2.0.yaml", "version: 1.2.0\n");
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it("are none if all parts of a release have its version", () => {
    assert.deepEqual(releaseProblems("v1.2.0", root), []);
  });

  for (const tag of ["1.2.0", "v1.2", "v01.2.0", "latest"]) {
    it(`include a tag that is not v and a version: ${tag}`, () => {
      assert.deepEqual(releaseProblems(tag, root), [`the tag must be v and a version, such as v1.2.3; got ${tag}`]);
    });
  }

  it("include different versions in a package.json or the lock file, in one line", () => {
    write("emulator/package.json", { name: "webextract-emulator", version: "1.1.0" });
    write("package-lock.json", { packages: { "": { version: "1.2.0" }, emulator: { version: "1.1.0" } } });
    const [problem = "", ...others] = releaseProblems("v1.2.0", root);
    assert.match(
      problem,
      /^emulator\/package\.json has version 1\.1\.0, package-lock\.json \(emulator\) has version 1\.1\.0\. Run: npm version 1\.2\.0 /,
    );
    assert.deepEqual(others, []);
  });

  for (const [name, changelog, expected] of [
    ["no section", "## 1.1.0 - 2026-01-31\n\n- Old\n", /there is no section 1\.2\.0/],
    ["an empty section", "## 1.2.0 - 2026-01-31\n\n## 1.1.0 - 2026-01-01\n\n- Old\n", /section 1\.2\.0 is empty/],
    ["a section without a day", "## 1.2.0 - Unreleased\n\n- New\n", /day of the release: ## 1\.2\.0 - YYYY-MM-DD/],
    ["unreleased entries", "## Unreleased\n\n- More\n\n## 1.2.0 - 2026-01-31\n\n- New\n", /Move them to 1\.2\.0/],
  ] as const) {
    it(`include a changelog with ${name}`, () => {
      write("CHANGELOG.md", changelog);
      const problems = releaseProblems("v1.2.0", root);
      assert.equal(problems.length, 1, problems.join("\n"));
      assert.match(String(problems[0]), expected);
    });
  }

  it("include a missing recorded state, and a template that installs an earlier version", () => {
    rmSync(join(root, "test"), { recursive: true });
    write("templates/typescript/package.json", { dependencies: { "pulumi-webextract": "^0.9.0" } });
    write("templates/yaml/sdks/webextract/webextract-1.2.0.yaml", "version: 1.1.0\n");
    const [first, ...others] = releaseProblems("v1.2.0", root).map((problem) => problem.split(": ")[0]);
    assert.equal(first, "test/realEngine/upgrade/fixtures/1.2.0");
    assert.deepEqual(others.sort(), ["templates/typescript/package.json", "templates/yaml/sdks/webextract"]);
  });
});

describe("the changelog", () => {
  it("has a section for this version or an Unreleased section, with entries", () => {
    const sections = sectionsOf(readFileSync(join(repositoryRoot, "CHANGELOG.md"), "utf8"));
    const section = sections.find((each) => each.version === version || each.version === "Unreleased");
    assert.match(section?.body ?? "", /^- /m);
  });
});
