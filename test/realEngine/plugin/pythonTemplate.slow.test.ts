import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { installPython } from "./sdkWorld";
import { TemplateLife } from "./templateLife";

const twentyTasks = `
import pulumi
import pulumi_webextract as webextract

source = pulumi.Config().require("sourceTaskId")
group = pulumi.Config().require("taskGroupId")
for number in range(20):
    task = webextract.TaskCopy(f"task-{number}", source_task_id=source, task_group_id=group)
    webextract.TaskActionConfig(
        f"pages-{number}",
        task_id=task.id,
        actions={
            "pages": webextract.ActionSettingsArgs(action_type="PaginationAction", properties={"MaxPages": number + 1}),
        },
    )
`;

const textOfOutput = `
import pulumi
import pulumi_webextract as webextract

source = pulumi.Output.from_input("shop-template")
webextract.TaskCopy("copy", source_task_id=f"{source}", task_group_id="shops")
`;

const functions = `
import pulumi
import pulumi_webextract as webextract

args = {"task_ids": ["shop-template"], "action_types": ["LoopAction"]}
pulumi.export("output", webextract.get_actions_output(**args, plain=True).tasks[0].task_id)
pulumi.export("plain", webextract.get_actions(**args, plain=True).tasks[0].task_id)
pulumi.export("secret", webextract.get_actions_output(**args).tasks)
try:
    webextract.get_actions(**args)
except ValueError as error:
    pulumi.export("refused", str(error))
`;

describe("the template python, with the SDK from its tarball", function () {
  this.timeout(900_000);
  let life: TemplateLife;
  before(async () => {
    life = await TemplateLife.create("python", "python", "__main__.py");
    await installPython(life.folder, "-r requirements.txt ");
  });
  after(() => life.remove());

  it("extracts the books, changes nothing in a second up, and runs again after a change", async () => {
    await life.live();
    await life.liveOn("wait_for");
    await life.destroy();
  });

  it("is refused in a preview if it makes a string of an Output, with the function to use", async () => {
    writeFileSync(join(life.folder, "__main__.py"), textOfOutput);
    const { output } = await life.run(["preview"], [], "failure");
    assert.match(output, /source_task_id has the text that Pulumi puts in place of the value of an Output/);
    assert.match(output, /use pulumi\.Output\.concat/);
  });

  it("declares 20 tasks in a loop, and changes nothing in a second up", async () => {
    writeFileSync(join(life.folder, "__main__.py"), twentyTasks);
    assert.match((await life.run(["up", "--yes", "--skip-preview"])).output, /\+ 41 created/);
    assert.match((await life.run(["up", "--yes", "--skip-preview"])).output, /\b41 unchanged/);
    await life.destroy();
  });

  it("reads with functions: a plain result needs plain=True", async () => {
    writeFileSync(join(life.folder, "__main__.py"), functions);
    const { output } = await life.run(["up", "--yes", "--skip-preview"]);
    assert.match(output, /output *: "shop-template"/);
    assert.match(output, /plain *: "shop-template"/);
    assert.match(output, /secret *: \[secret\]/);
    assert.match(output, /refused *: "get_actions: .* Use get_actions_output, or set plain=True\."/);
  });
});
