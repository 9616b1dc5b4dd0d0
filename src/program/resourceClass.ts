import type { CustomResourceOptions, Input, Output } from "@pulumi/pulumi";
import type { AnyResource } from "../resources/index";
import type { Resource } from "../resources/resource";
import { ExtractionResource } from "./extractionResource";

/** A type whose values can also be outputs or promises, at any depth. */
export type AsInput<T> = [T] extends [never]
  ? undefined
  : [T] extends [object]
    ? Input<{ [K in keyof T]: AsInput<Exclude<T[K], undefined>> }>
    : Input<T>;

/** Arguments as a program writes them. */
export type InputsOf<T> = { [K in keyof T]: AsInput<Exclude<T[K], undefined>> };

/**
 * Arguments of which one part or both are given. Both forms share the parts, because an editor shows the doc comment of
 * a shared field only.
 */
export type AnyOf<One, Other> = (One & Without<Other>) | (Without<One> & Other) | (One & Other);

type Without<Part> = { [Name in keyof Part]?: undefined };

/** The outputs of a resource: its checked arguments, and the values that the service returned. */
export type OutputsOf<T> = { readonly [K in keyof T]-?: Output<T[K]> };

/** State that programs do not see. */
type Internal =
  | "pending"
  | "outcome"
  | "explanation"
  | "listBefore"
  | "ownList"
  | "__runLabels"
  | "previous"
  | "leaving"
  | "drifted";

/** The arguments that the definition of a resource describes. */
export type ArgsOf<Definition> =
  Definition extends Resource<infer Args, infer _State, infer _Checked, infer _Derived> ? Args : never;

type StateOf<Definition> =
  Definition extends Resource<infer _Args, infer State, infer _Checked, infer _Derived> ? State : never;

type Made<Definition> = ExtractionResource & OutputsOf<Omit<StateOf<Definition>, Internal>>;

/** The class of a resource in a program. */
export interface ResourceClass<Definition, Args> extends Pick<typeof ExtractionResource, "isInstance"> {
  new (name: string, args: Args, opts?: CustomResourceOptions): Made<Definition>;
}

/** A resource that can be looked up: the service returns what it is. */
export interface ReadableClass<Definition, Args> extends ResourceClass<Definition, Args> {
  /**
   * Reads what exists at the service without managing it.
   *
   * @param id the `lotNo` of a CloudRun, and the id of the task of each other resource
   * @param state what the id does not say: the `taskId` of a CloudRun, the `actions` of settings, `actionId` and
   * `loopType` of TaskLoopItems, `subTaskIds` and `desired` of CloudSubtasks
   */
  get<Instance>(
    this: new (
      name: string,
      args: Args,
      opts?: CustomResourceOptions,
    ) => Instance,
    name: string,
    id: Input<string>,
    state?: Partial<Args>,
    opts?: CustomResourceOptions,
  ): Instance;
}

/** Converts arguments of a program to those of the definition. */
type Convert<Args> = (name: string, args: Args, opts: CustomResourceOptions | undefined) => object;

export function resourceClass<Definition, Args>(
  definition: Definition & AnyResource,
  convert: Convert<Args> = (_, args) => args as object,
): ResourceClass<Definition, Args> {
  const made = class extends ExtractionResource {
    constructor(name: string, args: Args, opts?: CustomResourceOptions) {
      super(definition, name, { ...convert(name, { ...args }, opts) }, opts);
    }
  };
  return made as unknown as ResourceClass<Definition, Args>;
}

export function readableClass<Definition, Args>(
  definition: Definition & AnyResource,
  convert?: Convert<Args>,
): ReadableClass<Definition, Args> {
  const get: ReadableClass<Definition, Args>["get"] = function (name, id, state, opts) {
    return new this(name, { ...state } as Args, { ...opts, id });
  };
  return Object.assign(resourceClass(definition, convert), { get });
}
