import assert from "node:assert/strict";
import { pages, problemsIn, snippetProblems, withSnippets } from "../../scripts/docs/snippets";
import { configKeys } from "../internals/config";
import { blocks, readPage } from "./readPage";

describe("the pages", () => {
  it("have at most 30,000 words in docs", () => {
    const words = pages().flatMap((page) => (page.startsWith("docs/") ? readPage(page).trim().split(/\s+/) : []));
    assert.ok(words.length <= 30_000, `${words.length} words`);
  });

  it("for Pulumi's registry have its front matter, and name each configuration key", () => {
    for (const page of ["docs/_index.md", "docs/installation-configuration.md"]) {
      const text = readPage(page);
      assert.match(text, /^---\ntitle: .+\nmeta_desc: .{20,160}\nlayout: package\n---\n/, page);
      // The registry copies the pages, so a path of the repository leads nowhere.
      assert.doesNotMatch(text, /\]\((?!https:)/, page);
    }
    const installation = readPage("docs/installation-configuration.md");
    for (const name of Object.keys(configKeys)) assert.ok(installation.includes(`\`${name}\``), name);
  });

  it("contain snippets only from files that are compiled or run", () => {
    assert.deepEqual(pages().flatMap(snippetProblems), []);
  });

  it("install the packages before pulumi new of a program for Node.js, which would not find them on npm", () => {
    const making = pages()
      .flatMap((page) => blocks(readPage(page), "sh"))
      .filter((block) => /pulumi new .*templates\/typescript$/m.test(block));
    assert.ok(making.length >= 2);
    for (const block of making) {
      assert.match(block, /^npm install \S+\.tgz\npulumi new --force \S+\nnpm install \S+\.tgz$/m);
    }
  });

  it("name only npm scripts that exist", () => {
    const manifests = ["package.json", "templates/typescript/package.json"].map((path) => JSON.parse(readPage(path)));
    const scripts = Object.assign({}, ...manifests.map((manifest) => manifest.scripts));
    for (const page of pages()) {
      const named = [...readPage(page).matchAll(/\bnpm (?:run ([\w:]*\w)|(start|test)\b)/g)];
      for (const [, run, short] of named)
        assert.ok((run ?? short ?? "") in scripts, `${page}: npm run ${run ?? short}`);
    }
  });

  it("name only configuration keys and environment variables that exist", () => {
    const keys = Object.keys(configKeys);
    const variables: string[] = Object.values(configKeys).map(({ environment }) => environment);
    for (const page of pages()) {
      for (const [, key = ""] of readPage(page).matchAll(/(?<![\w:/-])webextract:(\w+)/g)) {
        assert.ok(["index", ...keys].includes(key) || /^(?:get)?[A-Z]/.test(key), `${page}: webextract:${key}`);
      }
      for (const [name] of readPage(page).matchAll(/\bWEBEXTRACT_\w+/g)) {
        assert.ok(["WEBEXTRACT_", "WEBEXTRACT_PROFILE", ...variables].includes(name), `${page}: ${name}`);
      }
    }
  });
});

describe("a snippet", () => {
  const marker = "<!-- snippet examples/client/index.ts#copy -->\n";

  it("is written after its marker, and replaces the old block", () => {
    const page = withSnippets(`before\n\n${marker}\nafter\n`);
    assert.match(page, /#copy -->\n\n```ts\nexport async function copyAndConfigure[\s\S]*\n```\n\nafter\n$/);
    assert.equal(withSnippets(page), page);
    assert.equal(withSnippets(page.replace("copyTask", "copyTsk")), page);
    assert.equal(withSnippets(`before\n\n${marker}\n\`\`\`ts\n\`\`\`\n\nafter\n`), page);
    assert.doesNotMatch(blocks(page, "ts").join(""), /#region/);
  });

  it("replaces no text after a block whose fences are not at the start of a line", () => {
    const after = "A sentence.\n\n```sh\nls\n```\n";
    const notEnded = /the block of the snippet examples\/client\/index\.ts#copy must begin and end with ```/;
    for (const block of ["```ts\ncode\n   ```\n\n", "```ts\ncode\n\n", "   ```ts\n   code\n   ```\n\n"]) {
      assert.throws(() => withSnippets(`${marker}\n${block}${after}`), notEnded, block);
    }
    assert.ok(withSnippets(`${marker}\n${after.replace("ls", "old")}\n${after}`).endsWith(`\`\`\`\n\n${after}`));
  });

  it("must have its marker, also in a list", () => {
    for (const indent of ["", "   "]) {
      const [problem = "", ...others] = problemsIn(
        "page.md",
        `1. Do this:\n\n${indent}\`\`\`json\n${indent}{}\n${indent}\`\`\`\n`,
      );
      assert.match(problem, /^page\.md: the block "\{\}" is not cut from a file/);
      assert.deepEqual(others, []);
    }
  });

  it("must exist", () => {
    assert.throws(() => withSnippets(marker.replace("#copy", "#paste")), /has no region paste/);
    assert.throws(() => withSnippets(marker.replace("index", "none")), /does not exist/);
  });
});
