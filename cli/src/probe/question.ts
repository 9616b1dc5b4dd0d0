import { randomInt, randomUUID } from "node:crypto";
import type { ConfigKey } from "../../../src/config/configKeys";
import type { ServiceTraits } from "../../../src/resources/resource";
import type { ActionShown } from "../../../src/resources/task/taskPresence";
import type { ServiceClient } from "../../../src/service/client";
import type { ServiceError } from "../../../src/service/errors/errors";
import type { ServiceClientOptions } from "../../../src/service/options";
import { shellQuoted } from "../../../src/values/words";
import type { Finding } from "../doctor/findings";
import type { KnownRows } from "./ask/notExported";
import type { Point, Requests } from "./requests";

/** A setting that fits the service. */
export interface FittingSetting {
  /** With its namespace. */
  key: string;
  value: string;
  command: string;
  /** If the setting is right only under a condition. */
  when?: string;
}

/** What the responses to a question show. */
export interface Answer extends Omit<Finding, "is" | "check"> {
  /**
   * `good` (default): the package handles it. `warning`: the package handles it only in part. `problem`: the present
   * settings do not fit. `unclear`: the responses do not show it.
   */
  is?: Finding["is"] | "unclear";
  /**
   * Names of docs/reference/behaviours.md, such as `refreshPath=token`. Several if the responses do not tell them
   * apart, the likeliest first.
   */
  behaviours?: readonly string[];
  setting?: FittingSetting;
  /** An argument of the program that fits, such as `finishedWhen: "rowsSettled"` of each CloudRun. */
  argument?: string;
  /** What the package cannot do at this service, whatever the settings. */
  limitation?: string;
}

/** What a question may use. */
export interface Probing {
  /** A client with the present options. */
  readonly client: ServiceClient;
  /** The same, but for these options. */
  clientWith(changes: Partial<ServiceClientOptions>): ServiceClient;
  /** The present options. */
  readonly options: ServiceClientOptions;
  /** The service accepts the API key in place of the access token, and the settings do not say so. */
  readonly needsKey?: boolean;
  readonly settings: ServiceTraits;
  /** The task of `--task`, or the copy of a probe that writes. */
  readonly taskId?: string;
  readonly requests: Requests;
  /** Absent in a probe that only reads. */
  readonly trial?: Trial;
}

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
  /** Codes of refusals of which the package does not know that they mean that nothing was done. */
  readonly codes: Set<string>;
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

/** With the task of `--task`, or the copy. */
export interface OnTask extends Probing {
  readonly taskId: string;
}

/** In a probe that writes, before the copy. If the service refuses what is asked then, the refusal ends the command. */
export interface OnTrial extends Probing {
  readonly trial: Trial;
}

/** With the copy. */
export type OnCopy = OnTask & OnTrial;

/** With a run of the copy. */
export interface OnRun extends OnCopy {
  readonly trial: Trial & { run: TrialRun };
}

export type Ask<On extends Probing> = (probing: On) => Promise<Answer>;

/** What must be there before a question can be asked. */
type Asked =
  | { readonly needs?: undefined; readonly ask: Ask<Probing> }
  | { readonly needs: "task"; readonly ask: Ask<OnTask> }
  | { readonly needs: "trial"; readonly ask: Ask<OnTrial> }
  | { readonly needs: "copy"; readonly ask: Ask<OnCopy> }
  | { readonly needs: "run"; readonly ask: Ask<OnRun> };

/** Whether a question only reads, writes (to the copy), or starts a run (of the copy). */
export type Sends = "reads" | "writes" | "starts";

/** One thing that is found out about the service, because a setting or the next step of the user depends on it. */
export type Question = Asked & {
  /** What is looked at, in a few words. */
  readonly check: string;
  readonly sends: Sends;
  /** How many requests it needs, at most, if none is sent again. Default: 1. */
  readonly most?: number;
  /** The behaviours that the responses tell apart. Default: none. */
  readonly behaviours?: readonly string[];
  /** What the contract says or, where it says nothing, what most services do. */
  readonly usual: string;
  /** Whether other questions of a probe that writes find out more. */
  readonly onlyWithoutWrites?: true;
};

