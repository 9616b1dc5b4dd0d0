/** The type of a dynamic resource of this package begins so in the state of a stack. */
export const ownTypes = "pulumi-nodejs:dynamic/webextract:";

export interface UrnParts {
  type: string;
  name: string;
  /** For a resource of this package: its class, such as `CloudRun`. */
  ownType?: string;
}

/** The parts of `urn:pulumi:stack::project::parent$package:module:Type::name`. A name can contain `::`. */
export function partsOfUrn(urn: string): UrnParts {
  const [types = "", ...name] = urn.split("::").slice(2);
  const type = types.split("$").at(-1) ?? "";
  const ownType = type.startsWith(ownTypes) ? type.slice(ownTypes.length) : undefined;
  return { type, name: name.join("::"), ownType };
}

/** Whether a resource is a task of its own, and not a part of one. */
export function isTask(urn: string): boolean {
  const { ownType } = partsOfUrn(urn);
  return ownType === "ExtractionTask" || ownType === "TaskCopy";
}
