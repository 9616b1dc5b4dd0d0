import type { RowsAreHeld } from "../resources/task/taskRows";
import type { PartialFailure, ResourceError, RunReason } from "../values/errors";
import { firstOf, moreAt, shellQuoted } from "../values/words";

/**
 * The message of a resource's error. About a run, the next line says what to do, in terms of the arguments of CloudRun.
 */
export function programMessage({ message, about }: PartialFailure | ResourceError): string {
  return about === undefined ? message : `${message}\n${nextStep[about.reason]}`;
}

const otherWays = moreAt("troubleshooting.md#runs");
const again = 'Run "pulumi up" again to continue to wait: no second run is started.';

const nextStep: Record<RunReason["reason"], string> = {
  notFinished: again,
  timedOut: `${again}\n${otherWays}`,
  superseded: `To start a new run, change triggers.\n${otherWays}`,
  failed: `To start a new run, change triggers.\n${otherWays}`,
  notStopped: 'Run the same command again, or set onDelete: "retain" and run "pulumi up" first.',
};

/**
 * A refused delete: of a destroy, of a replace, or of a resource that was removed from the program. The page has the
 * ways to keep the rows.
 * @param deleted titles of resources, such as `CloudRun "run"`, that this command has deleted
 * @param removed the URN of a resource that the program of this command does not declare
 */
export function describeRefusedDelete(
  { message, taskId }: RowsAreHeld,
  deleted: readonly string[] = [],
  removed?: string,
): string {
  // An earlier command can have deleted the runs of the task.
  const gone = deleted.length === 0 ? "" : `This command has deleted before: ${firstOf(deleted, 5)}. `;
  const next =
    removed === undefined
      ? 'A "pulumi up" without --target starts a paid run for each CloudRun that the state no longer has.'
      : `Until you choose, each up ends like this.\nTo keep the task and its rows: pulumi state delete ${shellQuoted(removed)}`;
  return [
    message,
    `${gone}${next}`,
    `To remove the rows, run the same command again with the environment variable WEBEXTRACT_FORCE_DESTROY=${forcing(taskId)} (or =true, for all tasks).`,
    moreAt(removed === undefined ? "how-to/destroy.md#a-destroy-that-is-refused" : "how-to/manifests.md#remove-a-task"),
  ].join("\n");
}

/** The refused delete of a task that `deleteBeforeReplace` puts before its replacement. */
export function describeEarlyDelete({ message }: RowsAreHeld): string {
  return [
    message,
    "With deleteBeforeReplace, this delete comes before the resources that the program declares later, and they can have the same task.",
    'Remove deleteBeforeReplace from the options, and run "pulumi up" again: the delete comes last then.',
    moreAt("how-to/destroy.md#a-destroy-that-is-refused"),
  ].join("\n");
}

/**
 * The service chooses ids. As JSON, none is taken for a list or for a word such as `true`, which allows the removal of
 * all rows.
 */
function forcing(taskId: string): string {
  return /^(?=.*\d)[\w./:@-]{2,}$/.test(taskId) ? taskId : shellQuoted(JSON.stringify([taskId]));
}
