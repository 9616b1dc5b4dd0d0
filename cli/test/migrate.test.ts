import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CliError, migratedState } from "./internals/cli";
import { fakePulumi, useCliWorld } from "./webextract";

interface Resource extends Record<string, unknown> {
  urn: string;
  id?: string;
  type: string;
  provider?: string;
  inputs?: Record<string, unknown>;
}

interface Exported {
  version: number;
  deployment: { resources: Resource[]; pending_operations?: unknown[] };
}

/** A state of all classes, with secrets, as an engine wrote it. */
const fixture = join(__dirname, "../../test/realEngine/upgrade/fixtures/0.1.0/whole/stack.json");
const recorded = (): Exported => JSON.parse(readFileSync(fixture, "utf8"));

const urnOf = (types: string, name: string): string => `urn:pulumi:dev::upgrade::${types}::${name}`;
const dynamic = "pulumi-nodejs:dynamic/webextract";
const isOfProvider = ({ type }: Resource): boolean => type.startsWith("pulumi:providers:");

function migrated(exported: unknown, to: "native" | "dynamic" = "native"): Exported {
  return migratedState(exported, to, "0.1.0").state as unknown as Exported;
}

function refusal(exported: unknown, to: "native" | "dynamic" = "native"): string {
  try {
    migrated(exported, to);
  } catch (error) {
    assert.ok(error instanceof CliError);
    return error.message;
  }
  return assert.fail("it was converted");
}

