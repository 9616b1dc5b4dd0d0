import { Manifest } from "pulumi-webextract";

new Manifest("tasks", { path: "tasks" });
