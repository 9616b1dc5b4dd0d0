import { createRequire } from "node:module";
import type { CustomResourceOptions, Resource } from "@pulumi/pulumi";

/**
 * Whether transforms can change a resource before it reaches the engine. Private parts of the SDK: if they are not as expected, the
 * functions return true.
 */

/** Transforms of the resource itself, and those that the SDK runs for a parent or the stack. */
export function hasTransforms(opts: CustomResourceOptions | undefined, stack: Resource | undefined): boolean {
  const { transforms = [], transformations = [], parent = stack } = opts ?? {};
  const inherited = (parent as { __transformations?: unknown[] } | undefined)?.__transformations;
  return transforms.length + transformations.length > 0 || inherited?.length !== 0;
}

/** Whether the engine runs transforms of this program. Then the program serves calls of the engine. */
export function transformsResources(): boolean {
  try {
    const { getStore } = createRequire(__filename)("@pulumi/pulumi/runtime/state");
    return getStore().callbacks !== undefined;
  } catch {
    return true;
  }
}
