import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { slowIt } from "../environment";
import { Project } from "./harness";

/** A provider that stores one value in a file, so that the test can read it and change it without the engine. */
const provider = `
const { existsSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
const file = "remote.txt";
exports.get = () => ({
  check: async (olds, news) => ({ inputs: news }),
  diff: async () => ({}),
  create: async (inputs) => {
    if (inputs.value === "hang") {
      console.log("creating for ever");
      await new Promise((resolve) => setInterval(resolve, 1e9));
    }
    if (inputs.value === "refused") throw new Error("the value is refused");
    writeFileSync(file, inputs.value);
    return { id: "one", outs: inputs };
  },
  read: async (id, props) => {
    if (!existsSync(file)) return {};
    const now = { ...props, value: readFileSync(file, "utf8") };
    return { id, props: now, inputs: now };
  },
  update: async (id, olds, news) => {
    writeFileSync(file, news.value);
    return { outs: news };
  },
  delete: async () => rmSync(file),
});
`;

const program = `
const pulumi = require("@pulumi/pulumi");
const text = 'exports.handler=()=>require("module").createRequire(process.cwd()+"/")("./provider.js").get()';
class Thing extends pulumi.CustomResource {
  constructor(name, args) { super("pulumi-nodejs:dynamic/test:Thing", name, { ...args, __provider: text }); }
}
const config = new pulumi.Config();
new Thing("thing", { value: config.require("value") });
exports.value = config.require("value");
exports.password = config.requireSecret("password");
`;

/** Prints whether TypeScript is loaded: after the load of the SDK, and after the SDK has serialized a function. */
const serializing = `
const pulumi = require("@pulumi/pulumi");
const typescript = require("node:module").createRequire(require.resolve("@pulumi/pulumi")).resolve("typescript");
const first = typescript in require.cache;
pulumi.runtime.serializeFunction(() => "text").then(({ text }) =>
  console.log(JSON.stringify([first, typescript in require.cache, text.includes('"text"')])));
`;

describe("the harness", () => {
  const password = "a very secret ünicode password";
  let project: Project;

  before(async () => {
    project = await Project.create({
      program,
      files: { "provider.js": provider, "serializing.js": serializing },
      config: { "test:value": "first" },
      secrets: { "test:password": password },
    });
  });

  after(() => project.remove());

  const remote = () => join(project.folder, "remote.txt");

  it("rejects with the output after an unexpected failure", async () => {
    await project.configure({ "test:value": "refused" });
    await assert.rejects(project.up(), /the value is refused/);
    await project.configure({ "test:value": "first" });
  });

  it("creates the resource and reads outputs and state, and rejects after an unexpected success", async () => {
    await assert.rejects(project.up({ expect: "failure" }), /expected failure/);
    assert.equal(readFileSync(remote(), "utf8"), "first");
    assert.deepEqual(await project.outputs(), { value: "first", password });
    assert.equal(project.resource("thing").id, "one");
    assert.equal(project.state().pendingOperations.length, 0);
  });

  it("loads TypeScript only when the SDK needs it", async () => {
    const { stdout } = await project.script("serializing.js");
    assert.deepEqual(JSON.parse(stdout), [false, true, true]);
  });

  it("changes how the engine collects its garbage only for a test, not for a measurement", async () => {
    const print = 'echo "garbage: $GOGC."';
    assert.match((await project.shell(print)).stdout, /garbage: 400\./);
    const measured = await Project.create({ program, leanSdk: false });
    const { stdout } = await measured.shell(print);
    await measured.remove();
    assert.match(stdout, /garbage: \./);
  });

  it("updates after a change of the configuration, and shows the changed value", async () => {
    await project.configure({ "test:value": "second" });
    const { output } = await project.up({ args: ["--diff"] });
    assert.match(output, /~ value: "first" => "second"/);
    assert.equal(readFileSync(remote(), "utf8"), "second");
  });

  it("finds a value that another program changed", async () => {
    project.write("remote.txt", "changed by somebody");
    const { output } = await project.refresh({ args: ["--diff"] });
    assert.match(output, /"second" => "changed by somebody"/);
  });

  it("writes the secret nowhere in clear text", () => {
    assert.deepEqual(project.findWritten([password]), []);
    assert.notDeepEqual(project.findWritten(["changed by somebody"]), []);
  });

  it("destroys the resource", async () => {
    await project.destroy();
    assert.equal(existsSync(remote()), false);
    assert.deepEqual(project.state().resources, []);
  });

  describe("during a create that hangs", () => {
    before(() => project.configure({ "test:value": "hang" }));

    afterEach(async () => {
      await project.run(["cancel", "--yes"], { expect: "either" });
      await project.destroy({ expect: "either" });
    });

    slowIt("can kill the provider process, which fails the create", async () => {
      const run = project.start(["up", "--yes", "--skip-preview"]);
      await run.waitFor("creating for ever");
      run.killHosts();
      const { code } = await run.done;
      assert.equal(code !== 0 && code !== null, true);
    });

    slowIt("can kill the engine, which leaves a pending operation", async () => {
      const run = project.start(["up", "--yes", "--skip-preview"]);
      await run.waitFor("creating for ever");
      run.killAll();
      assert.equal((await run.done).code, null);
      assert.equal(project.state().pendingOperations[0]?.type, "creating");
    });
  });
});