/** An id that is no task of any account, and of no service's shape. */
export const malformed = "webextract-probe-no-task";

/**
 * A random id of the shape of another one, which no service has issued. For a short shape it is {@link malformed},
 * because a random id could be a task of the account, and a request for it could have an effect.
 */
export function unissued(like: string): string {
  if (uuid.test(like)) {
    return randomUUID();
  }
  const isHex = !/[g-z]/i.test(like);
  const letters = isHex ? "abcdef" : "abcdefghijklmnopqrstuvwxyz";
  const random = like.replace(/[0-9a-z]/gi, (one) => {
    const among = /\d/.test(one) ? "0123456789" : one === one.toLowerCase() ? letters : letters.toUpperCase();
    return among.charAt(randomInt(among.length));
  });
  return (like.match(/[0-9a-z]/gi)?.length ?? 0) >= 18 ? random : malformed;
}

/** Notes the code of a refusal if it is not known to mean that nothing was done. */
export function noteCode(codes: Set<string> | undefined, { refusal }: { refusal?: ServiceError }): void {
  if (refusal?.kind === "refused" && refusal.outcome === "unknown") {
    for (const code of vocabulary([refusal.code])) codes?.add(code);
  }
}

export function readRows(client: ServiceClient, taskId: string): ReturnType<ServiceClient["getData"]> {
  return client.getData({ taskId, offset: 0, size: 1 });
}

export function settingOf(name: ConfigKey, value: string): FittingSetting {
  const key = `webextract:${name}`;
  return { key, value, command: `pulumi config set ${key} ${shellQuoted(value)}` };
}

/** What became of a request, in a report. */
export function outcomeIn({ refusal }: { refusal?: ServiceError }): string {
  return refusal === undefined ? "accepted" : refusalIn(refusal);
}

/** A problem with the remedy of another value of a setting. */
export function needsSetting(name: ConfigKey, value: string, shown: Pick<Answer, "found" | "behaviours">): Answer {
  const setting = settingOf(name, value);
  return { is: "problem", ...shown, remedy: `Run: ${setting.command}`, setting };
}

/** The refusal of a request that the package needs, whatever the settings. */
export function refused(refusal: ServiceError, limitation: string): Answer {
  return { is: "problem", found: `A refusal: ${refusalIn(refusal)}.`, limitation };
}

/**
 * Words of the service's own vocabulary, each once: statuses and types of actions. Reports are attached to public
 * issues, so no other text of a response is shown: it could be data.
 */
export function vocabulary(words: readonly unknown[]): string[] {
  const isWord = (word: unknown): word is string =>
    typeof word === "string" && /^[A-Za-z][A-Za-z._ -]{0,39}$/.test(word);
  return [...new Set(words)].filter(isWord);
}

export function described(words: readonly unknown[]): string {
  const shown = vocabulary(words);
  const left = new Set(words).size - shown.length;
  return [...shown, ...(left === 0 ? [] : [`${left} more, which could be data`])].join(", ");
}

/** A refusal in a report: its status and its code. */
export function refusalIn({ status, code }: { status?: number; code?: string }): string {
  const [word] = vocabulary([code]);
  return `${status}${code === undefined ? " without a code" : ` ${word ?? "with a code"}`}`;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The form of an id, for a report that shows none. */
export function shapeOf(id: unknown): string {
  const text = String(id);
  if (uuid.test(text)) {
    return "a UUID";
  }
  const kind = /^\d+$/.test(text)
    ? "digits"
    : /^[0-9A-Z]+:[0-9]+$/i.test(text)
      ? "characters with a colon"
      : "characters";
  return `${text.length} ${kind}${typeof id === "string" ? "" : ", not a string"}`;
}
