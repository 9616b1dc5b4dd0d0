import { isServiceError } from "../../service/errors/errors";
import { ResourceError } from "../../values/errors";
import { counted } from "../../values/words";
import type { Context } from "../resource";

/** A delete that would have removed rows without permission. */
export class RowsAreHeld extends ResourceError {
  constructor(
    readonly taskId: string,
    held: string,
  ) {
    super(`The rows of task "${taskId}" were not removed: ${held}. Nothing of the task was changed.`);
  }
}

/**
 * Removes a task's rows. Refuses if the task still has rows and the removal is not forced, or comes before resources
 * that can have the same task.
 */
export async function removeRows(
  taskId: string,
  forceDestroy: boolean,
  { client, settings, isDeletedFirst }: Context,
): Promise<"empty" | "task gone"> {
  try {
    if (isDeletedFirst !== true && (forceDestroy || settings.forceDestroy(taskId))) {
      await client.removeData({ taskId });
      return "empty";
    }
    // Not the read of rows that are not exported, because some services return rows only once with that read.
    const { data } = await client.getData({ taskId, offset: 0, size: 1 });
    const rows = Math.max(data.total, data.data.length);
    if (rows > 0) {
      throw new RowsAreHeld(taskId, `the task still has ${counted(rows, "row")}`);
    }
    return "empty";
  } catch (error) {
    if (isServiceError(error, "notFound")) {
      return "task gone";
    }
    if (isServiceError(error, "refused", "plan", "contract") && error.operation === "getData") {
      throw new RowsAreHeld(taskId, `the service does not show whether the task still has rows (${error.message})`);
    }
    throw error;
  }
}
