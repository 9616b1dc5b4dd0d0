import { ExtractionTask } from "pulumi-webextract";

const from = { sourceTaskId: "shop-template", taskGroupId: "shops" };

// #region remove
new ExtractionTask("trial", {
  from,
  // A destroy removes the rows of this task without a question.
  forceDestroy: true,
});
// #endregion

// #region keep
new ExtractionTask("archive", {
  from,
  // A destroy leaves the task and its rows at the service.
  onDelete: "retain",
});
// #endregion
