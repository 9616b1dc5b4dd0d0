import type { ConfigKey } from "../../config/configKeys";
import { configKeys } from "../../config/configKeys";
import type { ServiceTraits } from "../../resources/resource";
import { shellQuoted } from "../../resources/values";
import type { ServiceClientOptions } from "../../service/options";
import type { Finding } from "../findings/findings";
import type { Asker } from "./asker";
import type { Words } from "./words";

/** A setting that fits the service. */
export interface FittingSetting {
  /** With its namespace. */
  key: string;
  variable: string;
  value: string;
  command: string;
  /** If the setting is right only under a condition. */
  when?: string;
}

/** What the responses to a question show. */
export interface Answer extends Omit<Finding, "is" | "check"> {
  /**
   * `good` (default): the package handles it. `warning`: a setting would help, or the package handles it only in part. `problem`: the present settings do
   * not fit. `unclear`: the responses do not show it.
   */
  is?: Finding["is"] | "unclear";
  /** Names of docs/reference/behaviours.md, such as `errorBody=legacy`. Several if the responses do not tell them apart. */
  behaviours?: readonly string[];
  setting?: FittingSetting;
}

/** What a question may use. */
export interface Probing {
  readonly asker: Asker;
  /** The task of `--task`. */
  readonly taskId?: string;
  /** The present settings. */
  readonly options: ServiceClientOptions;
  readonly settings: ServiceTraits;
  readonly words: Words;
}

/** One thing that is found out about the service, because a setting or the next step of the user depends on it. */
export interface Question {
  /** What is looked at, in a few words. */
  readonly check: string;
  /** The behaviours that the responses tell apart. */
  readonly behaviours: readonly string[];
  /** Whether it is asked only with `--task`. */
  readonly needsTask?: true;
  /** Undefined if there is nothing to say. */
  ask(probing: Probing): Promise<Answer | undefined>;
}

export function settingOf(name: ConfigKey, value: string, when?: string): FittingSetting {
  const key = `webextract:${name}`;
  const isPlain = /^[\w./:,-]+$/.test(value);
  const command = `pulumi config set ${key} ${isPlain ? value : shellQuoted(value)}`;
  return { key, variable: configKeys[name].environment, value, command, ...(when === undefined ? {} : { when }) };
}

/** What to do about a setting that does not fit. */
export function remedyOf({ command, variable }: FittingSetting): string {
  return `Run: ${command} (or set ${variable}).`;
}
