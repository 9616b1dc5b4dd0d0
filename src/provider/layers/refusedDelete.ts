import type { RowsAreHeld } from "../../resources/task/taskRows";
import { shellQuoted } from "../../resources/values";

/** What was deleted before the refusal, in this command. */
export interface BeforeRefusal {
  /** Titles of resources, such as `CloudRun "run"`. */
  deleted: readonly string[];
  /** Whether the program declares resources in this command: it is an up, and no destroy. */
  isUp: boolean;
}

const mostTitles = 5;

/**
 * The ways to continue after a refused delete. None of them starts a run: the resources that were deleted before have left the state, so an up of the whole
 * stack would make them again.
 */
export function describeRefusedDelete(
  { message, taskId }: RowsAreHeld,
  urn: string | undefined,
  { deleted, isUp }: BeforeRefusal,
): string {
  const keepsTask = `To keep the task and its rows, set onDelete: "retain" on the resource, and run "pulumi up --target ${urn === undefined ? "URN" : shellQuoted(urn)}" and then the same command again.`;
  const more = deleted.length - mostTitles;
  const left = [...deleted.slice(0, mostTitles), ...(more > 0 ? [`${more} more`] : [])].join(", ");
  return [
    message,
    `To remove the rows, run the same command again with the environment variable WEBEXTRACT_FORCE_DESTROY=${taskId} (or =true, for all tasks).`,
    ...(isUp ? [] : [keepsTask]),
    `To save the rows in a file first, run "npx webextract export ${taskId} --out FILE".`,
    ...(deleted.length === 0 ? [] : [`Already out of the state: ${left}.`]),
    // An earlier command can have deleted the runs of the task.
    'A "pulumi up" without --target makes again what has left the state, and starts a paid run for each CloudRun of the program.',
  ].join(" ");
}
