/**
 * The quickstart with its task in YAML: tasks/books.yaml declares the task, its run and its export.
 */
import * as pulumi from "@pulumi/pulumi";
import { Manifest } from "pulumi-webextract";

const config = new pulumi.Config();

// #region program
const manifest = new Manifest("tasks", {
  path: "tasks",
  variables: { shop: config.require("siteUrl") },
});

export const lotNo = manifest.runs.books?.lotNo;
export const rowCount = manifest.exports["books-rows"]?.rowCount;
export const file = manifest.exports["books-rows"]?.file;
// #endregion
