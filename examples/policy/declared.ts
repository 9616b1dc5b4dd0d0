import type { ResourceValidationArgs } from "@pulumi/policy";

/** The checked properties of a resource. A list is one string with one item per line; its `count` is a property of its own. */
export type Properties = Readonly<Record<string, unknown>>;

/** A loop of an action, and the path of the object that contains it. */
export interface DeclaredLoop {
  at: string;
  loop: Properties;
}

/** How types of pulumi-webextract begin: of the classes, and of the native plugin. */
const prefixes = ["pulumi-nodejs:dynamic/webextract:", "webextract:index:"];

/** The types that the rules of this pack know. */
const known = [
  ...["TaskCopy", "TaskActionConfig", "TaskParameters", "TaskLoopItems", "TaskStartUrls", "ExtractionTask"],
  ...["CloudRun", "CloudSubtasks", "DataExport", "Manifest"],
];

/** Whether the resource has one of these types of pulumi-webextract. */
export function isOneOf({ type }: ResourceValidationArgs, ...names: string[]): boolean {
  return names.some((name) => prefixes.some((prefix) => type === prefix + name));
}

/** Whether the resource looks like one of pulumi-webextract, and no rule of this pack would check it. */
export function isUnknownType(args: ResourceValidationArgs): boolean {
  return /(?:^|[:/])webextract[:/]/.test(args.type) && !isOneOf(args, ...known);
}

/** The name of the stack, taken from the URN: `urn:pulumi:STACK::PROJECT::…`. */
export function stackOf({ urn }: ResourceValidationArgs): string {
  return urn.replace(/^urn:pulumi:/, "").split("::")[0] ?? "";
}

/** The loops that a resource declares. */
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

/** The value as a map; an empty map if the value is not one. */
export function within(value: unknown): Properties {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** The items of a checked list. */
export function linesOf(text: unknown): string[] {
  return typeof text === "string" ? text.split("\n") : [];
}
