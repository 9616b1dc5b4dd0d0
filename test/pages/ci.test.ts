import assert from "node:assert/strict";
import { configKeys } from "../internals/config";
import { readWorkflow, stepsOf } from "./workflow";

describe("the workflows for CI", () => {
  for (const name of [
    "pullRequest.yml",
    "nightly.yml",
    "drift.yml",
    "tokenStore.yml",
    "broker.yml",
    "shards.yml",
    "../review/review.yml",
  ]) {
    it(`name variables in ${name} that the package reads`, () => {
      const known: string[] = Object.values(configKeys).map(({ environment }) => environment);
      const used = stepsOf(readWorkflow(name)).flatMap(({ env }) => Object.keys(env ?? {}));
      const ours = used.filter((variable) => variable.startsWith("WEBEXTRACT_"));
      assert.ok(ours.length > 0);
      for (const variable of ours) assert.ok(known.includes(variable), variable);
    });
  }
});
