import type { ActionShown } from "../../resources/task/taskPresence";
import type { KnownRows } from "./ask/notExported";
import type { Point } from "./requests";

/** The list of a loop of the copy. */
export interface TrialLoop {
  actionId: string;
  actionType: string;
  loopType: string;
  /** As the service showed them when the copy was new. */
  items: readonly string[];
}

/** A property of an action of the copy. */
export interface TrialProperty {
  actionId: string;
  actionType: string;
  name: string;
  value: string;
}

/** The run of the copy. */
export interface TrialRun {
  /** The last request before the start. */
  begun: Point;
  /** Absent if the response to the start has none. */
  lotNo?: string;
  startStatus?: string;
  /** What the reads of the subtask list showed, in order. */
  looks: { seconds: number; ids: string[]; statuses: string[] }[];
  /** The totals of the task's rows, in the order of the reads after the run. */
  totals: number[];
  /** The total while the run was shown as running. */
  during?: number;
  hasEnded: boolean;
  /** Whether a change at its beginning was accepted. */
  changeAccepted?: boolean;
}

/** What a probe that writes has made, and knows of it. */
export interface Trial {
  /** The task that is copied. Only the copy names it. */
  readonly from: string;
  readonly group: string;
  readonly startsRun: boolean;
  /** Waits, in milliseconds. */
  sleep(milliseconds: number): Promise<void>;
  /** Called before a request that makes something: what a forced end must say. */
  making(what: "copy" | "run"): void;
  /** Called when it is clear what exists now. */
  made(): void;
  /** The copy. Absent before it exists. */
  taskId?: string;
  /** Why it is not known whether something was made. */
  lost?: "copy" | "run";
  actions: ActionShown[];
  loop?: TrialLoop;
  property?: TrialProperty;
  /** Whether the service accepts the API key for reads of the copy. */
  takesKey?: boolean;
  /** The credential of the upload of start URLs, if it accepts one. */
  uploadsWith?: "apiKey" | "bearer";
  /** Rows of the largest page that it accepts. */
  pageMax?: number;
  run?: TrialRun;
  /** The rows of the copy. */
  rows?: KnownRows;
  /** Where a page in the middle begins, and whether the first one was empty. */
  middle?: { next: number; isEmpty: boolean };
}
