import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import sinon from "sinon";
import { CloudRun, DataExport } from "../../src/index";

describe("the warning of an export that takes lotNo from a run with waitFor started", () => {
  const sandbox = sinon.createSandbox();
  afterEach(() => sandbox.restore());

  /** The warnings of a program. */
  async function warningsOf(program: () => void): Promise<string[]> {
    const warn = sandbox.stub(pulumi.log, "warn").resolves();
    await pulumi.runtime.setMocks({
      newResource: ({ name, inputs }) => ({ id: `${name}-id`, state: inputs }),
      call: () => ({}),
    });
    await pulumi.runtime.runInPulumiStack(async () => {
      program();
    });
    await (pulumi.runtime as unknown as { waitForRPCs(): Promise<void> }).waitForRPCs();
    const warnings = warn.getCalls().map(({ args: [message] }) => message);
    sandbox.restore();
    return warnings;
  }
  const run = (args: object = {}): CloudRun => new CloudRun("run", { taskId: "task-1", ...args });
  const rows = (lotNo: pulumi.Input<string>, name = "rows"): DataExport =>
    new DataExport(name, { taskId: "task-1", scope: "batch", lotNo, path: name });
  const expected =
    'DataExport "rows" takes lotNo from CloudRun "run", which does not wait for the end of the run (waitFor: "started"). ' +
    'So the export may read before all rows are there. Set waitFor: "finished" on CloudRun "run".';

  it("names both and the remedy, whatever form lotNo has", async () => {
    assert.deepEqual(await warningsOf(() => rows(run().id)), [expected]);
    assert.deepEqual(await warningsOf(() => rows(run({ waitFor: pulumi.output("started") }).lotNo)), [expected]);
  });

  it("is not given if the run has waitFor finished, is a static get, or is not declared", async () => {
    assert.deepEqual(await warningsOf(() => rows(run({ waitFor: "finished" }).id)), []);
    assert.deepEqual(await warningsOf(() => rows(run({ waitFor: pulumi.output("finished") }).id)), []);
    assert.deepEqual(await warningsOf(() => rows(CloudRun.get("run", "1", { taskId: "task-1" }).id)), []);
    assert.deepEqual(await warningsOf(() => void [run(), rows("1")]), []);
  });

  it("is given once", async () => {
    const warnings = await warningsOf(() => {
      const { id } = run();
      rows(id);
      rows(id, "more");
    });
    assert.deepEqual(warnings, [expected]);
  });
});
