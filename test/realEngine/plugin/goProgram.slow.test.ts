import assert from "node:assert/strict";
import { goModule } from "../../../scripts/schema/generateSdks";
import type { World } from "../world";
import { sdkWorld } from "./sdkWorld";

const program = (url: string) => `package main

import (
	"${goModule}/webextract"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		copy, err := webextract.NewTaskCopy(ctx, "copy", &webextract.TaskCopyArgs{
			SourceTaskId: pulumi.String("template-1"),
			TaskGroupId:  pulumi.String("group-1"),
		})
		if err != nil {
			return err
		}
		settings, err := webextract.NewTaskActionConfig(ctx, "settings", &webextract.TaskActionConfigArgs{
			TaskId: copy.ID(),
			Actions: pulumi.Map{
				"open": webextract.ActionSettingsArgs{
					ActionType: pulumi.String("NavigateAction"),
					Properties: pulumi.Map{"Url": pulumi.String("${url}"), "Wait": pulumi.ToSecret(pulumi.Int(4711))},
				},
			},
		})
		if err != nil {
			return err
		}
		run, err := webextract.NewCloudRun(ctx, "run", &webextract.CloudRunArgs{
			TaskId:      copy.ID(),
			WaitFor:     pulumi.String("finished"),
			PollSeconds: pulumi.Float64(0),
			RerunOn:     pulumi.Array{settings},
		}, pulumi.DependsOn([]pulumi.Resource{settings}))
		if err != nil {
			return err
		}
		_, err = webextract.NewDataExport(ctx, "rows", &webextract.DataExportArgs{
			TaskId: copy.ID(),
			Scope:  pulumi.String("batch"),
			LotNo:  run.ID(),
			Path:   pulumi.String("rows.ndjson"),
		})
		return err
	})
}
`;

const functions = `package main

import (
	"${goModule}/webextract"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		_, refused := webextract.GetData(ctx, &webextract.GetDataArgs{TaskId: "template-1"})
		ctx.Export("refused", pulumi.String(refused.Error()))
		plain, err := webextract.GetData(ctx, &webextract.GetDataArgs{TaskId: "template-1", Plain: pulumi.BoolRef(true)})
		if err != nil {
			return err
		}
		ctx.Export("plain", pulumi.Int(plain.Total))
		args := webextract.GetDataOutputArgs{TaskId: pulumi.String("template-1")}
		ctx.Export("secret", webextract.GetDataOutput(ctx, args).Total())
		return nil
	})
}
`;

describe("a Go program with the generated SDK on the native plugin", function () {
  this.timeout(900_000);
  let world: World;
  before(async () => {
    world = await sdkWorld("go", program("https://a.test/"));
  });
  after(() => world.remove());

  const writes = (): string[] => world.operations().filter((name) => !name.startsWith("get"));

  it("makes its resources, and shows no change and makes no request in the next preview and up", async () => {
    assert.match((await world.project.preview()).output, /\+ 5 to create/);
    assert.deepEqual(world.operations(), []);
    const { output } = await world.project.up();
    assert.doesNotMatch(output, /warning/i);
    assert.deepEqual(writes(), ["copyTask", "updateActionProperties", "startTask"]);
    assert.equal(world.project.resource("rows").outputs?.rowCount, 25);
    await world.project.preview({ args: ["--expect-no-changes"] });
    assert.match((await world.project.up()).output, /5 unchanged/);
    assert.deepEqual(world.operations(), []);
  });

  it("runs again when a resource of rerunOn changes", async () => {
    world.project.write("main.go", program("https://b.test/"));
    const { output } = await world.project.preview({ args: ["--diff"] });
    // The hash of secret arguments is secret.
    assert.match(output, /~ rerunOn: \[secret\] => \[secret\]/);
    await world.project.up();
    assert.deepEqual(writes(), ["updateActionProperties", "startTask"]);
  });

  it("encrypts its secrets, and is destroyed", async () => {
    assert.deepEqual(
      world.project.findWritten(['"4711"']).filter(({ where }) => !where.endsWith("main.go")),
      [],
    );
    await world.project.destroy({ env: { WEBEXTRACT_FORCE_DESTROY: "true" } });
    assert.deepEqual(world.project.state().resources, []);
  });

  it("reads with functions: a plain result needs Plain, before its request", async () => {
    world.project.write("main.go", functions);
    world.operations();
    const { output } = await world.project.up();
    assert.match(output, /plain *: 0/);
    assert.match(output, /secret *: \[secret\]/);
    assert.match(output, /refused *: "GetData: .* Use GetDataOutput, or set Plain to true\."/);
    assert.deepEqual(world.operations(), ["getData", "getData"]);
  });
});
