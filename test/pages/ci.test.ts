import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { version } from "../../package.json";
import { repositoryRoot } from "../../scripts/commands";
import { configKeys } from "../internals/config";
import { azureStage, jenkinsStage } from "./pipelines";
import { readPage } from "./readPage";
import { ourAction, readWorkflow, stepsOf } from "./workflow";

describe("the workflows for CI", () => {
  for (const name of ["pullRequest.yml", "nightly.yml", "drift.yml", "shards.yml", "../review/review.yml"]) {
    it(`name variables in ${name} that the package reads`, () => {
      const known: string[] = Object.values(configKeys).map(({ environment }) => environment);
      const used = stepsOf(readWorkflow(name)).flatMap(({ env }) => Object.keys(env ?? {}));
      const ours = used.filter((variable) => variable.startsWith("WEBEXTRACT_"));
      assert.ok(ours.length > 0);
      for (const variable of ours) assert.ok(known.includes(variable), variable);
    });
  }

  it("give credentials of the service to no pull request, and to main alone, in Azure Pipelines and Jenkins", () => {
    const notThere = /WEBEXTRACT_(?!RUN_LABEL)/;
    const recipes = ["azure-pipelines.yml", "Jenkinsfile"].map((name) => readPage(`examples/ci/${name}`));
    for (const recipe of recipes) {
      const [preview = "", production = ""] = recipe.split(/stage: production|stage\('Production'\)/);
      assert.doesNotMatch(preview, notThere);
      assert.match(production, /WEBEXTRACT_API_KEY[\s\S]*WEBEXTRACT_TOKEN_STORE/);
    }
    const conditions = ["preview", "production"].map((name) => azureStage(name).when);
    assert.deepEqual(conditions, [
      "eq(variables['Build.Reason'], 'PullRequest')",
      "and(ne(variables['Build.Reason'], 'PullRequest'), eq(variables['Build.SourceBranch'], 'refs/heads/main'))",
    ]);
    assert.match(recipes[1] ?? "", /stage\('Production'\) \{\n\s*when \{ branch 'main' \}/);
    const [timer, person] = ["triggeredBy 'TimerTrigger'", "triggeredBy cause: 'UserIdCause'"];
    const stages = ["Preview", "Up", "Nightly", "By hand", "Drift"].map((name) => jenkinsStage(name).when);
    assert.deepEqual(stages, ["changeRequest()", `not { anyOf { ${timer}; ${person} } }`, timer, person, timer]);
  });

  it("pin each action, and use the versions and the Node.js of this repository's own workflows, which are kept up to date", () => {
    const own = textOf(".github/workflows");
    const pins = new Map([...own.matchAll(/uses: (\S+)@(\w+ # v[\d.]+)/g)].map(([, name, pin]) => [name, pin]));
    const examples = textOf("examples");
    const action = readFileSync(join(repositoryRoot, "action.yml"), "utf8");
    const used = [...`${examples}\n${action}`.matchAll(/uses: ([\w/-]+)@(.*)/g)];
    assert.ok(used.length > 10);
    for (const [line, name, pin = ""] of used) {
      if (name === ourAction) {
        assert.equal(pin.split(" ")[0], `v${version}`, line);
        continue;
      }
      assert.match(pin, /^[\da-f]{40} # v\d+\.\d+\.\d+/, line);
      assert.ok(pin.startsWith(pins.get(name) ?? ""), line);
    }
    const versions = [...examples.matchAll(/node-version: (\d+)/g)].map(([, version]) => version);
    assert.deepEqual([...new Set(versions)], [/node-version: (\d+)/.exec(own)?.[1]]);
    assert.equal(parse(action).inputs["node-version"].default, versions[0]);
  });
});

/** The YAML files of a folder. */
function textOf(folder: string): string {
  const names = readdirSync(join(repositoryRoot, folder), { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => /\.ya?ml$/.test(name) && !name.includes("node_modules"));
  return files.map((name) => readFileSync(join(repositoryRoot, folder, name), "utf8")).join("\n");
}
