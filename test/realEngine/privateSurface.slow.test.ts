import assert from "node:assert/strict";
import { join } from "node:path";
import { World } from "./world";

/** Possible changes of private parts in a later SDK: name -> replacement of the module. test/engine/log.test.ts has more of them in the client of the log. */
const breakages: Readonly<Record<string, string>> = {
  "the client of the log throws":
    "engine_grpc_pb: () => ({ EngineClient: class { log() { throw new TypeError(); } } })",
  "requests have other classes": "provider_pb: () => ({})",
  "requests do not name the resource": `provider_pb: (real) => {
    for (const each of Object.values(real)) if (each?.prototype?.getUrn) delete each.prototype.getUrn;
    return real;
  }`,
};

/** Changes of the parts that the package uses in the program. */
const breakageOfProgram = `dependsOn: () => ({}), state: () => { throw new Error("no such module"); }`;

/** Replaces modules of the SDK for the package only. The SDK's own files import them by other paths. */
const breaking = `
require(${JSON.stringify(join(__dirname, "harness", "leanSdk.js"))});
const Module = require("node:module");
const breakages = { program: { ${breakageOfProgram} }, ${Object.values(breakages)
  .map((each, index) => `${index}: { ${each} }`)
  .join(",\n")} };
const broken = breakages[process.env.BREAKAGE] ?? {};
const load = Module._load;
Module._load = function (request, ...rest) {
  const name = /^@pulumi\\/pulumi\\/(?:proto|runtime)\\/(\\w+)$/.exec(request)?.[1];
  const loaded = load.call(this, request, ...rest);
  return name in broken ? broken[name](loaded) : loaded;
};
`;

const copies = Object.keys(breakages).map((_about, index) => `copy${index}`);

/** Declares the copies without the first `gone`. The last copy always stays, so that the package is loaded before the first delete. */
function program(gone: number): string {
  return ["intact", ...copies, "last"]
    .slice(gone)
    .map((name) => `new TaskCopy("${name}", { sourceTaskId: "template-1", taskGroupId: "group-1" });`)
    .join("\n");
}

describe("changed private parts of the SDK", () => {
  let world: World;
  before(async () => {
    world = await World.create({ program: program(0) });
    world.project.write("break.js", breaking);
    await world.project.up();
  });
  after(() => world.remove());

  const breakBy = (breakage: string): Record<string, string> => ({
    NODE_OPTIONS: `--require ${join(world.project.folder, "break.js")}`,
    BREAKAGE: breakage,
  });

  /** Runs an up that deletes the next copy. The delete warns that the task stays. */
  const deleteNext = async (gone: number, breakage: string): Promise<string> => {
    world.program(program(gone));
    const { output } = await world.project.up({ env: breakBy(breakage) });
    assert.match(output, /- 1 deleted/);
    return output;
  };
  const warning = 'warning: Task "[^"]+" stays at the service';
  const underResource = (name: string): RegExp => new RegExp(`webextract:TaskCopy \\(${name}\\):\\n +${warning}`);

  it("are required to show a warning under its resource", async () => {
    assert.match(await deleteNext(1, "none"), underResource("intact"));
  });

  Object.keys(breakages).forEach((about, index) => {
    it(`cause no error if ${about}: the warning is shown under the stack`, async () => {
      const output = await deleteNext(index + 2, String(index));
      assert.match(output, new RegExp(`pulumi:Stack \\(test-dev\\):\\n +${warning}`));
      assert.doesNotMatch(output, underResource(`copy${index}`));
    });
  });

  describe("that the program uses", () => {
    const unchanged = program(0);

    it("cause no error: a read still waits for the resources that it names", async () => {
      world.program(`${unchanged}
        const later = new TaskCopy("later", { sourceTaskId: "template-1", taskGroupId: "group-1" });
        exports.subtasks = require("pulumi-webextract").getSubtasksOutput({ taskId: "template-1" }, { dependsOn: later });`);
      world.operations();
      const { output } = await world.project.preview({ env: breakBy("program") });
      assert.match(output, /subtasks/);
      assert.deepEqual(world.operations(), []);
    });
  });
});
