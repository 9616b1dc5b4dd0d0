import type { Resource } from "@pulumi/pulumi";
import { CustomResource, output } from "@pulumi/pulumi";
import { isUnknown, resourcesBehind } from "../engine/sdk";
import { partsOfUrn } from "../resources/urn";

/**
 * With `--continue-on-error`, the engine skips what depends on a resource that has failed, after a `check` that lacks
 * the outputs of that resource. So each resource is sent with the names of those that have failed: `check` must not
 * call their outputs missing, because the program would end.
 * @returns undefined if there are none
 */
export async function failedInputs(properties: object, dependsOn: unknown): Promise<string | undefined> {
  const named: unknown[] = Array.isArray(dependsOn) ? dependsOn : [dependsOn];
  const names = new Set<string>();
  for (const resource of [...(await resourcesBehind(output(properties))), ...named]) {
    if (CustomResource.isInstance(resource) && (await isUnknown(resource.id))) {
      names.add(await nameOf(resource));
    }
  }
  return names.size === 0 ? undefined : [...names].join(", ");
}

async function nameOf({ urn }: Resource): Promise<string> {
  return partsOfUrn(await new Promise<string>((resolve) => void urn.apply(resolve))).name;
}
