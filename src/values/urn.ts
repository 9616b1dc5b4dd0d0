/** How a resource of this package runs: as a dynamic resource of the Node.js SDK, or on the native plugin. */
export type EngineKind = "dynamic" | "native";

/** The types of this package begin so in the state of a stack. */
const typePrefixes: Readonly<Record<EngineKind, string>> = {
  dynamic: "pulumi-nodejs:dynamic/webextract:",
  native: "webextract:index:",
};

/** The type of a resource of a class, such as `CloudRun`. */
export function typeToken(ownType: string, kind: EngineKind): string {
  return `${typePrefixes[kind]}${ownType}`;
}

/**
 * Whether the engine makes this provider by itself: the program does not declare it. Its name is `default`, with its
 * version if it has one, and with the address of its plugin, which only the engine sees. So `default_shop` is declared,
 * and so is `default` with a version.
 * @param version the argument that the engine adds to those of each provider whose version is known
 */
export function isDefaultProvider(urn: string, version: unknown): boolean {
  const { name } = partsOfUrn(urn);
  const expected = defaultProviderName(version);
  return name.startsWith(expected) && /^(?:_(?:https?|file|git(?:hub|lab))_.*)?$/.test(name.slice(expected.length));
}

/** The name of the engine's own provider of a version. */
export function defaultProviderName(version: unknown): string {
  return typeof version === "string" ? `default_${version.replace(/[.+-]/g, "_")}` : "default";
}

export interface UrnParts {
  stack: string;
  project: string;
  type: string;
  name: string;
  /** For a resource of this package: its class, such as `CloudRun`. */
  ownType?: string;
}

/** Whether a name is the URN of a resource. */
export function isUrn(name: string): boolean {
  return name.startsWith("urn:pulumi:");
}

/** The parts of `urn:pulumi:stack::project::parent$package:module:Type::name`. A name can contain `::`. */
export function partsOfUrn(urn: string): UrnParts {
  const [stack = "", project = "", types = "", ...name] = urn.split("::");
  const type = types.split("$").at(-1) ?? "";
  return { stack: stack.replace(/^urn:pulumi:/, ""), project, type, name: name.join("::"), ownType: ownTypeOf(type) };
}

/** The class of a type of this package, such as `CloudRun`; undefined for all other types. */
function ownTypeOf(type: string): string | undefined {
  const prefix = Object.values(typePrefixes).find((each) => type.startsWith(each));
  return prefix === undefined ? undefined : type.slice(prefix.length);
}

/**
 * A URN with the types of this package, also those of its parents, as resources of another kind. URNs of other programs
 * stay as they are.
 * @param isOwn whether the package has this class
 */
export function urnAs(urn: string, kind: EngineKind, isOwn: (ownType: string) => boolean = () => true): string {
  const [stack = "", project = "", types, ...name] = urn.split("::");
  if (types === undefined) {
    return urn;
  }
  const converted = types.split("$").map((type) => {
    const ownType = ownTypeOf(type);
    return ownType === undefined || !isOwn(ownType) ? type : typeToken(ownType, kind);
  });
  return [stack, project, converted.join("$"), ...name].join("::");
}

/** Whether a resource is a task of its own, and not a part of one. */
export function isTask(urn: string): boolean {
  return isTaskType(partsOfUrn(urn).ownType);
}

/** The same for a class. */
export function isTaskType(ownType: string | undefined): boolean {
  return ownType === "ExtractionTask" || ownType === "TaskCopy";
}
