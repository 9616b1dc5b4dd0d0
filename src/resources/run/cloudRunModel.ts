import { shownId } from "../../service/errors/foreignText";
import { anything, boolean, choice, id, list, number, string } from "../../values/kinds";
import type { ArgsSpec } from "../args";
import { object } from "../args";
import type { Context, PendingState, ProfileArgs, Statuses } from "../resource";
import type { LostResponseState } from "../task/lostResponse";
import type { LabelArg, LabelState } from "./runLabels";
import { withStatuses } from "./statuses";
import type { SubtaskCounts, SubtaskFingerprint } from "./subtaskList";

/**
 * One run of a task in the cloud. The run starts when the resource is created, which can cost money. A new run starts
 * only when `triggers`, `rerunOn`, `taskId` or `adoptLotNo` changes, or under a new run label. Needs a Professional or
 * Enterprise plan.
 *
 * | step | call |
 * |---|---|
 * | create | `GET /cloudextraction/task/subtasks`, `POST /cloudextraction/start`. A wait reads the subtasks again every `pollSeconds`, and `GET /data/lotno/all` for the number of rows |
 * | read | `GET /cloudextraction/task/subtasks` for the status, which is never drift. None after the run has finished |
 * | update | none, or a wait as in create. Never a start |
 * | delete | none, or `POST /cloudextraction/subtasks:stop` with `onDelete: "stop"` |
 *
 * When a wait fails or is interrupted with Ctrl-C, the run stays in the state and the next `up` continues to wait. A
 * wait continues during an outage of the service: no connection, no response, a 5xx response or too many requests. A
 * refusal ends the wait.
 */
export interface CloudRunArgs extends ProfileArgs {
  /** The task to run. Pass the `id` of a TaskCopy. A change replaces. */
  taskId: string;
  /**
   * Any values, but no resources: name a property, such as `copy.id`, or use `rerunOn`. A change starts a new run: the
   * resource is replaced, the old one is deleted first.
   */
  triggers?: unknown;
  /** Resources of this package. A change of any of their arguments starts a new run, as a change of `triggers` does. */
  rerunOn?: unknown[];
  /**
   * Whether an up with a new run label (`WEBEXTRACT_RUN_LABEL`) starts a new run. A change starts no run by itself.
   * @default true
   */
  runOnLabel?: boolean;
  /**
   * `finished`: the resource waits for the end of the run, and fails if subtasks have failed or were stopped. Use it
   * before an export that needs all rows. A change to `finished` waits for the existing run.
   * @default "started"
   */
  waitFor?: "started" | "finished";
  /**
   * How long one up waits for the end of the run, in seconds. 0 reads the status once. A change starts no run.
   * @default 3600
   */
  timeoutSeconds?: number;
  /**
   * Seconds between two reads of the subtasks, at least 0.1. A change starts no run.
   * @default 10
   */
  pollSeconds?: number;
  /**
   * When the run counts as finished. `subtasks`: all subtasks have a finished status. `rowsSettled`: in addition, the
   * number of rows has not changed for `settleSeconds`, and is above 0 if no subtasks are listed; for tasks that never
   * split into subtasks, and if rows arrive late. A change starts no run.
   * @default "subtasks"
   */
  finishedWhen?: "subtasks" | "rowsSettled";
  /**
   * How long the number of rows must stay the same with `rowsSettled`, in seconds. A change starts no run.
   * @default 60
   */
  settleSeconds?: number;
  /**
   * The meaning of subtask statuses for this run, without regard to case. Any other status means "running". Exports use
   * `webextract:statuses`. A change starts no run.
   * @default the value of `webextract:statuses` for each field that is not given
   */
  statuses?: {
    /** The subtask has done its work. */
    finished?: string[];
    /** The subtask has ended without doing its work. */
    failed?: string[];
    /** Somebody has stopped the subtask. */
    stopped?: string[];
  };
  /**
   * Whether failed subtasks make the wait fail. Stopped subtasks always do. A change starts no run.
   * @default "failed"
   */
  failOn?: "failed" | "never";
  /**
   * What a delete does with the run. `stop` stops its running subtasks and waits for that, for `timeoutSeconds`, at
   * most 300. Set it before the run starts: subtasks that are first seen later can belong to another run, and are never
   * stopped. A change makes no call.
   * @default "retain"
   */
  onDelete?: "retain" | "stop";
  /**
   * The `lotNo` of a run whose start got no response, or that was started elsewhere. The resource adopts the run, with
   * the subtasks listed then, which it never stops, and starts none. A different `lotNo` replaces. The present `lotNo`
   * declares that the subtasks listed now belong to this run.
   */
  adoptLotNo?: string;
  /**
   * After a start whose response was lost, a new string starts the run again, as a replace. At any other time a change
   * makes no call.
   */
  retry?: string;
}

