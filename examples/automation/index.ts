/**
 * Previews and applies a task from a program of your own, with Pulumi's Automation API: no Pulumi.yaml, no command line.
 * Usage: npx tsx index.ts [--url URL] [--apply]
 */
import { parseArgs } from "node:util";
import { LocalWorkspace } from "@pulumi/pulumi/automation";
import { CloudRun, DataExport, ExtractionTask } from "pulumi-webextract";

const { values } = parseArgs({
  options: {
    url: { type: "string", default: "https://shop.example.com/new/" },
    apply: { type: "boolean", default: false },
  },
});

async function program(): Promise<Record<string, unknown>> {
  const shop = new ExtractionTask("shop", {
    from: { sourceTaskId: "shop-template", taskGroupId: "shops" },
    actions: { open: { actionType: "NavigateAction", properties: { Url: values.url } } },
  });
  const run = new CloudRun("shop", { taskId: shop.id, rerunOn: [shop], waitFor: "finished" });
  const rows = new DataExport("shop", {
    taskId: shop.id,
    scope: "batch",
    lotNo: run.id,
    path: "rows/shop-{lotNo}.ndjson",
  });
  return { file: rows.file, rowCount: rows.rowCount };
}

async function main(): Promise<void> {
  const stack = await LocalWorkspace.createOrSelectStack(
    { projectName: "automation", stackName: "dev", program },
    // Paths of files are relative to this folder.
    { workDir: process.cwd() },
  );
  const { changeSummary } = await stack.preview({ diff: true, onOutput: (text) => process.stdout.write(text) });
  if (!values.apply || Object.keys(changeSummary).every((change) => change === "same")) {
    return;
  }
  const { outputs } = await stack.up();
  console.log(`${outputs.rowCount?.value} rows in ${outputs.file?.value}`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
