import type { RunName, RunReason } from "../../src/values/errors";
import { PartialFailure, ResourceError } from "../../src/values/errors";
import { moreAt, shellWord } from "../../src/values/words";

/**
 * What the user of the command line can do next, after the message of an error about a run. Nothing after other
 * messages.
 * @param stack the option of the command, which the next one needs too
 */
export function adviceOn(error: unknown, stack: string | undefined): string {
  const isOfResource = error instanceof PartialFailure || error instanceof ResourceError;
  if (!isOfResource || error.about === undefined) {
    return "";
  }
  const { reason, ...run } = error.about;
  const command = waitCommand(run, stack);
  const again = `Run "${command}" to continue to wait: no second run is started.`;
  const newRun = `To start a new run, run "webextract run ${shellWord(run.taskId)}${stackOption(stack)}".`;
  const otherWays = moreAt("troubleshooting.md#runs");
  const advice: Record<RunReason["reason"], string> = {
    notFinished: again,
    timedOut: `${again} It takes the listed subtasks as those of this run.\n${otherWays}`,
    superseded: `Wait for the end of the other run before you start the next one.\n${otherWays}`,
    failed: `${newRun}\n${otherWays}`,
    notStopped: "Run the same command again.",
  };
  return `\n${advice[reason]}`;
}

/** After a start whose response was lost. */
export function lostStart(taskId: string, stack: string | undefined): string {
  const command = waitCommand({ taskId, lotNo: "LOTNO" }, stack);
  return (
    `A paid run of task "${taskId}" may have started. The API cannot list runs: look in the service's own interface. ` +
    `If it did, run "${command}" with its lotNo to wait for it. If it did not, run the same command again.`
  );
}

/** The command that waits for a run. */
export function waitCommand({ taskId, lotNo }: RunName, stack: string | undefined): string {
  return `webextract run ${shellWord(taskId)} --lot-no ${shellWord(lotNo)}${stackOption(stack)}`;
}

function stackOption(stack: string | undefined): string {
  return stack === undefined ? "" : ` --stack ${shellWord(stack)}`;
}
