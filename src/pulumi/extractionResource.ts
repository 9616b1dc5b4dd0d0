import { createHash } from "node:crypto";
import {
  CustomResource,
  type CustomResourceOptions,
  type Input,
  mergeOptions,
  type Output,
  output,
  RunError,
} from "@pulumi/pulumi";
import { canonical } from "../resources/args";
import type { AnyResource } from "../resources/index";
import { requireValidConfig } from "./programConfig";
import { providerText, requireResolvableProvider } from "./providerText";
import { declare, dependenciesOf } from "./taskOrder";
import { providerKey } from "./wire";

/** Each value, at any depth, may also be an output or a promise. */
export type AsInput<T> = [T] extends [object] ? Input<{ [K in keyof T]: AsInput<NonNullable<T[K]>> }> : Input<T>;

/** Arguments as a program writes them. */
export type InputsOf<T> = { [K in keyof T]: AsInput<NonNullable<T[K]>> };

/** A resource's outputs: what `check` made of its arguments, and what the service answered. */
export type OutputsOf<T> = { readonly [K in keyof T]-?: Output<T[K]> };

/** What all resources of this package have in common. Not to be made directly. */
export abstract class ExtractionResource extends CustomResource {
  constructor(
    private readonly definition: AnyResource,
    name: string,
    args: Record<string, unknown>,
    opts: CustomResourceOptions | undefined,
  ) {
    super(
      typeToken(definition.type),
      name,
      propertiesOf(definition, name, args),
      optionsOf(definition, name, args, opts),
    );
    // Not a property of the resource: it must not be looked for among the outputs.
    Object.defineProperty(this, "definition", { enumerable: false });
    const { type, configuresTask = false } = definition;
    const taskId = (args.taskId as Input<string> | undefined) ?? takenOverOrOwnId(args, this.id);
    declare(this as unknown as Parameters<typeof declare>[0], { type, name, taskId, configuresTask });
  }

  /**
   * A hash of all arguments that matter, with the content of files and lists, for `rerunOn`. Made in the program, so that a reviewer sees in a
   * preview that a run will start again.
   * @internal
   */
  inputsHash(): Output<string> {
    const values = this as unknown as Record<string, unknown>;
    const { args, type } = this.definition;
    const matter = Object.keys(args).filter((name) => !args[name]?.option);
    const all = output(Object.fromEntries(matter.map((name) => [name, values[name]])));
    return all.apply((known) =>
      createHash("sha256")
        .update(`${type}${canonical(known)}`)
        .digest("hex"),
    );
  }
}

export function typeToken(type: string): string {
  return `pulumi-nodejs:dynamic/webextract:${type}`;
}

/** A task that is only taken over may be named elsewhere in the program by the same text. */
function takenOverOrOwnId(args: Record<string, unknown>, id: Output<string>): Input<string> {
  return typeof args.adoptTaskId === "string" ? args.adoptTaskId : id;
}

function propertiesOf(definition: AnyResource, name: string, args: Record<string, unknown>): Record<string, unknown> {
  requireResolvableProvider();
  requireValidConfig();
  if (args === undefined || args === null) {
    throw new RunError(`${definition.type} "${name}" needs arguments.`);
  }
  const outputs = Object.fromEntries(definition.outputs.map((each: string) => [each, undefined]));
  return { ...outputs, ...args, ...listsAsOne(definition, args), [providerKey]: providerText(definition.type) };
}

/**
 * A list becomes one text in `check`, so it travels as one output: if one element is secret, all of it is. What `check` derives from
 * it (digest, hosts) is as secret as the list, which placeholders of the same names see to.
 */
function listsAsOne(definition: AnyResource, args: Record<string, unknown>): Record<string, unknown> {
  const all = Object.entries(definition.args);
  const properties: Record<string, unknown> = {};
  for (const [list] of all.filter(([name, spec]) => spec.list && args[name] !== undefined)) {
    const whole: Output<unknown> = output(args[list]);
    properties[list] = whole;
    for (const [derived] of all.filter(([, spec]) => spec.derived)) {
      properties[derived] = whole.apply(() => "");
    }
  }
  return properties;
}

function optionsOf(
  definition: AnyResource,
  name: string,
  args: Record<string, unknown>,
  opts: CustomResourceOptions | undefined,
): CustomResourceOptions {
  const { type, configuresTask = false, secretOutputs = [] } = definition;
  const dependsOn =
    args?.taskId === undefined ? [] : dependenciesOf(type, name, args.taskId as Input<string>, configuresTask);
  return mergeOptions(opts, { dependsOn, additionalSecretOutputs: [...secretOutputs] });
}
