import { rename, stat } from "node:fs/promises";
import type { Context } from "../../resource";
import type { DataExportArgs } from "../model";
import type { OutputFile } from "../outputFile";
import { NoMarking } from "./noMarking";

/** The read of an export without a state and without a mark. Each one begins with the first row, and writes a new file. */
export class CommandRead extends NoMarking {
  protected override readonly whatToDo = "Wait for the end of the run, then export again.";

  /** @param keepsRows whether the rows of an export that fails stay, in a file that the error names */
  constructor(
    args: DataExportArgs,
    context: Context,
    private readonly keepsRows: boolean,
  ) {
    super(args, context);
  }

  override async fail(file: OutputFile, error: unknown): Promise<unknown> {
    await file.close();
    const { temporaryPath } = file;
    const length = await stat(temporaryPath).then(
      ({ size }) => size,
      () => 0,
    );
    if (!this.keepsRows || length === 0 || !(error instanceof Error)) {
      await file.discard();
      return error;
    }
    // No later export removes a file of this name.
    const kept = temporaryPath.replace(/\.tmp$/, ".ndjson");
    await rename(temporaryPath, kept);
    error.message += ` The rows that were read are in "${kept}", one on each line; the last line may be cut off. The next export reads all rows again.`;
    return error;
  }

  protected override interruption(rowCount: number, total: number): string {
    return `The export was interrupted after ${rowCount} of ${total} rows of task "${this.args.taskId}".`;
  }

  protected override readonly ifIncomplete = "";
}
