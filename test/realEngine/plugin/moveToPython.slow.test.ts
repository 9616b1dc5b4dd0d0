import assert from "node:assert/strict";
import { join } from "node:path";
import { repositoryRoot } from "../harness";
import type { World } from "../world";
import { pluginSection } from "./nativeWorld";
import { sdkWorld } from "./sdkWorld";

const python = `
import pulumi
import pulumi_webextract as webextract

books = webextract.ExtractionTask(
    "books",
    from_=webextract.TaskSourceArgs(source_task_id="template-1", task_group_id="group-1"),
    actions={
        "open": webextract.ActionArgs(
            action_type="NavigateAction",
            properties={"Url": "https://books.test/", "Wait": pulumi.Output.secret("of-nobody-4711")},
        ),
    },
    start_urls={"urls": ["https://books.test/a", "https://books.test/b"]},
)
copy = webextract.TaskCopy("copy", source_task_id="template-1", task_group_id="group-2")
webextract.TaskLoopItems(
    "loop", task_id=copy.id, action_id="each", loop_type="UrlList", items=["https://x.test/1", "https://x.test/2"]
)
run = webextract.CloudRun("run", task_id=books.id, rerun_on=[books.id], wait_for="finished")
webextract.DataExport("rows", task_id=books.id, scope="batch", lot_no=run.id, path="rows/{lotNo}.ndjson")
`;

const classes = `
const books = new ExtractionTask("books", {
  from: { sourceTaskId: "template-1", taskGroupId: "group-1" },
  actions: {
    open: { actionType: "NavigateAction", properties: { Url: "https://books.test/", Wait: pulumi.secret("of-nobody-4711") } },
  },
  startUrls: { urls: ["https://books.test/a", "https://books.test/b"] },
});
const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-2" });
const items = ["https://x.test/1", "https://x.test/2"];
new TaskLoopItems("loop", { taskId: copy.id, actionId: "each", loopType: "UrlList", items });
const run = new CloudRun("run", { taskId: books.id, rerunOn: [books], waitFor: "finished" });
new DataExport("rows", { taskId: books.id, scope: "batch", lotNo: run.id, path: "rows/{lotNo}.ndjson" });
`;

describe("a stack of a Python program", function () {
  this.timeout(600_000);
  let world: World;
  before(async () => {
    world = await sdkWorld("python", python);
  });
  after(() => world.remove());

  it("moves to the classes and back: nothing is sent, and no preview shows a change", async () => {
    const { project } = world;
    const unchanged = async (): Promise<void> => {
      for (const command of ["preview", "up"] as const) {
        const { output } = await project[command]({ args: ["--diff"] });
        assert.match(output, /Resources:\n +6 unchanged/, output);
      }
      const written = project.findWritten(["of-nobody-4711"]).map(({ where }) => where);
      // The programs themselves have it.
      const leaks = written.filter((where) => !/\.(?:py|pyc|js)$/.test(where));
      assert.deepEqual([world.operations(), leaks], [[], []]);
    };
    const migrate = (to: string) =>
      project.shell(
        `${process.execPath} ${join(repositoryRoot, "dist/cli/main.js")} migrate --stack dev --to ${to} --yes`,
      );
    await project.up();
    world.operations();
    await unchanged();
    await migrate("dynamic");
    project.write("Pulumi.yaml", "name: test\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n");
    world.program(classes);
    await unchanged();
    await migrate("native");
    project.write("Pulumi.yaml", `name: test\nruntime: python\n${pluginSection()}`);
    await unchanged();
  });
});
