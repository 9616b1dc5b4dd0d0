import { isServiceError } from "../../service/errors/errors";
import type { Context } from "../resource";
import { ResourceError } from "../resource";
import { counted } from "../values";

/** A delete that would have removed rows without permission. */
export class RowsAreHeld extends ResourceError {
  constructor(
    readonly taskId: string,
    held: string,
  ) {
    super(`The rows of task "${taskId}" were not removed: ${held}. Nothing of the task was changed.`);
  }
}

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
  throw new RowsAreHeld(taskId, held);
}
