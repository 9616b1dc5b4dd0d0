import type { RowsAreHeld } from "../../resources/task/taskRows";
import { firstOf, shellQuoted } from "../../resources/values";

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
    `To remove the rows, run the same command again with the environment variable WEBEXTRACT_FORCE_DESTROY=${taskId} (or =true, for all tasks).`,
    `To keep the task and its rows in a destroy, set onDelete: "retain" on the resource, and run "pulumi up --target ${target}"${whereUrn} and then the same command again.`,
    'This does not reach the old task of a replace, nor a resource that the program no longer declares: to keep its rows, remove it from the state with "pulumi state delete".',
    `To save the rows in a file first, run "npx webextract export ${taskId} --out FILE".`,
    ...(deleted.length === 0 ? [] : [`This command has deleted before: ${firstOf(deleted, 5)}.`]),
    // An earlier command can have deleted the runs of the task.
    'A "pulumi up" without --target makes again what the program declares and the state no longer has, and starts a paid run for each such CloudRun.',
  ].join(" ");
}
