import * as pulumi from "@pulumi/pulumi";
import { Manifest } from "pulumi-webextract";

const config = new pulumi.Config();

// Every file in the folder "tasks" is a task. Add and remove files as you like: nothing here names one.
const manifest = new Manifest("tasks", {
  path: "tasks",
  variables: {
    siteUrl: config.get("siteUrl") ?? "",
    sourceTaskId: config.get("sourceTaskId") ?? "",
    taskGroupId: config.get("taskGroupId") ?? "",
  },
});

export const tasks = byName(manifest.tasks, ({ taskId }) => taskId);
export const runs = byName(manifest.runs, ({ lotNo }) => lotNo);
export const files = byName(manifest.exports, ({ file, rowCount }) => ({ file, rowCount }));

function byName<Resource, Value>(all: Readonly<Record<string, Resource>>, value: (resource: Resource) => Value) {
  return Object.fromEntries(Object.entries(all).map(([name, resource]) => [name, value(resource)]));
}
