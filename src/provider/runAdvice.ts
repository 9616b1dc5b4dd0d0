import type { PartialFailure, ResourceError, RunReason } from "../resources/resource";

/** The message of a resource's error. About a run, it says what to do next, in terms of the arguments of CloudRun. */
export function programMessage({ message, about }: PartialFailure | ResourceError): string {
  return about === undefined ? message : `${message} ${adviceOn(about)}`;
}

function adviceOn({ reason, lotNo }: RunReason): string {
  const again = 'Run "pulumi up" again to continue to wait: no second run is started.';
  const adopt = `set adoptLotNo: "${lotNo}"`;
  const newRun = 'To start a new run, change triggers, or run "pulumi up --replace" with the URN of this resource.';
  const goOn = 'If you start the named subtasks again at the service, "pulumi up" continues to wait.';
  const advice: Record<RunReason["reason"], string> = {
    notFinished: again,
    timedOut:
      `${again} To wait longer, raise timeoutSeconds. If a status means the end, add it to statuses or to webextract:statuses. If this task never splits into ` +
      `subtasks, set finishedWhen: "rowsSettled". If the service lists subtasks and none of them were seen, and they belong to this run, ${adopt}.`,
    superseded:
      'If two CloudRuns use the task, let one wait for the other (dependsOn, and waitFor: "finished" on the first), or declare one. ' +
      `${newRun} If the listed subtasks belong to this run after all, ${adopt}.`,
    failed: `${newRun} ${goOn} To accept failed subtasks, set failOn: "never". If a status means something else, set statuses.`,
    notStopped: 'Run the same command again, or set onDelete: "retain" and run "pulumi up" first.',
  };
  return advice[reason];
}
