import type { RunAdvice, RunName } from "../resources/run/runAdvice";

/**
 * What the user of the command line can do next about a run.
 * @param stack the option of the command, which the next one needs too
 */
export function adviceFor(stack: string | undefined): RunAdvice {
  const waitFor = (run: RunName): string => waitCommand(run, stack);
  const start = (taskId: string): string => `webextract run ${taskId}${stackOption(stack)}`;
  return {
    waitAgain: (run) => `Run "${waitFor(run)}" to continue to wait`,
    waitLonger: "raise --timeout",
    settle: "If this task never splits into subtasks, use --finished-when rowsSettled.",
    settleTime: "the time of --settle",
    running: (statuses) =>
      `These statuses count as running: ${statuses}. If one of them means the end, add it to webextract:statuses (WEBEXTRACT_STATUSES).`,
    takeList: (run) => `run "${waitFor(run)}"`,
    startedBy: "elsewhere",
    superseded: (run) =>
      `Wait for its end before you start the next run. If the listed subtasks belong to this run after all, run "${waitFor(run)}".`,
    endedBadly(run, end) {
      const alternative =
        end === "failed"
          ? "accept them with --fail-on never"
          : 'if this status does not mean "stopped" for this service, set webextract:statuses (WEBEXTRACT_STATUSES)';
      return (
        `Start the named subtasks again at the service and run "${waitFor(run)}", which continues to wait; ` +
        `or start a new run with "${start(run.taskId)}"; or ${alternative}.`
      );
    },
    stopAgain: "Run the same command again.",
    lostStart: (taskId) =>
      `If it did, run "${waitFor({ taskId, lotNo: "LOTNO" })}" with its lotNo to wait for it. If it did not, run the same command again.`,
  };
}

/** The command that waits for a run. */
export function waitCommand({ taskId, lotNo }: RunName, stack: string | undefined): string {
  return `webextract run ${taskId} --lot-no ${lotNo}${stackOption(stack)}`;
}

function stackOption(stack: string | undefined): string {
  return stack === undefined ? "" : ` --stack ${stack}`;
}
