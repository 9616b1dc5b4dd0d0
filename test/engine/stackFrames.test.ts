import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import * as pulumi from "@pulumi/pulumi";
import sinon from "sinon";
import { TaskCopy } from "../../src/index";

interface Position {
  getUri(): string;
}

interface Request {
  getName(): string;
  getSourceposition(): Position;
  getStacktrace(): { getFramesList(): { getPc(): Position | undefined }[] };
}

/** Runs a program against mocks. Answers, by name, where each resource stands and the files of its callers; "" is a caller that has none. */
async function run(program: () => void): Promise<Record<string, { file: string; callers: string[] }>> {
  await pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => ({ id: name, state: inputs }),
    call: () => ({}),
  });
  const monitor = pulumi.runtime.getMonitor() as unknown as { registerResource(request: Request): unknown };
  const registrations = sinon.spy(monitor, "registerResource");
  await pulumi.runtime.runInPulumiStack(async () => program());
  await (pulumi.runtime as unknown as { waitForRPCs(): Promise<void> }).waitForRPCs();
  return Object.fromEntries(
    registrations.args.map(([request]) => {
      const frames = request.getStacktrace().getFramesList();
      const callers = frames.map((frame) => frame.getPc()?.getUri() ?? "");
      return [request.getName(), { file: request.getSourceposition()?.getUri(), callers }];
    }),
  );
}

const here = pathToFileURL(__filename).href;
const copy = (name: string): TaskCopy => new TaskCopy(name, { sourceTaskId: "s", taskGroupId: "g" });
/** Of another package. */
class Foreign extends pulumi.CustomResource {
  constructor(name: string) {
    super("other:index:Thing", name);
  }
}

describe("the source position of a resource", () => {
  it("is the line in the program, with callers in the program only", async () => {
    const { direct, nested } = await run(() => {
      copy("direct");
      const component = (): TaskCopy => copy("nested");
      component();
    });
    assert.equal(direct?.file, here);
    assert.equal(nested?.file, here);
    assert.deepEqual([...new Set(nested?.callers)], [here]);
    assert.equal(nested?.callers.length, (direct?.callers.length ?? 0) + 1);
  });

  it("stays unchanged for resources of other packages, even after the constructor of a resource failed", async () => {
    const limit = Error.stackTraceLimit;
    const { first, second, third, last } = await run(() => {
      for (const name of ["first", "second", "third"]) {
        new Foreign(name);
        copy(`copy-${name}`);
      }
      assert.throws(() => copy(""), /name/);
      copy("last");
    });
    assert.ok(first?.callers.some((file) => file.includes("/node_modules/")));
    assert.deepEqual(second, first);
    assert.deepEqual(third, first);
    assert.equal(last?.file, here);
    assert.equal(Error.stackTraceLimit, limit);
  });
});
