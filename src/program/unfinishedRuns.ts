import type { Resource } from "@pulumi/pulumi";
import { log, Output } from "@pulumi/pulumi";
import { resourcesBehind } from "../engine/sdk/dependencies";
import { perProgram } from "./perProgram";

/** A CloudRun that the program declares. */
interface DeclaredRun {
  name: string;
  waitFor: Output<string | undefined>;
}

/** Without static gets, whose runs can have ended long ago. */
const declaredRuns = new WeakMap<Resource, DeclaredRun>();

export function noteRun(resource: Resource, run: DeclaredRun): void {
  declaredRuns.set(resource, run);
}

/** Most warnings of this kind in one program. */
const mostWarnings = 10;

const warned = perProgram(() => ({ exports: 0 }));

/** Warns if an export can read a batch before its run has ended. With `waitFor: "started"`, Pulumi continues when the run has started. */
export async function warnOfUnfinishedRun(resource: Resource, name: string, lotNo: unknown): Promise<void> {
  if (!Output.isInstance(lotNo)) {
    return;
  }
  const soFar = warned();
  for (const behind of await resourcesBehind(lotNo)) {
    const run = declaredRuns.get(behind);
    run?.waitFor.apply((waitFor = "started") => {
      if (waitFor !== "started" || ++soFar.exports > mostWarnings) {
        return;
      }
      const others = soFar.exports === mostWarnings ? " Further exports of this kind are not named." : "";
      void log.warn(
        `DataExport "${name}" takes lotNo from CloudRun "${run.name}", which does not wait for the end of the run (waitFor: "started"). ` +
          `So the export may read before all rows are there. Set waitFor: "finished" on CloudRun "${run.name}".${others}`,
        resource,
      );
    });
  }
}
