/**
 * What the user can do next about a run. It differs between a program and the command line. All other messages are the same. Each is a part
 * of a sentence or whole sentences, as the default shows.
 */
export interface RunAdvice {
  /** How to continue to wait. A part of a sentence. */
  waitAgain(run: RunName): string;
  /** How to wait longer, after "or". */
  waitLonger: string;
  /** How to wait for a task that never splits into subtasks. A whole sentence. */
  settle: string;
  /** The name of the time for which the number of rows must stay the same. */
  settleTime: string;
  /** Which statuses count as running, and where to declare another meaning. Whole sentences. */
  running(statuses: string): string;
  /** How to declare that the listed subtasks belong to this run. A part of a sentence. */
  takeList(run: RunName): string;
  /** Who may have started another run of the task. A part of a sentence. */
  startedBy: string;
  /** After another run of the task has begun. Whole sentences. */
  superseded(run: RunName): string;
  /** After subtasks have failed or were stopped. A whole sentence. */
  endedBadly(run: RunName, end: "failed" | "stopped"): string;
  /** After a failed stop. A whole sentence. */
  stopAgain: string;
  /** After a start whose response was lost. Whole sentences. Default: the advice of every resource with a lost response. */
  lostStart?: (taskId: string) => string;
}

export interface RunName {
  taskId: string;
  lotNo: string;
}

/** For a program, in terms of the arguments of CloudRun. */
export const programAdvice: RunAdvice = {
  waitAgain: () => 'Run "pulumi up" again to continue to wait',
  waitLonger: "raise timeoutSeconds",
  settle: 'If this task never splits into subtasks, set finishedWhen: "rowsSettled".',
  settleTime: "settleSeconds",
  running: (statuses) =>
    `These statuses count as running: ${statuses}. If one of them means the end, add it to statuses or to webextract:statuses.`,
  takeList: ({ lotNo }) => `set adoptLotNo: "${lotNo}"`,
  startedBy: "elsewhere or by another CloudRun of this program",
  superseded: ({ lotNo }) =>
    'If two CloudRuns use it, let one wait for the other (dependsOn, and waitFor: "finished" on the first), or declare one. ' +
    `To start a new run, change triggers. If the listed subtasks belong to this run after all, set adoptLotNo: "${lotNo}".`,
  endedBadly(_run, end) {
    const alternative =
      end === "failed"
        ? 'set failOn: "never" to accept them'
        : 'if this status does not mean "stopped" for this service, set statuses';
    return (
      'Start the named subtasks again at the service and run "pulumi up", which continues to wait; ' +
      `or start a new run: change triggers, or run "pulumi up --replace" with the URN of this resource; or ${alternative}.`
    );
  },
  stopAgain: 'Run the same command again, or set onDelete: "retain" and run "pulumi up" first.',
};
