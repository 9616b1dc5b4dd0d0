// The program of ../index.ts in Go, for the examples in schema.json.
package main

import (
	"github.com/pulumi-webextract/pulumi-webextract/sdk/go/webextract"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		// #region extractionTask
		books, err := webextract.NewExtractionTask(ctx, "books", &webextract.ExtractionTaskArgs{
			From: webextract.TaskSourceArgs{
				SourceTaskId: pulumi.String("shop-template"),
				TaskGroupId:  pulumi.String("bookshops"),
			},
			Actions: pulumi.Map{
				"search": webextract.ActionArgs{
					ActionType: pulumi.String("EnterTextAction"),
					Properties: pulumi.Map{"TextToSet": pulumi.String("novels")},
				},
				"shelves": webextract.ActionArgs{
					ActionType: pulumi.String("LoopAction"),
					Loop: webextract.ActionLoopArgs{
						LoopType:  pulumi.String("UrlList"),
						ItemsFile: pulumi.String("shelves.txt"),
					},
				},
			},
			StartUrls: webextract.StartUrlsArgs{Urls: pulumi.StringArray{pulumi.String("https://shop.example.com/")}},
		})
		if err != nil {
			return err
		}
		// #endregion

		// #region taskCopy
		prices, err := webextract.NewTaskCopy(ctx, "prices", &webextract.TaskCopyArgs{
			SourceTaskId: pulumi.String("shop-template"),
			TaskGroupId:  pulumi.String("bookshops"),
		})
		if err != nil {
			return err
		}
		// #endregion

		// #region taskCopyAdopted
		existing, err := webextract.NewTaskCopy(ctx, "existing", &webextract.TaskCopyArgs{
			AdoptTaskId: pulumi.String("shop-template"),
		})
		if err != nil {
			return err
		}
		// #endregion

		// #region taskActionConfig
		search, err := webextract.NewTaskActionConfig(ctx, "search", &webextract.TaskActionConfigArgs{
			TaskId: prices.ID(),
			Actions: pulumi.Map{
				"search": webextract.ActionSettingsArgs{
					ActionType: pulumi.String("EnterTextAction"),
					Properties: pulumi.Map{"TextToSet": pulumi.String("novels")},
				},
			},
		})
		if err != nil {
			return err
		}
		// #endregion

		// #region taskParameters
		_, err = webextract.NewTaskParameters(ctx, "parameters", &webextract.TaskParametersArgs{
			TaskId: existing.ID(),
			Actions: pulumi.Map{
				"open": webextract.ActionArgs{
					ActionType: pulumi.String("NavigateAction"),
					Properties: pulumi.Map{"Url": pulumi.String("https://shop.example.com/")},
				},
				"shelves": webextract.ActionArgs{
					ActionType: pulumi.String("LoopAction"),
					Loop: webextract.ActionLoopArgs{
						LoopType:  pulumi.String("UrlList"),
						ItemsFile: pulumi.String("shelves.txt"),
					},
				},
			},
			OnDelete: pulumi.String("restore"),
		})
		if err != nil {
			return err
		}
		// #endregion

		// #region taskLoopItems
		shelves, err := webextract.NewTaskLoopItems(ctx, "shelves", &webextract.TaskLoopItemsArgs{
			TaskId:   prices.ID(),
			ActionId: pulumi.String("shelves"),
			LoopType: pulumi.String("UrlList"),
			Items: pulumi.StringArray{
				pulumi.String("https://shop.example.com/shelves/novels/"),
				pulumi.String("https://shop.example.com/shelves/nature/"),
				pulumi.String("https://shop.example.com/shelves/kids/"),
			},
		})
		if err != nil {
			return err
		}
		// #endregion

		// #region taskStartUrls
		_, err = webextract.NewTaskStartUrls(ctx, "start-urls", &webextract.TaskStartUrlsArgs{
			TaskId: existing.ID(),
			Urls: pulumi.StringArray{
				pulumi.String("https://shop.example.com/"),
				pulumi.String("https://shop.example.com/sale/"),
			},
		})
		if err != nil {
			return err
		}
		// #endregion

		// #region cloudRun
		run, err := webextract.NewCloudRun(ctx, "run", &webextract.CloudRunArgs{
			TaskId:  prices.ID(),
			RerunOn: pulumi.Array{search, shelves},
			WaitFor: pulumi.String("finished"),
		})
		if err != nil {
			return err
		}
		// #endregion

		// #region cloudSubtasks
		_, err = webextract.NewCloudSubtasks(ctx, "failed-again", &webextract.CloudSubtasksArgs{
			TaskId:     books.ID(),
			SubTaskIds: pulumi.StringArray{pulumi.String("3f0c-subtask-4"), pulumi.String("3f0c-subtask-9")},
			Desired:    pulumi.String("started"),
		})
		if err != nil {
			return err
		}
		// #endregion

		// #region dataExport
		rows, err := webextract.NewDataExport(ctx, "rows", &webextract.DataExportArgs{
			TaskId: prices.ID(),
			Scope:  pulumi.String("batch"),
			LotNo:  run.ID(),
			// Each run has its own file, so no file is overwritten.
			Path:   pulumi.String("rows/prices-{lotNo}.csv"),
			Format: pulumi.String("csv"),
		})
		if err != nil {
			return err
		}
		ctx.Export("file", rows.File)
		// #endregion

		// #region manifest
		shops, err := webextract.NewManifest(ctx, "shops", &webextract.ManifestArgs{
			// Each file in the folder is a task.
			Path:      pulumi.String("tasks"),
			Variables: pulumi.Map{"site": pulumi.String("https://shop.example.com")},
		})
		if err != nil {
			return err
		}
		ctx.Export("runs", shops.Runs)
		// #endregion

		// #region functions
		actions := webextract.GetActionsOutput(ctx, webextract.GetActionsOutputArgs{
			TaskIds:     pulumi.StringArray{books.ID()},
			ActionTypes: pulumi.StringArray{pulumi.String("EnterTextAction")},
		})
		subtasks := webextract.GetSubtasksOutput(ctx, webextract.GetSubtasksOutputArgs{TaskId: prices.ID()}, pulumi.DependsOn([]pulumi.Resource{run}))
		first := webextract.GetDataOutput(ctx, webextract.GetDataOutputArgs{TaskId: books.ID(), MaxRows: pulumi.Int(10)})
		ofRun := webextract.GetBatchDataOutput(ctx, webextract.GetBatchDataOutputArgs{TaskId: prices.ID(), LotNo: run.ID(), MaxRows: pulumi.Int(10)})
		notExported := webextract.GetNotExportedDataOutput(ctx, webextract.GetNotExportedDataOutputArgs{TaskId: books.ID()})
		ctx.Export("read", pulumi.Array{actions, subtasks, first, ofRun, notExported})
		// #endregion

		ctx.Export("books", books.TaskId)
		return nil
	})
}
