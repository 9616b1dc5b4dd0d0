import { ExtractionTask } from "pulumi-webextract";

const shops = { sourceTaskId: "shop-template", taskGroupId: "shops" };
const actions = { pages: { actionType: "PaginationAction", properties: { MaxPages: "2" } } };

// #region accounts
new ExtractionTask("products", { from: shops, actions });

new ExtractionTask("products-europe", { from: shops, actions, profile: "europe" });
// #endregion
