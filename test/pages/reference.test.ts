import assert from "node:assert/strict";
import { parse } from "yaml";
import { pathOfPage } from "../../scripts/docs/resourcePage";
import { configKeys, parseGivenConfig } from "../internals/config";
import { resources, typeToken } from "../internals/resources";
import { readPage } from "./readPage";

describe("the reference", () => {
  it("has the type token of each resource on its page, and a link to each page", () => {
    const overview = readPage("docs/reference/README.md");
    for (const type of Object.keys(resources)) {
      const page = pathOfPage(type);
      assert.ok(readPage(page).includes(`Type token: \`${typeToken(type, "dynamic")}\``), page);
      assert.ok(overview.includes(`[${type}](${page.split("/").at(-1)})`), type);
    }
  });

  it("has each configuration key with its environment variable once, and no other", () => {
    const rows = [...readPage("docs/reference/configuration.md").matchAll(/^- `(\w+)` \(`(WEBEXTRACT_\w+)`; /gm)];
    const known = Object.entries(configKeys).map(([key, { environment }]) => [key, environment]);
    assert.deepEqual(
      rows.map(([, key, variable]) => [key, variable]),
      known,
    );
  });

  it("shows six configuration keys first", () => {
    const [, first = ""] = readPage("docs/reference/configuration.md").split(/^## The (?:first six|other) keys$/m);
    assert.equal(first.match(/^- `/gm)?.length, 6);
  });

  it("has an example of a configuration that is valid", () => {
    const { config }: { config: Record<string, string> } = parse(readPage("examples/reference/Pulumi.production.yaml"));
    const names = Object.keys(config).map((key) => key.replace("webextract:", ""));
    assert.deepEqual(parseGivenConfig((key) => config[`webextract:${key}`], names).problems, []);
  });
});
