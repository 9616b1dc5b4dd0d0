import type { Output, Resource } from "@pulumi/pulumi";
import { unfinishedRunAdvice } from "../../resources/export/dataExport";
import { warnOnce } from "../perProgram";
import { declaredRuns } from "../taskOrder";

/** Warns once if an export can read a batch before its run has ended. */
export function warnOfUnfinishedRun(name: string, args: { lotNo?: unknown }): void {
  const runs = declaredRuns() as { title: string; resource?: Run }[];
  const run = runs.find(
    (each): each is { title: string; resource: Run } => each.resource !== undefined && each.resource.id === args.lotNo,
  );
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
