/**
 * One declaration of each resource, and one call of each function, for the pages in docs/reference and the examples in schema.json, which takes the other
 * languages from the folder `languages`. Tests run the programs.
 */
import {
  CloudRun,
  CloudSubtasks,
  DataExport,
  ExtractionTask,
  getActionsOutput,
  getBatchDataOutput,
  getDataOutput,
  getNotExportedDataOutput,
  getSubtasksOutput,
  Manifest,
  TaskActionConfig,
  TaskCopy,
  TaskLoopItems,
  TaskParameters,
  TaskStartUrls,
} from "pulumi-webextract";

// #region extractionTask
const books = new ExtractionTask("books", {
  from: { sourceTaskId: "shop-template", taskGroupId: "bookshops" },
  actions: {
    search: { actionType: "EnterTextAction", properties: { TextToSet: "novels" } },
    shelves: { actionType: "LoopAction", loop: { loopType: "UrlList", itemsFile: "shelves.txt" } },
  },
  startUrls: { urls: ["https://shop.example.com/"] },
});
// #endregion

// #region taskCopy
const prices = new TaskCopy("prices", {
  sourceTaskId: "shop-template",
  taskGroupId: "bookshops",
});
// #endregion

// #region taskCopyAdopted
const existing = new TaskCopy("existing", { adoptTaskId: "shop-template" });
// #endregion

// #region taskActionConfig
const search = new TaskActionConfig("search", {
  taskId: prices.id,
  actions: {
    search: { actionType: "EnterTextAction", properties: { TextToSet: "novels" } },
  },
});
// #endregion

// #region taskParameters
const parameters = new TaskParameters("parameters", {
  taskId: existing.id,
  actions: {
    open: { actionType: "NavigateAction", properties: { Url: "https://shop.example.com/" } },
    shelves: { actionType: "LoopAction", loop: { loopType: "UrlList", itemsFile: "shelves.txt" } },
  },
  onDelete: "restore",
});
// #endregion

// #region taskLoopItems
const shelves = new TaskLoopItems("shelves", {
  taskId: prices.id,
  actionId: "shelves",
  loopType: "UrlList",
  items: ["novels", "nature", "kids"].map((shelf) => `https://shop.example.com/shelves/${shelf}/`),
});
// #endregion

// #region taskStartUrls
new TaskStartUrls("start-urls", {
  taskId: existing.id,
  urls: ["https://shop.example.com/", "https://shop.example.com/sale/"],
});
// #endregion

// #region cloudRun
const run = new CloudRun("run", {
  taskId: prices.id,
  rerunOn: [search, shelves],
  waitFor: "finished",
});
// #endregion

// #region cloudSubtasks
new CloudSubtasks("failed-again", {
  taskId: books.id,
  subTaskIds: ["3f0c-subtask-4", "3f0c-subtask-9"],
  desired: "started",
});
// #endregion

// #region dataExport
const rows = new DataExport("rows", {
  taskId: prices.id,
  scope: "batch",
  lotNo: run.id,
  // Each run has its own file, so no file is overwritten.
  path: "rows/prices-{lotNo}.csv",
  format: "csv",
});
// #endregion

// #region manifest
// Each file in the folder is a task.
const shops = new Manifest("shops", { path: "tasks", variables: { site: "https://shop.example.com" } });
// #endregion

// #region functions
const actions = getActionsOutput({ taskIds: [books.id], actionTypes: ["EnterTextAction"] }, { plain: true });
const subtasks = getSubtasksOutput({ taskId: prices.id }, { dependsOn: run });
const first = getDataOutput({ taskId: books.id, maxRows: 10 }, { plain: true });
const ofRun = getBatchDataOutput({ taskId: prices.id, lotNo: run.id, maxRows: 10 });
const open = getNotExportedDataOutput({ taskId: books.id });
// #endregion

export const file = rows.file;
export const ids = [books.id, parameters.id, ...Object.values(shops.tasks).map(({ id }) => id)];
export const read = { actions, subtasks, first, ofRun, open };
