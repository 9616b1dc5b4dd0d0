export interface RunName {
  taskId: string;
  lotNo: string;
}

/** Why the user has to do something about a run. The advice is worded where it is shown: a program has arguments, the command line has options. */
export interface RunReason extends RunName {
  reason:
    | "notFinished"
    | "timedOut"
    /** Timed out, and the service has listed no subtasks. */
    | "noSubtasks"
    /** Timed out, and the service lists only subtasks from before the start. */
    | "earlierSubtasks"
    /** Timed out, and some statuses count as running. */
    | "stillRunning"
    | "superseded"
    | "failed"
    | "stopped"
    | "notStopped";
}
