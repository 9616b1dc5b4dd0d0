import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { allCommands } from "../../cli/test/internals/cli";
import { repositoryRoot } from "../../scripts/commands";
import { configKeys } from "../internals/config";

const read = (path: string): string => readFileSync(join(repositoryRoot, path), "utf8");
const ofTemplates = readdirSync(join(repositoryRoot, "templates")).map((name) => read(`templates/${name}/AGENTS.md`));

describe("the pages for assistants", () => {
  it("are the same in each template", () => {
    assert.equal(new Set(ofTemplates).size, 1);
  });

  for (const [name, text] of Object.entries({ "SKILL.md": read("SKILL.md"), "AGENTS.md": ofTemplates.join("\n") })) {
    it(`name commands and variables that exist, in ${name}`, () => {
      const commands = allCommands().map((each) => each.name);
      const named = [...text.matchAll(/`(?:npx )?webextract ([a-z][a-z -]*)/g)].map(([, words = ""]) => words);
      assert.ok(named.length > 0);
      for (const words of named)
        assert.ok(
          commands.some((each) => words.startsWith(each)),
          words,
        );
      const variables = Object.values(configKeys).map(({ environment }) => environment as string);
      const used = [...text.matchAll(/WEBEXTRACT_[A-Z_]+/g)].map(([variable]) => variable);
      assert.ok(used.length > 0);
      for (const variable of used) assert.ok(variables.includes(variable), variable);
    });
  }
});
