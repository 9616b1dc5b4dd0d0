import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import "../../examples/mocks/shop.test";
import { repository } from "./readPage";

const programs = [
  "compose/index.ts",
  ...readdirSync(join(repository, "examples/howTo")).map((file) => `howTo/${file}`),
];

describe("the examples of the pages", () => {
  after(() => pulumi.runtime.setAllConfig({}));

  for (const program of programs) {
    it(`declare resources that fit together: ${program}`, async () => {
      const names: string[] = [];
      await pulumi.runtime.setMocks({
        newResource: ({ name, inputs }) => {
          names.push(name);
          return { id: `${name}-id`, state: { lotNo: "1", file: "rows.ndjson", rowCount: 0, ...inputs } };
        },
        call: () => ({}),
      });
      pulumi.runtime.setAllConfig({ "project:siteUrl": "https://shop.example" });
      await pulumi.runtime.runInPulumiStack(async () => require(join(repository, "examples", program)));
      await (pulumi.runtime as unknown as { waitForRPCs(): Promise<void> }).waitForRPCs();
      assert.ok(names.length > 1, names.join());
    });
  }
});