describe("webextract migrate", () => {
  describe("converts a state", () => {
    it("of all classes to native resources of one provider, with the configuration and the encrypted secrets", () => {
      const before = recorded();
      const { resources } = migrated(before).deployment;
      const text = JSON.stringify(resources);
      assert.doesNotMatch(text, /pulumi-nodejs|__provider/);
      const [provider, ...others] = resources.filter(isOfProvider);
      assert.deepEqual(others, []);
      assert.equal(provider?.urn, urnOf("pulumi:providers:webextract", "default_0_1_0"));
      const earlier = before.deployment.resources.find(isOfProvider)?.inputs ?? {};
      assert.deepEqual(provider?.inputs, {
        actionTypes: earlier["webextract:actionTypes"],
        baseUrl: earlier["webextract:baseUrl"],
        profiles: earlier["webextract:profiles"],
        version: "0.1.0",
      });
      const own = resources.filter(({ type }) => type.startsWith("webextract:index:"));
      const classes = new Set(own.map(({ type }) => type));
      assert.equal(classes.size, 9);
      for (const each of own) {
        assert.equal(each.provider, `${provider?.urn}::${provider?.id}`);
      }
      assert.ok(resources.findIndex(isOfProvider) < resources.findIndex(({ provider: name }) => name !== undefined));
    });

    it("and back: nothing else is lost", () => {
      const before = recorded().deployment.resources;
      const [provider] = before.filter(isOfProvider);
      const after = migrated(migrated(recorded()), "dynamic").deployment.resources;
      const [again] = after.filter(isOfProvider);
      const asBefore = JSON.parse(
        JSON.stringify(after.filter((each) => !isOfProvider(each))).replaceAll(String(again?.id), String(provider?.id)),
      );
      assert.deepEqual(
        asBefore,
        before.filter((each) => !isOfProvider(each)),
      );
    });

    it("with parents, children of other packages, dependencies and resources that are still to be deleted", () => {
      const exported = recorded();
      const { resources } = exported.deployment;
      const reference = resources.find(({ type }) => type === `${dynamic}:TaskCopy`)?.provider;
      const parent = urnOf(`my:index:Group$${dynamic}:TaskCopy`, "parent");
      const child = urnOf(`my:index:Group$${dynamic}:TaskCopy$random:index/pet:Pet`, "child");
      const common = { provider: reference, custom: true, inputs: {}, outputs: { stateVersion: 2 } };
      resources.push(
        { ...common, urn: parent, id: "1", type: `${dynamic}:TaskCopy` },
        { ...common, urn: parent, id: "0", type: `${dynamic}:TaskCopy`, delete: true },
        {
          urn: child,
          type: "random:index/pet:Pet",
          provider: "urn:pulumi:dev::upgrade::pulumi:providers:random::default::1",
          parent,
          dependencies: [parent],
          propertyDependencies: { name: [parent] },
          deletedWith: parent,
          inputs: { text: `not ${parent}` },
        },
      );
      const found = migrated(exported).deployment.resources.slice(-3);
      const newParent = urnOf("my:index:Group$webextract:index:TaskCopy", "parent");
      assert.deepEqual(
        found.map(({ urn, id }) => [urn, id]),
        [
          [newParent, "1"],
          [newParent, "0"],
          [urnOf("my:index:Group$webextract:index:TaskCopy$random:index/pet:Pet", "child"), undefined],
        ],
      );
      assert.deepEqual(found[2], {
        ...resources.at(-1),
        urn: found[2]?.urn,
        parent: newParent,
        dependencies: [newParent],
        propertyDependencies: { name: [newParent] },
        deletedWith: newParent,
      });
    });

    it("with protection, aliases, the id of a lost response, and the names of other stacks", () => {
      const exported = recorded();
      const { resources } = exported.deployment;
      const [copy] = resources.filter(({ type }) => type === `${dynamic}:TaskCopy`);
      assert.ok(copy);
      const elsewhere = copy.urn.replace("urn:pulumi:dev::", "urn:pulumi:prod::");
      const kept = {
        id: "unknown-7f0b2c",
        protect: true,
        retainOnDelete: true,
        initErrors: ["The response was lost."],
        aliases: [urnOf("my:index:Old", "earlier")],
      };
      resources.push({ ...copy, ...kept, urn: `${copy.urn}2`, inputs: { ...copy.inputs, other: elsewhere } });
      const after = migrated(exported);
      const moved = after.deployment.resources.at(-1) ?? {};
      assert.deepEqual({ ...moved, ...kept }, moved);
      assert.equal((moved as Resource).inputs?.other, elsewhere);
      const back = migrated(after, "dynamic").deployment.resources.at(-1) ?? {};
      assert.deepEqual({ ...back, ...kept, urn: `${copy.urn}2` }, back);
    });

    it("and keeps the provider of dynamic resources of other packages", () => {
      const exported = recorded();
      const { resources } = exported.deployment;
      const provider = resources.find(({ type }) => type === `${dynamic}:TaskCopy`)?.provider;
      const other = { urn: urnOf("pulumi-nodejs:dynamic:Resource", "x"), type: "pulumi-nodejs:dynamic:Resource" };
      resources.push({ ...other, provider, inputs: { __provider: "text" } });
      const after = migrated(exported).deployment.resources;
      assert.deepEqual(
        after.filter(isOfProvider).map(({ type }) => type),
        ["pulumi:providers:pulumi-nodejs", "pulumi:providers:webextract"],
      );
      assert.deepEqual(after.at(-1)?.inputs, { __provider: "text" });
    });

    it("and leaves dynamic resources of the program whose types look like those of the package", () => {
      const exported = recorded();
      const { resources } = exported.deployment;
      const provider = resources.find(({ type }) => type === `${dynamic}:TaskCopy`)?.provider;
      const inputs = { __provider: "text of the program" };
      const mine = { urn: urnOf(`${dynamic}:Mine`, "mine"), type: `${dynamic}:Mine`, provider, inputs };
      const child = urnOf(`${dynamic}:Mine$${dynamic}:TaskCopy`, "child");
      resources.push(mine, { ...mine, urn: child, type: `${dynamic}:TaskCopy`, parent: mine.urn });
      const { state, counts } = migratedState(exported, "native", "0.1.0");
      assert.equal(counts.has("Mine"), false);
      const [kept, moved] = (state as unknown as Exported).deployment.resources.slice(-2);
      assert.deepEqual(kept, mine);
      assert.equal(moved?.urn, urnOf(`${dynamic}:Mine$webextract:index:TaskCopy`, "child"));
      const onlyMine = { ...exported, deployment: { resources: [resources[0], mine] } };
      assert.equal(migratedState(onlyMine, "native", "0.1.0").counts.size, 0);
    });

    it("only if it is sure of it", () => {
      assert.match(refusal({}), /is not what "pulumi stack export" prints\. Nothing was changed/);
      assert.match(refusal({ ...recorded(), version: 5 }), /format 5 of a newer engine/);
      const pending = recorded();
      pending.deployment.pending_operations = [{ type: "creating" }];
      assert.match(refusal(pending), /pending operations.*pulumi refresh/);
      const [copy] = recorded().deployment.resources.filter(({ type }) => type === `${dynamic}:TaskCopy`);
      assert.ok(copy);
      const newer = recorded();
      newer.deployment.resources.push({ ...copy, urn: `${copy.urn}2`, outputs: { stateVersion: 3 } });
      assert.match(refusal(newer), /^TaskCopy "copy2" was written by a newer version/);
      const twice = recorded();
      twice.deployment.resources.push({ ...copy, urn: urnOf("webextract:index:TaskCopy", "copy") });
      assert.match(refusal(twice), /^TaskCopy "copy" is in the state under both types/);
      const explicit = migrated(recorded());
      explicit.deployment.resources.push({
        ...copy,
        urn: urnOf("webextract:index:TaskCopy", "other"),
        provider: `${urnOf("pulumi:providers:webextract", "second")}::1`,
      });
      assert.match(
        refusal(explicit, "dynamic"),
        /explicit provider.*\nRemove the option provider, .*"pulumi up" first\.\n/,
      );
      for (const name of ["default", "default_shop"]) {
        const called = migrated(recorded());
        const type = "pulumi:providers:webextract";
        const urn = urnOf(type, name);
        called.deployment.resources.push({ urn, type, id: "2", custom: true, parent: "urn:stack" } as never, {
          ...copy,
          urn: urnOf("webextract:index:TaskCopy", "other"),
          provider: `${urn}::2`,
        });
        assert.match(refusal(called, "dynamic"), /^TaskCopy "other" has an explicit provider/);
      }
    });
  });

  describe("on the command line", () => {
    const world = useCliWorld();
    let env: Record<string, string | undefined>;
    beforeEach(() => {
      writeFileSync(world.path("state.json"), readFileSync(fixture));
      const path = fakePulumi(
        world,
        `const fs = require("node:fs");
const [, what] = process.argv.slice(2);
if (what === "export") {
  process.stdout.write(fs.readFileSync("state.json"));
} else if (fs.existsSync("refuses")) {
  console.error("error: the stack is locked");
  process.exitCode = 255;
} else {
  fs.writeFileSync("state.json", fs.readFileSync(0));
}`,
      );
      env = { PATH: path };
    });

    const state = (): Exported => JSON.parse(readFileSync(world.path("state.json"), "utf8"));
    const copies = (): string[] => readdirSync(world.folder).filter((name) => name.startsWith(".webextract-state-"));

    it("replaces the state and keeps a copy that only its owner can read", async () => {
      const ended = await world.run("migrate --stack dev --yes", env);
      assert.equal(ended.code, 0, ended.stderr);
      assert.match(ended.stdout, /^Converted 2 CloudRun, .*2 TaskCopy.* Run "pulumi up" before other changes\.$/m);
      assert.doesNotMatch(JSON.stringify(state()), /pulumi-nodejs/);
      const [copy = ""] = copies();
      assert.deepEqual(JSON.parse(readFileSync(world.path(copy), "utf8")), recorded());
      assert.equal(statSync(world.path(copy)).mode & 0o777, 0o600);
      assert.ok(ended.stdout.includes(copy));
      const again = await world.run("migrate --stack dev --yes", env);
      assert.match(again.stdout, /has nothing to convert/);
      assert.deepEqual(world.operations(), []);
    });

    it("changes nothing without a yes", async () => {
      const ended = await world.run("migrate --stack dev", env);
      assert.equal(ended.code, 2);
      assert.match(ended.stderr, /Turn .* of stack "dev" into resources of the native plugin\?.*Use --yes/);
      assert.deepEqual([state(), copies()], [recorded(), []]);
    });

    it("says where the state before is if Pulumi refuses the new one", async () => {
      writeFileSync(world.path("refuses"), "");
      const ended = await world.run("migrate --stack dev --yes", env);
      assert.equal(ended.code, 1);
      assert.match(
        ended.stderr,
        /stack import ended with 255: the stack is locked\. .*The state before is in \.webextract-state-dev-/,
      );
      assert.equal(copies().length, 1);
    });
  });
});
