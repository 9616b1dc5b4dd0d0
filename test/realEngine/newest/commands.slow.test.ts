import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newest, packagesIn } from "../harness";
import { World } from "../world";

const program = (url: string, extra = ""): string => `
const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1", forceDestroy: true });
const settings = new TaskActionConfig("settings", { taskId: copy.id, actions: {
  open: { actionType: "NavigateAction", properties: { Url: "${url}" } } } });
const run = new CloudRun("run", { taskId: copy.id, rerunOn: [settings], waitFor: "finished", pollSeconds: 0.1 });
new DataExport("rows", { taskId: copy.id, scope: "batch", lotNo: run.id, path: "rows-{lotNo}.ndjson" });
${extra}`;

/** A pack that sets an argument of runs. */
const remediation = (value: string): string => `
const { PolicyPack } = require("@pulumi/policy");
new PolicyPack("fix", { policies: [{ name: "wait", description: "waits", enforcementLevel: "remediate",
  remediateResource: ({ type, props }) => (type.endsWith(":CloudRun") ? { ...props, ${value} } : undefined) }] });
`;

describe("commands of the newest engine", function () {
  this.timeout(300_000);
  let world: World;
  let sdk: string;
  before(async () => {
    const { engine, path, ...others } = await newest();
    sdk = others.sdk;
    world = await World.create({ program: program("one"), engine, sdk, path });
    await world.project.up();
    world.operations();
  });
  after(() => world.remove());

  const starts = (): number => world.copies().reduce((sum, task) => sum + world.emulator.inspect.runs(task).length, 0);
  const made = (): [number, number] => [world.copies().length, starts()];
  const urn = (name: string): string => world.project.resource(name).urn;
  const unchanged = async (): Promise<void> => {
    const { output } = await world.project.up({ args: ["--expect-no-changes"] });
    assert.doesNotMatch(output, /warning/);
    assert.deepEqual(world.operations(), []);
  };

  it("up --exclude leaves a run alone, and the next up starts it once", async () => {
    world.program(program("two"));
    await world.project.up({ args: ["--exclude", urn("run"), "--exclude-dependents"] });
    assert.deepEqual(world.operations(), ["updateActionProperties"]);
    await world.project.up();
    assert.deepEqual(made(), [1, 2]);
    world.operations();
    await unchanged();
  });

  it("up --target with --target-dependents starts the run of changed settings once", async () => {
    world.program(program("three"));
    await world.project.up({ args: ["--target", urn("settings"), "--target-dependents"] });
    assert.deepEqual(made(), [1, 3]);
    world.operations();
    await unchanged();
  });

  it("refresh --run-program writes nothing, with the configuration of today", async () => {
    await world.project.refresh({ args: ["--run-program"] });
    assert.deepEqual(
      world.operations().filter((operation) => !operation.startsWith("get")),
      [],
    );
    await unchanged();
  });

  it("preview --save-plan and up --plan start what the plan shows, and no more", async () => {
    const plan = join(world.project.root, "plan.json");
    world.program(program("four"));
    await world.project.preview({ args: ["--save-plan", plan] });
    await world.project.up({ args: ["--plan", plan] });
    assert.deepEqual(made(), [1, 4]);
    world.program(program("five"));
    world.operations();
    await world.project.up({ args: ["--plan", plan], expect: "failure" });
    assert.deepEqual(made(), [1, 4]);
    world.program(program("four"));
  });

  it("state rename keeps the run, with the new name in the program", async () => {
    await world.project.run(["state", "rename", urn("run"), "nightly", "--yes"]);
    world.program(program("four").replace('"run"', '"nightly"'));
    await unchanged();
    await world.project.run(["state", "rename", urn("nightly"), "run", "--yes"]);
    world.program(program("four"));
    await unchanged();
  });

  it("stack rename keeps the copy, the run and its label", async () => {
    const label = { WEBEXTRACT_RUN_LABEL: "night-1" };
    await world.project.up({ env: label });
    assert.deepEqual(made(), [1, 5]);
    world.operations();
    await world.project.run(["stack", "rename", "prod"]);
    const ofProd = (command: string) =>
      world.project.shell(`pulumi --stack prod --non-interactive ${command}`, { env: label });
    await ofProd("up --yes --skip-preview --expect-no-changes");
    assert.deepEqual(world.operations(), []);
    await ofProd("stack rename dev");
    await world.project.shell("pulumi stack select dev");
    await unchanged();
    assert.deepEqual(made(), [1, 5]);
  });

  it("state move hands a run to the stack of another project, which neither copies nor starts", async () => {
    const moved = ["copy", "settings", "run", "rows"].map(urn);
    const other =
      "mkdir -p ../other && cd ../other && ln -sfn ../program/node_modules node_modules && cp ../program/index.js ../program/package.json ../program/Pulumi.dev.yaml . && sed s/test/other/ ../program/Pulumi.yaml > Pulumi.yaml";
    await world.project.shell(`${other} && pulumi stack init dev --secrets-provider hashivault://test`);
    await world.project.shell(
      `pulumi state move --yes --include-parents --source organization/test/dev --dest organization/other/dev ${moved.map((each) => `'${each}'`).join(" ")}`,
    );
    const { output } = await world.project.shell(
      "cd ../other && pulumi up --yes --skip-preview --stack dev --expect-no-changes",
    );
    assert.deepEqual(made(), [1, 5], output);
    assert.deepEqual(world.operations(), [], output);
    await world.project.shell(
      `pulumi state move --yes --source organization/other/dev --dest organization/test/dev ${moved.map((each) => `'${each.replace("::test::", "::other::")}'`).join(" ")}`,
    );
    await unchanged();
  });

  it("a policy that remediates changes an option of a run without a start, and a trigger is refused", async () => {
    const pack = join(world.project.root, "pack");
    mkdirSync(join(pack, "node_modules"), { recursive: true });
    symlinkSync(packagesIn(sdk).sdk, join(pack, "node_modules", "@pulumi"), "junction");
    writeFileSync(join(pack, "PulumiPolicy.yaml"), "runtime: node\n");
    writeFileSync(join(pack, "package.json"), '{"main": "index.js", "version": "1.0.0"}');
    // The host that is built from Go modules cannot start packs. The newest engine starts a program in place of one.
    const starter = join(pack, "start");
    const run = `$(node -p "require.resolve('@pulumi/pulumi/cmd/run-policy-pack')")`;
    writeFileSync(starter, `#!/bin/sh\ncd ${pack} && exec node "${run}" "$1" ${pack}\n`, { mode: 0o755 });
    const up = (value: string, expect: "success" | "failure" = "success") => {
      writeFileSync(join(pack, "index.js"), remediation(value));
      return world.project.up({ args: ["--policy-pack", starter], expect });
    };
    await up('onDelete: "stop"');
    assert.equal(world.project.resource("run").inputs?.onDelete, "stop");
    assert.deepEqual(made(), [1, 5]);
    // The engine drops what the policy has changed when it replaces the run, so each up would start one.
    for (const _attempt of ["first", "second"]) {
      const { output } = await up('onDelete: "stop", triggers: ["of the policy"]', "failure");
      assert.match(output, /A policy changes the triggers of the run of task/);
      assert.deepEqual(made(), [1, 5]);
    }
    await up('onDelete: "stop"');
    assert.deepEqual(made(), [1, 5]);
  });

  it("destroy --run-program ends everything, with the configuration of today", async () => {
    const { output } = await world.project.destroy({ args: ["--run-program"] });
    assert.match(output, /stays at the service/);
    assert.deepEqual(world.project.state().resources, []);
    assert.deepEqual(made(), [1, 5]);
  });
});

describe("a stack that is renamed by the newest engine", function () {
  this.timeout(300_000);

  it("keeps its tokens, although the refresh token of its configuration is used up", async () => {
    const { engine, path, sdk } = await newest();
    const emulator = { behaviour: { refreshRotation: "oldDies" } } as const;
    const world = await World.create({ program: program("one"), engine, sdk, path, withCredentials: false, emulator });
    try {
      await world.project.configure({}, { "webextract:refreshToken": world.emulator.credentials.refreshToken });
      await world.project.up();
      world.emulator.change.expireAccessTokens();
      await world.project.run(["stack", "rename", "prod"]);
      world.program(program("two"));
      await world.project.shell("pulumi --stack prod --non-interactive up --yes --skip-preview");
      assert.ok(world.operations().includes("refreshToken"));
      const starts = world.copies().map((task) => world.emulator.inspect.runs(task).length);
      assert.deepEqual(starts, [2]);
    } finally {
      await world.remove();
    }
  });
});
