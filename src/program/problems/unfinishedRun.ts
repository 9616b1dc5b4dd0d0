import type { Output, Resource } from "@pulumi/pulumi";
import { unfinishedRunAdvice } from "../../resources/export/dataExport";
import { warnOnce } from "../perProgram";
import { taskOf } from "../taskOrder";

/** Warns once if an export can read a batch before its run has ended. */
export function warnOfUnfinishedRun(name: string, args: { taskId: unknown; profile?: unknown; lotNo?: unknown }): void {
  const runs = taskOf(args.taskId, args.profile).runs as { title: string; resource: Run }[];
  const run = runs.find(({ resource }) => resource.id === args.lotNo);
  run?.resource.waitFor.apply((waitFor = "started") => {
    if (waitFor === "started") {
      void warnOnce("unfinished runs", unfinishedRunAdvice(`DataExport "${name}"`, run.title), run.resource);
    }
  });
}

interface Run extends Resource {
  readonly id: Output<string>;
  readonly waitFor: Output<string | undefined>;
}
