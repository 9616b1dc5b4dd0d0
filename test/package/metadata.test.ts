import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolders } from "../../scripts/packages/packages";
import { repositoryRoot } from "../realEngine/harness";

interface PublishedManifest {
  description: string;
  keywords: string[];
  author: string;
  license: string;
  homepage: string;
  bugs: { url: string };
  repository: { type: string; url: string; directory?: string };
  publishConfig: { access: string; provenance: boolean };
}

const manifests = packageFolders.map((folder) => ({
  folder,
  manifest: JSON.parse(readFileSync(join(repositoryRoot, folder, "package.json"), "utf8")) as PublishedManifest,
}));

/** The address of the repository. This package.json decides; every other file has to agree. */
const address = manifests[0]?.manifest.repository.url.replace(/^git\+|\.git$/g, "") ?? "";

const notOurs = ["node_modules", "dist", ".git", ".webextract", "package-lock.json"];

/** The text files of the repository, as paths relative to it. */
function filesBelow(folder: string): string[] {
  return readdirSync(join(repositoryRoot, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (notOurs.includes(entry.name)) return [];
    if (entry.isDirectory()) return filesBelow(path);
    return /\.(md|ts|json|ya?ml)$/.test(entry.name) ? [path] : [];
  });
}

describe("the metadata of the packages", () => {
  for (const { folder, manifest } of manifests) {
    it(`names repository, home page, issues and author in ${join(folder, "package.json")}`, () => {
      const directory = folder === "." ? undefined : folder;
      assert.deepEqual(
        { ...manifest.repository, directory: manifest.repository.directory },
        { type: "git", url: `git+${address}.git`, directory },
      );
      assert.equal(manifest.homepage, `${address}${directory ? `/tree/main/${directory}` : ""}#readme`);
      assert.equal(manifest.bugs.url, `${address}/issues`);
      assert.equal(manifest.author, "The pulumi-webextract authors");
      assert.equal(manifest.license, "Apache-2.0");
      assert.ok(manifest.description.length > 40);
    });

    it(`can be found in the registry and is published with provenance: ${join(folder, "package.json")}`, () => {
      for (const keyword of ["pulumi", "web-scraping"]) assert.ok(manifest.keywords.includes(keyword), keyword);
      assert.deepEqual(manifest.publishConfig, { access: "public", provenance: true });
    });
  }

  it("describes the package as a dynamic provider", () => {
    assert.ok(manifests[0]?.manifest.keywords.includes("pulumi-provider"));
  });

  it("has the same address of the repository in all files", () => {
    assert.match(address, /^https:\/\/github\.com\/[\w-]+\/[\w-]+$/);
    const name = address.split("/").at(-1);
    const others = filesBelow(".").flatMap((file) => {
      const text = readFileSync(join(repositoryRoot, file), "utf8");
      const found = text.matchAll(new RegExp(`github\\.com[/:][\\w.-]+/${name}\\b`, "g"));
      return [...found]
        .filter(([place]) => `https://${place.replace(":", "/")}` !== address)
        .map(([place]) => `${file}: ${place}`);
    });
    assert.deepEqual(others, []);
  });
});
