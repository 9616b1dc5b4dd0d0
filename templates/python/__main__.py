import pulumi
import pulumi_webextract as webextract

config = pulumi.Config()
site = config.require("siteUrl")

# A copy of a template task, with its own list of pages. Ids and types of actions are those of the template task.
products = webextract.ExtractionTask(
    "products",
    from_=webextract.TaskSourceArgs(
        source_task_id=config.require("sourceTaskId"),
        task_group_id=config.require("taskGroupId"),
    ),
    actions={
        # Services document what can be changed: this list, `Url` of a NavigateAction, and `TextToSet` of an EnterTextAction.
        "shelves": webextract.ActionArgs(
            action_type="LoopAction",
            loop=webextract.ActionLoopArgs(
                loop_type="UrlList",
                items=[f"{site}/shelves/{shelf}/" for shelf in ["novels"]],
            ),
        ),
    },
)

# The first `pulumi up` starts a run. A later one starts a run only if the task has changed.
run = webextract.CloudRun(
    "run",
    task_id=products.id,
    rerun_on=[products.id],
    wait_for="finished",
)

# Each run has its own file.
rows = webextract.DataExport(
    "rows",
    task_id=products.id,
    scope="batch",
    lot_no=run.id,
    path="rows/products-{lotNo}.ndjson",
)

pulumi.export("taskId", products.task_id)
pulumi.export("file", rows.file)
pulumi.export("rowCount", rows.row_count)
