/**
 * The task of the quickstart, composed of one resource for each part. Use this form if the parts belong to different programs or people,
 * or if one part needs something that an ExtractionTask does not have, such as `onDelete: "restore"`.
 */
import * as pulumi from "@pulumi/pulumi";
import { CloudRun, DataExport, TaskActionConfig, TaskCopy, TaskLoopItems, TaskStartUrls } from "pulumi-webextract";

const shop = new pulumi.Config().require("siteUrl");

// #region task
const books = new TaskCopy("books", {
  sourceTaskId: "shop-template",
  taskGroupId: "bookshops",
});
// #endregion

// What to extract from the pages. The service defines the action types and their properties; these are the emulator's.
const selectors = new TaskActionConfig("selectors", {
  taskId: books.id,
  actions: {
    list: {
      actionType: "ExtractDataAction",
      properties: {
        RowSelector: "li.book",
        "Field.sku": "@data-sku",
        "Field.title": ".title",
        "Field.price": ".price .amount",
        "Field.currency": ".price .currency",
        "Field.cover": "img.cover@alt",
        "Field.link": ".title a@href",
      },
    },
    detail: {
      actionType: "DetailAction",
      properties: {
        LinkSelector: ".title a",
        "Field.author": ".author span",
        "Field.isbn": ".isbn",
        "Field.length": ".length",
        "Field.stock": ".stock",
        "Field.blurb": ".blurb",
        "Field.publisher": "a.publisher@href",
      },
    },
    pages: { actionType: "PaginationAction", properties: { NextSelector: "nav.pages a.next", MaxPages: "2" } },
  },
});

// #region settings
// Add or remove a list, and the preview shows the change and the new run.
const tables = new TaskLoopItems("tables", {
  taskId: books.id,
  actionId: "loop",
  loopType: "UrlList",
  items: ["staff-picks", "signed"].map((table) => `${shop}/shelves/${table}/`),
});

const shelves = new TaskStartUrls("shelves", {
  taskId: books.id,
  urls: ["novels", "nature", "kids"].map((shelf) => `${shop}/shelves/${shelf}/`),
});
// #endregion

// #region run
// No dependsOn is needed: a run waits for all settings of its task. Without rerunOn, the run would start only once.
const run = new CloudRun("run", {
  taskId: books.id,
  rerunOn: [selectors, tables, shelves],
  waitFor: "finished",
  pollSeconds: 1,
});

const rows = new DataExport("rows", {
  taskId: books.id,
  scope: "batch",
  lotNo: run.id,
  // Each run has its own file, so no file is overwritten.
  path: "rows/books-{lotNo}.ndjson",
});
// #endregion

export const lotNo = run.lotNo;
export const rowCount = rows.rowCount;
export const file = rows.file;
