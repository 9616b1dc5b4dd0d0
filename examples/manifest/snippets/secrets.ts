import * as pulumi from "@pulumi/pulumi";
import { Manifest } from "pulumi-webextract";

const config = new pulumi.Config();

// #region secrets
export const manifest = new Manifest("tasks", {
  path: `tasks/${pulumi.getStack()}`,
  variables: {
    shop: config.require("siteUrl"),
    token: config.requireSecret("token"),
  },
});
// #endregion
