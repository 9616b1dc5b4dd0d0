/**
 * A bookshop, extracted by a task that is declared here: copied from a template, configured, run in the cloud, its rows written to a file.
 * `npm start` previews and applies this program. Change something and run it again.
 */
import * as pulumi from "@pulumi/pulumi";
import { CloudRun, DataExport, TaskActionConfig, TaskCopy, TaskLoopItems, TaskStartUrls } from "pulumi-webextract";

const shop = new pulumi.Config().require("siteUrl");

const books = new TaskCopy("books", {
  sourceTaskId: "shop-template",
  taskGroupId: "bookshops",
});

// What to take from the pages. The kinds of action and their properties are the service's own; these are the emulator's.
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
    pages: {
      actionType: "PaginationAction",
      properties: {
        NextSelector: "nav.pages a.next",
        // The novels go on after the second page: set 3, and a preview shows this one property and the run that it starts again.
        MaxPages: "2",
      },
    },
  },
});

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

// No dependsOn: a run waits for every setting of its task. Without rerunOn it would start once and never again.
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
  // Each run has a file of its own, so none is ever overwritten.
  path: "rows/books-{lotNo}.ndjson",
});

export const lotNo = run.lotNo;
export const rowCount = rows.rowCount;
export const file = rows.file;
