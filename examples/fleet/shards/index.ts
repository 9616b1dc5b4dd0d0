/**
 * One shard of a fleet. All stacks run this program, and each declares the manifests of the folder with its name: tasks/shard-1, tasks/shard-2, …
 */
import * as pulumi from "@pulumi/pulumi";
import { Manifest } from "pulumi-webextract";

// #region program
const { tasks } = new Manifest("tasks", { path: `tasks/${pulumi.getStack()}` });
// #endregion

export const count = Object.keys(tasks).length;
