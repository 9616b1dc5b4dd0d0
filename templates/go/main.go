package main

import (
	"github.com/pulumi-webextract/pulumi-webextract/sdk/go/webextract"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		settings := config.New(ctx, "")
		site := settings.Require("siteUrl")
		var pages pulumi.StringArray
		for _, shelf := range []string{"novels"} {
			pages = append(pages, pulumi.Sprintf("%s/shelves/%s/", site, shelf))
		}

		// A copy of a template task, with its own list of pages. Ids and types of actions are those of the template task.
		products, err := webextract.NewExtractionTask(ctx, "products", &webextract.ExtractionTaskArgs{
			From: webextract.TaskSourceArgs{
				SourceTaskId: pulumi.String(settings.Require("sourceTaskId")),
				TaskGroupId:  pulumi.String(settings.Require("taskGroupId")),
			},
			Actions: pulumi.Map{
				// Services document what can be changed: this list, `Url` of a NavigateAction, and `TextToSet` of an EnterTextAction.
				"shelves": webextract.ActionArgs{
					ActionType: pulumi.String("LoopAction"),
					Loop: webextract.ActionLoopArgs{
						LoopType: pulumi.String("UrlList"),
						Items:    pages,
					},
				},
			},
		})
		if err != nil {
			return err
		}

		// The first `pulumi up` starts a run. A later one starts a run only if the task has changed.
		run, err := webextract.NewCloudRun(ctx, "run", &webextract.CloudRunArgs{
			TaskId:  products.ID(),
			RerunOn: pulumi.Array{products},
			WaitFor: pulumi.String("finished"),
		})
		if err != nil {
			return err
		}

		// Each run has its own file.
		rows, err := webextract.NewDataExport(ctx, "rows", &webextract.DataExportArgs{
			TaskId: products.ID(),
			Scope:  pulumi.String("batch"),
			LotNo:  run.ID(),
			Path:   pulumi.String("rows/products-{lotNo}.ndjson"),
		})
		if err != nil {
			return err
		}

		ctx.Export("taskId", products.TaskId)
		ctx.Export("file", rows.File)
		ctx.Export("rowCount", rows.RowCount)
		return nil
	})
}
