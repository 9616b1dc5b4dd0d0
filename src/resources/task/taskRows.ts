import { isServiceError } from "../../service/errors/errors";
import type { Context } from "../resource";
import { ResourceError } from "../resource";

/**
 * Removes a task's rows, unless that would lose any: like a bucket that isn't empty, a task that still holds rows is refused until
 * its owner says otherwise. A task that is gone has none.
 */
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

/** Answers whether there is anything to remove; a refused look counts as "holds rows". */
async function refuseIfRowsAreHeld(taskId: string, context: Context): Promise<boolean> {
  let held: string;
  try {
    // Not the read of what is not exported: on some services that hands rows out.
    const { data } = await context.client.getData({ taskId, offset: 0, size: 1 });
    const rows = Math.max(data.total, data.data.length);
    if (rows === 0) {
      return false;
    }
    held = `the task still holds ${rows} ${rows === 1 ? "row" : "rows"}`;
  } catch (error) {
    if (!isServiceError(error, "refused", "plan", "contract")) {
      throw error;
    }
    held = `whether the task still holds rows cannot be seen (${error.message})`;
  }
  throw new ResourceError(
    `The rows of task "${taskId}" were not removed: ${held}. Nothing was changed. Export the rows first, or choose: ` +
      `forceDestroy: true on the resource and "pulumi up" before the destroy removes them; onDelete: "retain" and "pulumi up" keeps them. ` +
      `Where the resource is already gone from the program or being replaced, set the environment variable ` +
      `WEBEXTRACT_FORCE_DESTROY=${taskId} and run the same command again (or "pulumi config set webextract:forceDestroy ${taskId}" ` +
      `before an up; a destroy uses the configuration of the last up).`,
  );
}
