import assert from "node:assert/strict";
import { configKeys } from "../internals/config";
import { currentPage, pageWithFiles } from "./page";
import { readWorkflow } from "./workflow";

describe("the page about CI", () => {
  it("shows the files that are tested (npx tsx test/ci/page.ts)", () => {
    assert.equal(currentPage(), pageWithFiles());
  });

  for (const name of ["tokenStore.yml", "broker.yml"]) {
    it(`names variables in ${name} that the package reads`, () => {
      const known: string[] = Object.values(configKeys).map(({ environment }) => environment);
      const used = readWorkflow(name).jobs.up.steps.flatMap(({ env }) => Object.keys(env ?? {}));
      const ours = used.filter((variable) => variable.startsWith("WEBEXTRACT_"));
      assert.ok(ours.length > 0);
      for (const variable of ours) assert.ok(known.includes(variable), variable);
    });
  }
});
