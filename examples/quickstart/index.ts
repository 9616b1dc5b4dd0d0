/**
 * Extracts the books of a shop: a task with its settings, a run in the cloud, and a file with the rows. `npm start` previews and applies
 * this program. Change a value and run it again.
 */
import * as pulumi from "@pulumi/pulumi";
import { CloudRun, DataExport, ExtractionTask } from "pulumi-webextract";

const shop = new pulumi.Config().require("siteUrl");

const books = new ExtractionTask("books", {
  // A template that somebody made in the service's editor. The task is a copy of it.
  from: { sourceTaskId: "shop-template", taskGroupId: "bookshops" },
  actions: {
    // What a live service takes, as far as its documentation says: a URL, a text, and a list such as this one.
    loop: {
      actionType: "LoopAction",
      loop: {
        loopType: "UrlList",
        // Add "signed", and the preview shows the longer list and the new run.
        items: ["staff-picks"].map((table) => `${shop}/shelves/${table}/`),
      },
    },
    // What to extract from the pages: these action types and properties are the emulator's own.
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
        MaxPages: "2",
      },
    },
  },
  startUrls: {
    urls: ["novels", "nature", "kids"].map((shelf) => `${shop}/shelves/${shelf}/`),
  },
});

// Without rerunOn, the run would start only once.
const run = new CloudRun("run", {
  taskId: books.id,
  rerunOn: [books],
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

export const lotNo = run.lotNo;
export const rowCount = rows.rowCount;
export const file = rows.file;
