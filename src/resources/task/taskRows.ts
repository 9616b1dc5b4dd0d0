import { isServiceError } from "../../service/errors/errors";
import type { Context } from "../resource";
import { ResourceError } from "../resource";
import { counted } from "../values";

/** Removes a task's rows. Refuses if the task still has rows and the removal is not forced. */
export async function removeRows(
  taskId: string,
  forceDestroy: boolean,
  context: Context,
): Promise<"empty" | "task gone"> {
  const forced = forceDestroy || context.settings.forceDestroy(taskId);
  try {
    if (!forced && !(await refuseIfRowsAreHeld(taskId, context))) {
      return "empty";
    }
    await context.client.removeData({ taskId });
    return "empty";
  } catch (error) {
    if (!isServiceError(error, "notFound")) {
      throw error;
    }
    return "task gone";
  }
}

/** Returns false if there are no rows, and throws if there are. A read that is refused counts as rows. */
async function refuseIfRowsAreHeld(taskId: string, context: Context): Promise<boolean> {
  let held: string;
  try {
    // Not the read of rows that are not exported, because some services return rows only once with that read.
    const { data } = await context.client.getData({ taskId, offset: 0, size: 1 });
    const rows = Math.max(data.total, data.data.length);
    if (rows === 0) {
      return false;
    }
    held = `the task still has ${counted(rows, "row")}`;
  } catch (error) {
    if (!isServiceError(error, "refused", "plan", "contract")) {
      throw error;
    }
    held = `the service does not show whether the task still has rows (${error.message})`;
  }
  throw new ResourceError(
    `The rows of task "${taskId}" were not removed: ${held}. Nothing was changed. Export the rows first, or choose: ` +
      `to remove the rows, set forceDestroy: true on the resource and run "pulumi up" before the destroy; to keep the rows, set onDelete: "retain" and run "pulumi up". ` +
      `If the resource is already removed from the program or is being replaced, set the environment variable ` +
      `WEBEXTRACT_FORCE_DESTROY=${taskId} and run the same command again (or run "pulumi config set webextract:forceDestroy ${taskId}" ` +
      `before an up; a destroy uses the configuration of the last up).`,
  );
}