/** The arguments after `check`. A create adds the labels of the state. */
export interface CheckedCloudRunArgs extends CloudRunArgs, LabelState {}

export interface CloudRunState extends CloudRunArgs, LabelState, LostResponseState, PendingState {
  /** The batch number. */
  lotNo: string;
  /**
   * The service's status at the start (`started` if it tells none), or `adopted`. Later `running`, `finished`, `failed`,
   * `stopped`, or `superseded` by another run of the task.
   */
  status: string;
  /** The run's subtasks at the last read: `total` and `byStatus`. */
  subtasks: SubtaskCounts;
  /**
   * The task's subtasks just before the start.
   * @internal
   */
  listBefore?: SubtaskFingerprint;
  /**
   * The run's own subtasks when they were first seen.
   * @internal
   */
  ownList?: SubtaskFingerprint;
}

const words = list(string, { mayBeEmpty: true });

export const cloudRunArgs = {
  taskId: { kind: id, required: true, replaces: true },
  triggers: { kind: anything },
  rerunOn: { kind: list(anything, { mayBeEmpty: true }) },
  runOnLabel: { kind: boolean, default: true, option: true },
  runLabel: { derived: true, givenByClass: true, option: true },
  waitFor: { kind: choice("started", "finished"), default: "started", option: true },
  timeoutSeconds: { kind: number(0), default: 3600, option: true },
  pollSeconds: { kind: number(0), default: 10, option: true },
  finishedWhen: { kind: choice("subtasks", "rowsSettled"), default: "subtasks", option: true },
  settleSeconds: { kind: number(0), default: 60, option: true },
  statuses: {
    kind: object<Required<CloudRunArgs>["statuses"]>({
      finished: { kind: words },
      failed: { kind: words },
      stopped: { kind: words },
    }),
    option: true,
  },
  failOn: { kind: choice("failed", "never"), default: "failed", option: true },
  onDelete: { kind: choice("retain", "stop"), default: "retain", option: true },
  adoptLotNo: { kind: id, option: true },
  retry: { kind: string, option: true },
  profile: { kind: string, option: true },
} satisfies ArgsSpec<CloudRunArgs, keyof LabelArg>;

/** How often to read the list, in seconds, and for how long. */
export function timesOf(run: CloudRunState): { timeoutSeconds: number; pollSeconds: number } {
  const { timeoutSeconds, pollSeconds } = cloudRunArgs;
  return {
    timeoutSeconds: run.timeoutSeconds ?? timeoutSeconds.default,
    pollSeconds: run.pollSeconds ?? pollSeconds.default,
  };
}

/** The meaning of statuses for this run. */
export function statusesOf({ statuses }: Pick<CloudRunArgs, "statuses">, { settings }: Context): Statuses {
  return withStatuses(settings.statuses, statuses);
}

/** As messages name a run. The lotNo is empty if the user does not know it. */
export function nameOf({ lotNo, taskId }: Pick<CloudRunState, "lotNo" | "taskId">): string {
  return lotNo === "" ? `The run of task "${taskId}"` : `Run ${shownId(lotNo)} of task "${taskId}"`;
}
