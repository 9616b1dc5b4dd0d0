import type { ResourceValidationArgs } from "@pulumi/policy";

/** The properties of a resource as the provider checked them: a list is one text with an item a line, and has its count beside it. */
export type Properties = Readonly<Record<string, unknown>>;

/** A loop of an action, with the path of the object that holds it. */
export interface DeclaredLoop {
  at: string;
  loop: Properties;
}

/** Whether a resource is one of these of pulumi-webextract. */
export function isOneOf({ type }: ResourceValidationArgs, ...names: string[]): boolean {
  return names.some((name) => type === `pulumi-nodejs:dynamic/webextract:${name}`);
}

/** Name of the stack. It stands in each URN: `urn:pulumi:STACK::PROJECT::…`. */
export function stackOf({ urn }: ResourceValidationArgs): string {
  return urn.replace(/^urn:pulumi:/, "").split("::")[0] ?? "";
}

/** The loops that a resource declares, whichever of them it is. */
export function loopsOf(args: ResourceValidationArgs): DeclaredLoop[] {
  if (isOneOf(args, "TaskLoopItems")) {
    return [{ at: "", loop: args.props }];
  }
  if (!isOneOf(args, "TaskParameters", "ExtractionTask")) {
    return [];
  }
  const loops: DeclaredLoop[] = [];
  for (const [actionId, action] of Object.entries(within(args.props.actions))) {
    const { loop } = within(action);
    if (loop !== undefined) {
      loops.push({ at: `actions.${actionId}.loop.`, loop: within(loop) });
    }
  }
  return loops;
}

/** A map, or an empty one where there is none. */
export function within(value: unknown): Properties {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** The items of a checked list. */
export function linesOf(text: unknown): string[] {
  return typeof text === "string" ? text.split("\n") : [];
}
