import * as pulumi from "@pulumi/pulumi";
import { Manifest } from "pulumi-webextract";

const config = new pulumi.Config();

// Every file in the folder "tasks" is a task.
const manifest = new Manifest("tasks", {
  path: "tasks",
  variables: {
    sourceTaskId: config.require("sourceTaskId"),
    taskGroupId: config.require("taskGroupId"),
  },
});

export const taskId = manifest.tasks.products?.taskId;
export const file = manifest.exports["products-rows"]?.file;
export const rowCount = manifest.exports["products-rows"]?.rowCount;
