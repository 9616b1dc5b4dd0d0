import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import { configKeys } from "../internals/config";

const repository = resolve(__dirname, "../..");
const readme = readFileSync(join(repository, "README.md"), "utf8");

/** All code blocks of a language. */
function blocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map((match) => match[1] ?? "");
}

/** The part of the README below a heading. */
function section(heading: string): string {
  const [, after = ""] = readme.split(`\n${heading}\n`);
  return after.split(/^#{2,3} /m)[0] ?? "";
}

describe("the README", () => {
  it("takes its TypeScript from programs that tests run", () => {
    const programs = readdirSync(join(repository, "examples"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => readFileSync(join(repository, "examples", file), "utf8"));
    const snippets = blocks("ts");
    assert.ok(snippets.length > 0);
    for (const snippet of snippets) {
      assert.ok(
        programs.some((program) => program.includes(snippet)),
        `no example holds:\n${snippet}`,
      );
    }
  });

  it("has each configuration key with its environment variable, and no other", () => {
    const rows = [...section("## Configuration").matchAll(/^\| `(\w+)` \| `(WEBEXTRACT_\w+)` \|/gm)];
    const documented = Object.fromEntries(rows.map(([, key, variable]) => [key, variable]));
    const known = Object.fromEntries(Object.entries(configKeys).map(([key, { environment }]) => [key, environment]));
    assert.deepEqual(documented, known);
  });

  it("has YAML that parses", () => {
    for (const yaml of blocks("yaml")) assert.ok(parse(yaml));
  });

  it("names only npm scripts that there are", () => {
    const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
    const named = [...readme.matchAll(/\bnpm (?:run ([\w:]+)|(start|test)\b)/g)].map(([, run, short]) => run ?? short);
    for (const name of named) assert.ok(name !== undefined && name in scripts, `npm run ${name}`);
  });

  it("links only to files that there are", () => {
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map((match) => match[1] ?? "");
    assert.ok(links.length > 0);
    for (const link of links) assert.ok(existsSync(join(repository, link)), link);
  });
});
