import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packPlugin } from "../../../scripts/plugin/packPlugin";
import type { RunResult } from "../harness";
import { newest, repositoryRoot } from "../harness";
import { World } from "../world";

const { version } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));
const password = "hunter2-of-the-task";
/** The language of inputs that needs no converter of Pulumi's releases. */
const inputs = `from = { sourceTaskId = "template-1", taskGroupId = "group-1" }
actions = { open = { actionType = "NavigateAction", properties = { Password = secret("${password}"), Wait = 7 } } }
`;

describe("pulumi do with the installed plugin", function () {
  this.timeout(300_000);
  let folder: string;
  let world: World;
  let env: Record<string, string>;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "webextract-do-"));
    const [tarball] = await packPlugin(folder);
    const { engine, path } = await newest();
    const files = { "Pulumi.yaml": "name: test\nruntime: yaml\n", "inputs.pp": inputs };
    const behaviour = { getActionsEmptyTypes: "all" } as const;
    world = await World.create({ program: "", files, install: "none", engine, path, emulator: { behaviour } });
    await world.project.shell(`pulumi plugin install resource webextract ${version} --file ${tarball}`);
    await world.project.shell("pulumi stack select dev");
    const { accessToken, apiKey } = world.emulator.credentials;
    env = {
      WEBEXTRACT_BASE_URL: world.emulator.url,
      WEBEXTRACT_ACCESS_TOKEN: accessToken,
      WEBEXTRACT_API_KEY: apiKey,
    };
  });
  after(async () => {
    await world.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** With the configuration in the environment. A command that keeps its result in the stack takes that of the stack. */
  const run = (command: string, expect: "success" | "failure" = "success"): Promise<RunResult> =>
    world.project.run(["do", ...command.split(" ")], { env, expect });
  const json = async (command: string): Promise<Record<string, unknown>> =>
    JSON.parse((await run(`${command} --output json`)).stdout);
  const start = "webextract:CloudRun create --stateless --yes --task-id template-1";
  const runs = (): number => world.emulator.inspect.runs("template-1").length;

  it("has a flag for each argument that is a string, a number or a boolean, words included", async () => {
    const { output } = await run("webextract:CloudRun create --help");
    const flags = ["task-id", "wait-for", "finished-when", "on-delete", "poll-seconds", "run-on-label"];
    assert.deepEqual(
      flags.filter((flag) => !output.includes(`--${flag} string`)),
      [],
    );
    const wrong = "--task-id template-1 --wait-for ended";
    const refused = await run(`webextract:CloudRun create --stateless --yes ${wrong}`, "failure");
    assert.match(refused.output, /waitFor: must be "started" or "finished"/);
    assert.deepEqual(world.operations(), []);
  });

  it("reads a task with its actions, without configured action types", async () => {
    const { actions } = await json("webextract:ExtractionTask read template-1");
    assert.deepEqual(Object.keys(actions as object).sort(), ["each", "open"]);
    assert.deepEqual(new Set(world.operations()), new Set(["getActions"]));
  });

  it("makes a new copy and a new run each time that it is asked to, with --stateless", async () => {
    const copy = "webextract:TaskCopy create --stateless --yes --source-task-id template-1 --task-group-id group-1";
    const ids = [await json(copy), await json(copy)].map(({ id }) => id);
    assert.deepEqual(ids, world.copies());
    // The engine writes what a wait shows to standard output too.
    const { stdout } = await run(`${start} --wait-for finished --poll-seconds 0.1 --output json`);
    assert.match(stdout, /"status": "finished"/);
    assert.equal(runs(), 1);
    const { subtasks } = await json("webextract:getSubtasks --task-id template-1");
    assert.equal((subtasks as unknown[]).length, 3);
  });

  it("starts no second run after a lost response, until it gets retry", async () => {
    world.emulator.fault({ operation: "startTask", kind: "reset", when: "after" });
    for (const _attempt of ["lost", "repeated", "repeated again"]) {
      const { output } = await run(start, "failure");
      assert.match(output, /A paid run of task "template-1" may have started/);
      assert.equal(runs(), 2);
    }
    const { output } = await run(`${start} --retry looked`);
    assert.match(output, /warning: A paid run of task "template-1" may exist/);
    assert.equal(runs(), 3);
  });

  it("takes over the run that a killed command started", async () => {
    const hold = world.emulator.hold({ operation: "startTask", when: "after" });
    const killed = world.project.start(["do", ...start.split(" ")], { env });
    await hold.reached;
    const ended = killed.killEngine();
    hold.release();
    await Promise.all([killed.done, ended]);
    world.emulator.clearFaults();
    assert.equal(runs(), 4);
    const { id } = await json(start);
    assert.equal(id, world.emulator.inspect.runs("template-1").at(-1)?.lotNo);
    assert.equal(runs(), 4);
  });

  it("removes no rows of a task that it reads, and refuses what it cannot find", async () => {
    const rows = world.emulator.inspect.rows("template-1").length;
    await run("webextract:TaskCopy delete template-1 --stateless --yes");
    assert.equal(world.emulator.inspect.rows("template-1").length, rows);
    const { output } = await run("webextract:TaskCopy read nothing", "failure");
    assert.match(output, /There is no task "nothing" at the service/);
  });

  it("keeps a resource in the stack, with the stack's configuration, and refuses the delete of a task with rows", async () => {
    const { output } = await run("webextract:ExtractionTask create books --yes --input pcl --input-file inputs.pp");
    assert.doesNotMatch(output.replaceAll(/warning: Task "[^"]*" does not show property "Password"/g, ""), /warning/);
    const { id } = world.project.resource("books");
    assert.deepEqual(world.emulator.inspect.task(String(id))?.actions[0]?.properties.Password, password);
    world.operations();
    await run("webextract:ExtractionTask upsert books --yes --input pcl --input-file inputs.pp");
    assert.deepEqual(world.operations(), []);
    await run(`webextract:CloudRun create run --yes --task-id ${id} --wait-for finished --poll-seconds 0.1`);
    const refused = await run("webextract:ExtractionTask delete books --yes", "failure");
    assert.match(refused.output, /The rows of task ".*" were not removed/);
    assert.equal(world.project.resource("books").id, id);
  });

  it("copies nothing twice in a stack after a lost response", async () => {
    const copies = world.copies().length;
    world.emulator.fault({ operation: "copyTask", kind: "reset", when: "after" });
    for (const verb of ["create", "upsert"]) {
      const copy = `${verb} lost --yes --source-task-id template-1 --task-group-id group-1`;
      const { output } = await run(`webextract:TaskCopy ${copy}`, "failure");
      assert.match(output, /A copy of task "template-1" in group "group-1" may exist/);
    }
    assert.equal(world.copies().length, copies + 1);
    await run(`webextract:TaskCopy patch lost --yes --adopt-task-id ${world.copies().at(-1)}`);
    assert.equal(world.project.resource("lost").id, world.copies().at(-1));
    assert.equal(world.copies().length, copies + 1);
  });

  it("shows no rows without --show-secrets, and neither shows nor writes a credential", async () => {
    const get = "webextract:getData --task-id template-1 --max-rows 2";
    assert.deepEqual(await json(get), { rows: "[secret]", total: "[secret]" });
    const shown = JSON.parse((await run(`${get} --show-secrets`)).stdout) as { rows: unknown[] };
    assert.equal(shown.rows.length, 2);
    const { accessToken, apiKey } = world.emulator.credentials;
    assert.deepEqual(world.project.findWritten([accessToken, apiKey]), []);
    // The page says so: the engine keeps the text of the inputs in the state as it is. The arguments of the resource are encrypted.
    assert.doesNotMatch(JSON.stringify(world.project.resource("books")), new RegExp(password));
    const elsewhere = world.project.findWritten([password]).filter(({ where }) => !/state|inputs\.pp$/.test(where));
    assert.deepEqual(elsewhere, []);
  });
});
