/** The same task in each account. A profile is a set of credentials with a name. */
import * as pulumi from "@pulumi/pulumi";
import { CloudRun, DataExport, ExtractionTask } from "pulumi-webextract";

// The names of the profiles. An account's own task group can differ.
const accounts = new pulumi.Config().getObject<Record<string, { taskGroupId: string }>>("accounts") ?? {
  europe: { taskGroupId: "shops" },
  america: { taskGroupId: "shops" },
};

export const files: Record<string, pulumi.Output<string>> = {};

for (const [profile, { taskGroupId }] of Object.entries(accounts)) {
  const shop = new ExtractionTask(`shop-${profile}`, {
    from: { sourceTaskId: "shop-template", taskGroupId },
    actions: { open: { actionType: "NavigateAction", properties: { Url: "https://shop.example.com/new/" } } },
    profile,
  });
  const run = new CloudRun(`shop-${profile}`, { taskId: shop.id, rerunOn: [shop], waitFor: "finished", profile });
  const rows = new DataExport(`shop-${profile}`, {
    taskId: shop.id,
    scope: "batch",
    lotNo: run.id,
    path: `rows/${profile}-{lotNo}.ndjson`,
    profile,
  });
  files[profile] = rows.file;
}
