import { ExtractionTask, TaskActionConfig, TaskCopy } from "pulumi-webextract";

// #region whole
const products = new ExtractionTask("products", {
  from: { adoptTaskId: "9f1c2a7e-task-id" },
  actions: {
    pages: { actionType: "PaginationAction", properties: { MaxPages: "2" } },
  },
});
// #endregion

// #region settings
const news = new TaskCopy("news", { adoptTaskId: "5b80d3c4-task-id" });

new TaskActionConfig("news-pages", {
  taskId: news.id,
  actions: {
    pages: { actionType: "PaginationAction", properties: { MaxPages: "5" } },
  },
  onDelete: "restore",
});
// #endregion

export const adopted = [products.id, news.id];
