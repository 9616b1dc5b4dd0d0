import type { Properties } from "../engine/serialization";
import type { AnyResource } from "../resources/index";
import type { Difference } from "../resources/resource";
import type { Host } from "./host";

/** One call of the engine for one resource. */
export interface Step {
  readonly call: "diff" | "create" | "read" | "update" | "delete";
  readonly resource: AnyResource;
  /** The URN of the resource; undefined if the engine's request does not contain it. */
  readonly urn: string | undefined;
  /** The account: a name in `webextract:profiles`, or undefined for the credentials of the top level. */
  readonly profile: string | undefined;
  /** Undefined in a create. */
  readonly id: string | undefined;
  /** The checked arguments; in a read and a delete, which have none, the state. */
  readonly args: Properties;
  /** The state before the step; empty in a create. */
  readonly state: Properties;
  /**
   * Whether the program has declared the resource in this run. A refresh requests diffs too, of the resources that it
   * has read.
   */
  readonly isDeclared: boolean;
}

export interface Outcome {
  /** The resource after the step; undefined if it does not exist. */
  readonly id?: string | undefined;
  readonly state?: Properties | undefined;
  /** Why the step failed although the resource exists now. */
  readonly failure?: string | undefined;
  readonly difference?: Difference & { readonly replaces: string[] };
}

export type RunStep = (step: Step, host: Host) => Promise<Outcome>;

/**
 * Does one thing around each step, and passes the step on. Each call of the engine passes through all layers in the
 * same order.
 */
export type Layer = (step: Step, host: Host, next: RunStep) => Promise<Outcome>;
