import type { RowsAreHeld } from "../resources/task/taskRows";
import { shellQuoted } from "../resources/values";

/** What was deleted before the refusal, in this command. */
export interface BeforeRefusal {
  /** Titles of resources, such as `CloudRun "run"`. */
  deleted: readonly string[];
  /** Whether the program declares resources in this command: it is an up, and no destroy. */
  isUp: boolean;
}

/**
 * The ways to continue after a refused delete. None of them starts a run: the resources that were deleted before have left the state, so an up of the whole
 * stack would make them again.
 */
export function describeRefusedDelete(
  { message, taskId }: RowsAreHeld,
  urn: string | undefined,
  { deleted, isUp }: BeforeRefusal,
): string {
  const ways = [
    `To remove the rows, run the same command again with the environment variable WEBEXTRACT_FORCE_DESTROY=${taskId} (or =true, for all tasks).`,
    ...(isUp
      ? []
      : [
          `To keep the task and its rows, set onDelete: "retain" on the resource, and run "pulumi up --target ${urn === undefined ? "URN" : shellQuoted(urn)}" and then the same command again.`,
        ]),
    `To save the rows in a file first, run "npx webextract export ${taskId} --out FILE".`,
  ];
  return [message, ...ways, ...describeDeleted(deleted, isUp)].join(" ");
}

const mostTitles = 5;

function describeDeleted(titles: readonly string[], isUp: boolean): string[] {
  const again = isUp
    ? "If you put them back into the program, an up makes them again"
    : 'A "pulumi up" without --target makes them again';
  if (titles.length === 0) {
    // An earlier command can have deleted the runs of the task.
    return isUp
      ? []
      : ['A "pulumi up" without --target makes runs again that have left the state, and starts paid runs.'];
  }
  const more = titles.length - mostTitles;
  const named = [...titles.slice(0, mostTitles), ...(more > 0 ? [`${more} more`] : [])].join(", ");
  const paid = titles.some((title) => title.startsWith("CloudRun ")) ? ", and starts a paid run for each CloudRun" : "";
  return [`Already out of the state: ${named}. ${again}${paid}.`];
}
