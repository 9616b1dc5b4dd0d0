import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { repositoryRoot } from "../../scripts/commands";

const github = join(repositoryRoot, ".github");

function read(path: string) {
  return parse(readFileSync(join(github, path), "utf8"));
}

describe("the workflows", () => {
  const folder = join(github, "workflows");
  const { jobs } = read("workflows/release.yml");
  const uses = readdirSync(folder).flatMap((file) =>
    [...readFileSync(join(folder, file), "utf8").matchAll(/^\s*-? *uses: *(.*)$/gm)].map(([, what = ""]) => ({
      file,
      what,
    })),
  );

  it("pin each action to a commit, with its version in a comment", () => {
    assert.ok(uses.length > 0);
    const loose = uses.filter(({ what }) => !/^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(what));
    assert.deepEqual(loose, []);
  });

  it("lint each workflow, also those that users copy, with a pinned zizmor", () => {
    const { steps } = read("workflows/ci.yml").jobs.workflows;
    const command = `pipx() { echo "$*"; }; ${steps.at(-1).run}`;
    const said = execFileSync("bash", ["-ec", command], { cwd: repositoryRoot, encoding: "utf8" });
    const [, linted = ""] = /^run zizmor==\d+\.\d+\.\d+ --offline --strict-collection \. (.*)$/m.exec(said) ?? [];
    const copied = ["ci/drift", "ci/nightly", "ci/pullRequest", "ci/shards", "review/review"];
    assert.deepEqual(
      linted.split(" ").sort(),
      copied.map((name) => `examples/${name}.yml`),
    );
  });

  it("run each part of all tests by night", () => {
    const { shard } = read("workflows/nightly.yml").jobs["test-all"].strategy.matrix;
    assert.deepEqual(
      shard,
      shard.map((_: string, index: number) => `${index + 1}/${shard.length}`),
    );
  });

  it("use one commit of each action", () => {
    const commits = new Map<string, Set<string>>();
    for (const { what } of uses) {
      const [action = "", commit = ""] = what.split("@");
      commits.set(action, (commits.get(action) ?? new Set()).add(commit));
    }
    const several = [...commits].filter(([, found]) => found.size > 1).map(([action]) => action);
    assert.deepEqual(several, []);
  });

  it("have only read access to the repository, except for the jobs that publish", () => {
    for (const file of readdirSync(folder)) {
      assert.deepEqual(read(`workflows/${file}`).permissions, { contents: "read" }, file);
    }
    const more = Object.entries<{ permissions?: object }>(jobs).filter(
      ([, { permissions }]) => permissions !== undefined,
    );
    assert.deepEqual(
      more.map(([name, { permissions }]) => [name, permissions]),
      [
        ["pack", { contents: "read", "id-token": "write", attestations: "write" }],
        ["publish", { contents: "read", "id-token": "write" }],
        ["pypi", { "id-token": "write" }],
        ["go-sdk", { contents: "write" }],
        ["github-release", { contents: "write" }],
        ["image", { contents: "write", packages: "write", "id-token": "write", attestations: "write" }],
      ],
    );
  });

  it("check and test before they publish, release on GitHub whether npm takes the packages or not, and install all then", () => {
    assert.ok(jobs.pack.steps.some(({ run }: { run?: string }) => run === "npm test"));
    assert.equal(jobs.publish.needs, "pack");
    for (const job of ["pypi", "go-sdk", "github-release"]) assert.equal(jobs[job].needs, "pack");
    assert.deepEqual(jobs.check.needs, ["publish", "pypi", "go-sdk", "github-release"]);
  });

  it("attest every file of a release, and need no secret of npm", () => {
    const { steps } = jobs.pack;
    const attest = steps.find(({ uses }: { uses?: string }) => uses?.startsWith("actions/attest@"));
    assert.equal(attest.with["subject-path"], "release/*.tgz\nrelease/*.tar.gz\nrelease/*.whl\n");
    assert.doesNotMatch(readFileSync(join(folder, "release.yml"), "utf8"), /secrets\./);
  });
});

describe("Dependabot", () => {
  interface Update {
    "package-ecosystem": string;
    directory?: string;
    groups: object;
    ignore?: { "dependency-name": string }[];
  }
  const { updates }: { updates: Update[] } = read("dependabot.yml");
  const find = (ecosystem: string) =>
    updates.find((each) => each["package-ecosystem"] === ecosystem && each.directory === "/");

  it("updates the packages and the actions, in groups", () => {
    for (const ecosystem of ["npm", "github-actions"]) {
      assert.ok(Object.keys(find(ecosystem)?.groups ?? {}).length > 0, ecosystem);
    }
  });

  it("does not update the pinned dependencies that contributing/packages.md explains", () => {
    const page = readFileSync(join(repositoryRoot, "contributing/packages.md"), "utf8");
    const list = /These dependencies are pinned.*\n\n((?:[- ] .*\n)+)/.exec(page)?.[1] ?? "";
    const explained = [...list.matchAll(/`([@\w/-]+)`(?=[,: ]| and)/g)].map(([, name]) => name);
    const pinned = find("npm")?.ignore?.map((each) => each["dependency-name"]) ?? [];
    assert.ok(pinned.length > 0);
    assert.deepEqual(
      pinned.filter((name) => !explained.includes(name)),
      [],
    );
    const dependencies: object = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8")).devDependencies;
    assert.deepEqual(
      explained.filter((name) => name !== undefined && name in dependencies && !pinned.includes(name)),
      [],
    );
  });
});

describe("the issue forms", () => {
  const forms = readdirSync(join(github, "ISSUE_TEMPLATE")).filter((file) => file !== "config.yml");

  for (const file of forms) {
    it(`have the fields that GitHub requires: ${file}`, () => {
      const { name, description, body } = read(`ISSUE_TEMPLATE/${file}`);
      assert.ok(name && description);
      const fields: { type: string; id?: string; attributes: { label?: string; value?: string } }[] = body;
      const ids = fields.flatMap(({ id }) => (id === undefined ? [] : [id]));
      assert.equal(new Set(ids).size, ids.length);
      for (const { type, id, attributes } of fields) {
        assert.ok(["markdown", "textarea", "input", "dropdown"].includes(type), type);
        assert.ok(type === "markdown" ? attributes.value : id && attributes.label, id);
      }
    });
  }
});
