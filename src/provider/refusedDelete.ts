import type { RowsAreHeld } from "../resources/task/taskRows";

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
    `To remove the rows, run the same command again with the environment variable WEBEXTRACT_FORCE_DESTROY=${taskId}.`,
    ...(isUp || urn === undefined
      ? []
      : [
          `To keep the task and its rows, set onDelete: "retain" on the resource, and run "pulumi up --target ${quoted(urn)}" and then the same command again.`,
        ]),
    `To save the rows in a file first, run "npx webextract export ${taskId} --out FILE".`,
  ];
  return [message, ...ways, ...(isUp ? [] : describeDeleted(deleted))].join(" ");
}

/** As a word of a shell: a name can contain anything. */
function quoted(urn: string): string {
  return `'${urn.replaceAll("'", () => "'\\''")}'`;
}

const mostTitles = 5;

function describeDeleted(titles: readonly string[]): string[] {
  if (titles.length === 0) {
    return [];
  }
  const more = titles.length - mostTitles;
  const named = [...titles.slice(0, mostTitles), ...(more > 0 ? [`${more} more`] : [])].join(", ");
  const paid = titles.some((title) => title.startsWith("CloudRun ")) ? ", and start a paid run" : "";
  return [`Already out of the state: ${named}. A "pulumi up" without --target would make them again${paid}.`];
}
