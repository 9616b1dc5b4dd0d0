import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Emulator } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { slowIt } from "../../environment";
import { findInText, repositoryRoot } from "../harness";
import { keptVersions, secrets, UpgradeStack } from "../upgrade/upgradeStack";
import { template, World } from "../world";
import { pluginFolder } from "./nativeWorld";

const cli = `${process.execPath} ${join(repositoryRoot, "dist/cli/main.js")}`;
const isWrite = (operation: string): boolean => !/^(get|refreshToken)/.test(operation);

for (const version of keptVersions()) {
  describe(`a stack that version ${version} made, with the classes on the native plugin`, function () {
    this.timeout(240_000);
    let scratch: string;
    let stack: UpgradeStack;
    before(async () => {
      scratch = mkdtempSync(join(tmpdir(), "webextract-classes-"));
      stack = await UpgradeStack.restore(join(version, "whole"), { leanSdk: true, path: [pluginFolder()] }, scratch);
    });
    after(async () => {
      await stack.remove();
      rmSync(scratch, { recursive: true, force: true });
    });
    const types = (): string[] => [...new Set(stack.project.state().resources.map(({ type }) => type))];
    const unchanged = async (command: "up" | "refresh"): Promise<void> => {
      const { project } = stack;
      await (command === "up"
        ? project.up({ args: ["--expect-no-changes"] })
        : project.refresh({ args: ["--expect-no-changes"] }));
    };

    const migrate = async (to: "native" | "dynamic"): Promise<void> => {
      await stack.project.shell(`${cli} migrate --stack dev --to ${to} --yes`);
      await stack.project.configure({ "webextract:native": String(to === "native") });
    };
    const isOfPlugin = (type: string): boolean => type.startsWith("webextract:");
    const isDynamic = (type: string): boolean => type.startsWith("pulumi-nodejs:");

    it("moves by the alias alone: without a change, a request or a secret, and is refreshed", async () => {
      await stack.project.configure({ "webextract:native": "true" });
      await unchanged("up");
      assert.deepEqual(stack.operations(), []);
      assert.ok(types().includes("webextract:index:ExtractionTask") && !types().some(isDynamic));
      const state = JSON.stringify(stack.project.state());
      assert.deepEqual(findInText("state", state, Object.values(secrets)), []);
      await unchanged("refresh");
      assert.deepEqual(stack.operations().filter(isWrite), []);
    });

    slowIt(
      "is migrated back and to the plugin again, without a change and without a request, and is destroyed",
      async () => {
        await migrate("dynamic");
        await unchanged("up");
        assert.ok(!types().some(isOfPlugin));
        assert.deepEqual(stack.operations(), []);
        await migrate("native");
        await unchanged("up");
        assert.ok(!types().some(isDynamic));
        assert.deepEqual(stack.operations(), []);
        const copy = stack.project.resource("copy").id ?? "";
        await stack.project.destroy();
        assert.deepEqual(stack.project.state().resources, []);
        assert.equal(stack.emulator.inspect.rows(copy).length, 0);
      },
    );
  });
}

const twoAccounts = `
const { Provider } = require("pulumi-webextract");
const config = new pulumi.Config();
for (const account of ["one", "two"]) {
  const provider = new Provider(account, { baseUrl: config.require(account), accessToken: "token-of-" + account, apiKey: "key-of-" + account });
  const copy = new TaskCopy(account, { sourceTaskId: "template-1", taskGroupId: "group-1" }, { provider });
  const group = new pulumi.ComponentResource("test:index:Group", account, {}, { providers: [provider] });
  new TaskParameters(account, {
    taskId: copy.id, actions: { open: { actionType: "NavigateAction", properties: { Wait: 3 } } },
  }, { parent: group });
}
`;

