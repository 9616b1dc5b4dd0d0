"""The program of ../index.ts in Python, for the examples in schema.json."""

import pulumi
import pulumi_webextract as webextract

# #region extractionTask
books = webextract.ExtractionTask(
    "books",
    from_=webextract.TaskSourceArgs(source_task_id="shop-template", task_group_id="bookshops"),
    actions={
        "search": webextract.ActionArgs(
            action_type="EnterTextAction",
            properties={"TextToSet": "novels"},
        ),
        "shelves": webextract.ActionArgs(
            action_type="LoopAction",
            loop=webextract.ActionLoopArgs(loop_type="UrlList", items_file="shelves.txt"),
        ),
    },
    start_urls=webextract.StartUrlsArgs(urls=["https://shop.example.com/"]),
)
# #endregion

# #region taskCopy
prices = webextract.TaskCopy(
    "prices",
    source_task_id="shop-template",
    task_group_id="bookshops",
)
# #endregion

# #region taskCopyAdopted
existing = webextract.TaskCopy("existing", adopt_task_id="shop-template")
# #endregion

# #region taskActionConfig
search = webextract.TaskActionConfig(
    "search",
    task_id=prices.id,
    actions={
        "search": webextract.ActionSettingsArgs(
            action_type="EnterTextAction",
            properties={"TextToSet": "novels"},
        ),
    },
)
# #endregion

# #region taskParameters
parameters = webextract.TaskParameters(
    "parameters",
    task_id=existing.id,
    actions={
        "open": webextract.ActionArgs(
            action_type="NavigateAction",
            properties={"Url": "https://shop.example.com/"},
        ),
        "shelves": webextract.ActionArgs(
            action_type="LoopAction",
            loop=webextract.ActionLoopArgs(loop_type="UrlList", items_file="shelves.txt"),
        ),
    },
    on_delete="restore",
)
# #endregion

# #region taskLoopItems
shelves = webextract.TaskLoopItems(
    "shelves",
    task_id=prices.id,
    action_id="shelves",
    loop_type="UrlList",
    items=[f"https://shop.example.com/shelves/{shelf}/" for shelf in ["novels", "nature", "kids"]],
)
# #endregion

# #region taskStartUrls
webextract.TaskStartUrls(
    "start-urls",
    task_id=existing.id,
    urls=["https://shop.example.com/", "https://shop.example.com/sale/"],
)
# #endregion

# #region cloudRun
run = webextract.CloudRun(
    "run",
    task_id=prices.id,
    rerun_on=[search, shelves],
    wait_for="finished",
)
# #endregion

# #region cloudSubtasks
webextract.CloudSubtasks(
    "failed-again",
    task_id=books.id,
    sub_task_ids=["3f0c-subtask-4", "3f0c-subtask-9"],
    desired="started",
)
# #endregion

# #region dataExport
rows = webextract.DataExport(
    "rows",
    task_id=prices.id,
    scope="batch",
    lot_no=run.id,
    # Each run has its own file, so no file is overwritten.
    path="rows/prices-{lotNo}.csv",
    format="csv",
)
# #endregion

# #region manifest
# Each file in the folder is a task.
shops = webextract.Manifest("shops", path="tasks", variables={"site": "https://shop.example.com"})
# #endregion

# #region functions
actions = webextract.get_actions_output(task_ids=[books.id], action_types=["EnterTextAction"])
subtasks = webextract.get_subtasks_output(task_id=prices.id, opts=pulumi.InvokeOutputOptions(depends_on=[run]))
first = webextract.get_data_output(task_id=books.id, max_rows=10)
of_run = webextract.get_batch_data_output(task_id=prices.id, lot_no=run.id, max_rows=10)
not_exported = webextract.get_not_exported_data_output(task_id=books.id)
pulumi.export("total", of_run.total)
# #endregion
