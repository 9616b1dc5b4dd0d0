import { createRequire } from "node:module";
import type { Output, Resource } from "@pulumi/pulumi";
import { runtime } from "@pulumi/pulumi";

/**
 * Private parts of the SDK. If those that find dependencies are not as expected, only the resources that the program
 * names are known.
 */

interface Dependencies {
  getAllTransitivelyReferencedResources(resources: Set<Resource>, exclude: Set<Resource>): Promise<Resource[]>;
}

/** The resources whose outputs went into a value. */
export async function resourcesBehind(value: Output<unknown>): Promise<Resource[]> {
  const { allResources } = value as unknown as { allResources?: unknown };
  try {
    const found: unknown = typeof allResources === "function" ? await allResources.call(value) : [];
    return [...(found as Iterable<Resource>)];
  } catch {
    // The program reports the error.
    return [];
  }
}

/** Whether an output shows the resources that its value comes from before it has the value. */
export function hasResources(value: Output<unknown>): boolean {
  const { resources } = value as unknown as { resources?: () => ReadonlySet<Resource> };
  return typeof resources !== "function" || resources.call(value).size > 0;
}

/**
 * Whether the value of an output never becomes known in this command, because its resource has failed or was skipped.
 * Waits for the resource.
 */
export async function isUnknown(value: Output<unknown>): Promise<boolean> {
  const { isKnown } = value as unknown as { isKnown?: Promise<boolean> };
  try {
    return (await isKnown) === false;
  } catch {
    // The program reports the error.
    return false;
  }
}

/** The value of an output; undefined if it is not known in this command. Waits for its resources. */
export async function knownValue(value: Output<unknown>): Promise<unknown> {
  const { isKnown, promise } = value as unknown as { isKnown?: Promise<boolean>; promise?: unknown };
  try {
    return (await isKnown) && typeof promise === "function" ? await promise.call(value) : undefined;
  } catch {
    // The program reports the error.
    return undefined;
  }
}

/** The resources with, for each component, the resources in it. */
export async function withResourcesOfComponents(resources: readonly Resource[]): Promise<Resource[]> {
  const within = await sdkDependencies()?.getAllTransitivelyReferencedResources(new Set(resources), new Set());
  return [...new Set([...resources, ...(within ?? [])])];
}

function sdkDependencies(): Dependencies | undefined {
  try {
    const found: Partial<Dependencies> = createRequire(__filename)("@pulumi/pulumi/runtime/dependsOn");
    return typeof found.getAllTransitivelyReferencedResources === "function" ? (found as Dependencies) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether a key of the program's configuration is encrypted. A map with one encrypted value counts as encrypted. If the
 * SDK cannot say it, every key counts as encrypted.
 */
export function isEncrypted(key: string): boolean {
  const { isConfigSecret } = runtime as unknown as { isConfigSecret?: (key: string) => boolean };
  return typeof isConfigSecret !== "function" || isConfigSecret(key);
}

/** Loads modules as the SDK of the program does. */
export function sdkModules(): NodeJS.Require {
  return createRequire(createRequire(__filename).resolve("@pulumi/pulumi"));
}
