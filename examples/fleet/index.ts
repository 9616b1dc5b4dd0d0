/**
 * A fleet: one task for each line of shops.csv. Edit the list and run `pulumi up`: a new line makes one copy, a changed line makes one write, and
 * the other tasks make no request.
 */
import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { ExtractionTask } from "pulumi-webextract";

const config = new pulumi.Config();

// #region program
const from = { sourceTaskId: config.require("templateId"), taskGroupId: config.require("groupId") };
const [, ...lines] = readFileSync("shops.csv", "utf8").trimEnd().split("\n");

const tasks = lines.map((line) => {
  const [name = "", url = ""] = line.split(",");
  return new ExtractionTask(name, {
    from,
    actions: { open: { actionType: "NavigateAction", properties: { Url: url } } },
  });
});
// #endregion

export const count = tasks.length;
