import assert from "node:assert/strict";
import { slowIt } from "../environment";
import { Project } from "./harness";

const program = `
const config = new (require("@pulumi/pulumi").Config)();
if (config.require("value") === "refused") throw new Error("the value is refused");
exports.password = config.requireSecret("password");
`;

/** Otherwise the tests on the engine would pass whatever happens. */
describe("the harness", () => {
  const password = "a very secret ünicode password";
  let project: Project;

  before(async () => {
    project = await Project.create({
      program,
      config: { "test:value": "refused" },
      secrets: { "test:password": password },
    });
  });

  after(() => project.remove());

  it("rejects with the output after an unexpected failure", async () => {
    await assert.rejects(project.up(), /the value is refused/);
  });

  it("rejects after an unexpected success, and finds what is written in clear text", async () => {
    await project.configure({ "test:value": "first" });
    await assert.rejects(project.up({ expect: "failure" }), /expected failure/);
    assert.deepEqual([project.findWritten([password]), project.findWritten(["first"]).length > 0], [[], true]);
  });

  slowIt("changes how the engine collects its garbage only for a test, not for a measurement", async () => {
    const print = 'echo "garbage: $GOGC."';
    assert.match((await project.shell(print)).stdout, /garbage: 400\./);
    const measured = await Project.create({ program, leanSdk: false });
    const { stdout } = await measured.shell(print);
    await measured.remove();
    assert.match(stdout, /garbage: \./);
  });
});