describe("the classes with providers that the program declares", function () {
  this.timeout(240_000);

  slowIt(
    "use the account of each provider, a change of which changes nothing else, and whose credentials are encrypted in the state",
    async () => {
      const world = await World.create({ program: twoAccounts, withCredentials: false, path: [pluginFolder()] });
      const account = (name: string) => ({
        credentials: { accessToken: `token-of-${name}`, refreshToken: `refresh-of-${name}`, apiKey: `key-of-${name}` },
      });
      const services = await Promise.all(
        ["one", "two"].map(
          async (name) => [name, await startEmulator({ seed: { ...template, ...account(name) } })] as const,
        ),
      );
      const copiesAt = (emulator: Emulator) => emulator.inspect.tasks().filter(({ taskId }) => taskId !== "template-1");
      try {
        const { project } = world;
        await project.configure(Object.fromEntries(services.map(([name, { url }]) => [`test:${name}`, url])));
        // The program needs no service beside those of its providers.
        await project.run(["config", "rm", "webextract:baseUrl"]);
        await project.up();
        for (const [name, emulator] of services) {
          const [copy, ...others] = copiesAt(emulator);
          assert.equal(
            copy?.taskId,
            project.state().resources.find(({ urn }) => urn.endsWith(`TaskCopy::${name}`))?.id,
          );
          assert.deepEqual(others, []);
          assert.equal(copy?.actions[0]?.properties.Wait, "3");
        }
        assert.deepEqual(project.findWritten(["token-of-one", "token-of-two", "key-of-one", "key-of-two"]), []);
        for (const [, emulator] of services) {
          emulator.clearRequests();
        }
        world.program(twoAccounts.replace('"token-of-" +', '"newer-token-of-" +'));
        const { changeSummary } = await project.previewJson();
        assert.deepEqual(changeSummary, { same: 7, update: 2 }, "the providers are updated, and nothing else");
        assert.deepEqual(
          services.flatMap(([, emulator]) => emulator.requests),
          [],
        );
      } finally {
        await world.remove();
        await Promise.all(services.map(([, emulator]) => emulator.close()));
      }
    },
  );

  it("refuse a second provider of an account in a preview, in any spelling, and beside the engine's own provider", async () => {
    const oneAccount = (providers: string) => `
const { Provider } = require("pulumi-webextract");
const baseUrl = new pulumi.Config("webextract").require("baseUrl");
const account = { accessToken: "token-of-one", apiKey: "key-of-one" };
const copyBy = (name, provider) => new TaskCopy(name, { sourceTaskId: "template-1", taskGroupId: "group-1" }, { provider });
${providers}
`;
    const credentials = { accessToken: "token-of-one", refreshToken: "refresh-of-one", apiKey: "key-of-one" };
    const world = await World.create({
      program:
        oneAccount(`for (const [name, url] of [["a", baseUrl], ["b", baseUrl.replace("http:", "HTTP:") + "/."]]) {
        copyBy(name, new Provider(name, { ...account, baseUrl: url }));
      }`),
      withCredentials: false,
      emulator: { seed: { ...template, credentials } },
      path: [pluginFolder()],
    });
    try {
      const { project, emulator } = world;
      const names = /the providers "a" and "b" have the same account\..*Use one provider for one account/;
      assert.match((await project.preview({ expect: "failure" })).output, names);
      world.program(oneAccount(`copyBy("a", new Provider("a", { ...account, baseUrl })); copyBy("mine");`));
      const env = { WEBEXTRACT_ACCESS_TOKEN: "token-of-one", WEBEXTRACT_API_KEY: "key-of-one" };
      await project.configure({ "webextract:native": "true" });
      const { output } = await project.preview({ expect: "failure", env });
      assert.match(output, /the providers "a" and "default\w*" have the same account/);
      assert.deepEqual(emulator.requests, []);
      await project.configure({ "webextract:native": "false" });
      const mixed = await project.preview({ expect: "failure", env });
      assert.match(mixed.output, /the provider "a" of the plugin and dynamic resources have the same account\./);
      assert.deepEqual(emulator.requests, []);
      await project.preview({ env: { ...env, WEBEXTRACT_ACCESS_TOKEN: "token-of-two" } });
      await project.configure({ "webextract:native": "true" });
      // An account of its own for each is no second one.
      await project.preview({ env: { ...env, WEBEXTRACT_ACCESS_TOKEN: "token-of-two" } });
    } finally {
      await world.remove();
    }
  });
});
