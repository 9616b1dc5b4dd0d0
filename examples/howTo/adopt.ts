import { ExtractionTask, TaskActionConfig, TaskCopy } from "pulumi-webextract";

// #region whole
const products = new ExtractionTask("products", {
  from: { adoptTaskId: "9f1c2a7e-task-id" },
  actions: {
    open: { actionType: "NavigateAction", properties: { Url: "https://shop.example.com/new/" } },
  },
});
// #endregion

// #region settings
const news = new TaskCopy("news", { adoptTaskId: "5b80d3c4-task-id" });

new TaskActionConfig("news-search", {
  taskId: news.id,
  actions: {
    search: { actionType: "EnterTextAction", properties: { TextToSet: "harbour" } },
  },
  onDelete: "restore",
});
// #endregion

export const adopted = [products.id, news.id];
