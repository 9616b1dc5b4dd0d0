import { ExtractionTask } from "pulumi-webextract";

const shops = { sourceTaskId: "shop-template", taskGroupId: "shops" };
const actions = { open: { actionType: "NavigateAction", properties: { Url: "https://shop.example.com/new/" } } };

// #region accounts
new ExtractionTask("products", { from: shops, actions });

new ExtractionTask("products-europe", { from: shops, actions, profile: "europe" });
// #endregion
