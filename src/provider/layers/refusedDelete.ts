import type { RowsAreHeld } from "../../resources/task/taskRows";
import { firstOf, shellQuoted } from "../../resources/values";

/**
 * The ways to continue after a refused delete. None of them starts a run: the resources that were deleted before have left the state, so an up of the whole
 * stack would make them again.
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
    'This does not reach the old task of a replace: to keep that one, remove it from the state with "pulumi state delete".',
    `To save the rows in a file first, run "npx webextract export ${taskId} --out FILE".`,
    ...(deleted.length === 0 ? [] : [`Already out of the state: ${firstOf(deleted, 5)}.`]),
    // An earlier command can have deleted the runs of the task.
    'A "pulumi up" without --target makes again what has left the state, and starts a paid run for each CloudRun of the program.',
  ].join(" ");
}
