import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import semver from "semver";
import { repositoryRoot } from "../realEngine/harness";
import { lowestNodes } from "./supportedNodes";

interface LockFile {
  packages: Record<string, { engines?: { node?: string }; resolved?: string }>;
}

function read<T>(file: string): T {
  return JSON.parse(readFileSync(join(repositoryRoot, file), "utf8"));
}

describe("the Node.js versions that the packages declare", () => {
  it("are the same for both packages", () => {
    const [provider, emulator] = ["package.json", "emulator/package.json"].map(
      (file) => read<{ engines: { node: string } }>(file).engines.node,
    );
    assert.equal(emulator, provider);
  });

  it("include the lowest version of each tested major version, and not the version before it", () => {
    const declared = read<{ engines: { node: string } }>("package.json").engines.node;
    for (const version of lowestNodes) assert.ok(semver.satisfies(version, declared), version);
    for (const version of ["20.18.3", "22.11.0"]) assert.ok(!semver.satisfies(version, declared), version);
  });

  it("suit every package that npm installs, so that npm ci prints no EBADENGINE warning", () => {
    const refusals = Object.entries(read<LockFile>("package-lock.json").packages).flatMap(([path, { engines }]) =>
      lowestNodes
        .filter((version) => engines?.node !== undefined && !semver.satisfies(version, engines.node))
        .map((version) => `${path} needs Node.js ${engines?.node}, not ${version}`),
    );
    assert.deepEqual(refusals, []);
  });
});
