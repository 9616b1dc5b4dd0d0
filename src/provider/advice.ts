import type { PartialFailure, ResourceError, RunReason } from "../resources/resource";
import type { RowsAreHeld } from "../resources/task/taskRows";
import { firstOf, shellQuoted, shellWord } from "../resources/values";

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

/**
 * The ways to continue after a refused delete: of a destroy, of a replace, or of a resource that was removed from the program. None of them starts a run. An
 * up of the whole stack can start one, because a destroy has deleted the runs of the task before.
 * @param deleted titles of resources, such as `CloudRun "run"`, that this command has deleted
 */
export function describeRefusedDelete(
  { message, taskId }: RowsAreHeld,
  urn?: string,
  deleted: readonly string[] = [],
): string {
  const target = urn === undefined ? "URN" : shellQuoted(urn);
  const whereUrn = urn === undefined ? ' (the URN is in the output of "pulumi stack --show-urns")' : "";
  return [
    message,
    `To remove the rows, run the same command again with the environment variable WEBEXTRACT_FORCE_DESTROY=${forcing(taskId)} (or =true, for all tasks).`,
    `To keep the task and its rows in a destroy, set onDelete: "retain" on the resource, and run "pulumi up --target ${target}"${whereUrn} and then the same command again.`,
    'This does not reach the old task of a replace, nor a resource that the program no longer declares: to keep its rows, remove it from the state with "pulumi state delete".',
    `To save the rows in a file first, run "npx webextract export ${shellWord(taskId)} --out FILE".`,
    ...(deleted.length === 0 ? [] : [`This command has deleted before: ${firstOf(deleted, 5)}.`]),
    // An earlier command can have deleted the runs of the task.
    'A "pulumi up" without --target makes again what the program declares and the state no longer has, and starts a paid run for each such CloudRun.',
  ].join(" ");
}

/** The service chooses ids. As JSON, none is taken for a list or for a word such as `true`, which allows the removal of all rows. */
function forcing(taskId: string): string {
  return /^(?=.*\d)[\w./:@-]{2,}$/.test(taskId) ? taskId : shellQuoted(JSON.stringify([taskId]));
}
