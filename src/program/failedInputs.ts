import type { Resource } from "@pulumi/pulumi";
import { CustomResource, output } from "@pulumi/pulumi";
import { isUnknown, knownValue, resourcesBehind } from "../engine/sdk";
import { partsOfUrn } from "../values/urn";

/**
 * With `--continue-on-error`, the engine skips what depends on a resource that has failed, after a `check` that lacks
 * the outputs of that resource. So each resource is sent with the names of those that have failed: `check` must not
 * call their outputs missing, because the program would end.
 * @returns undefined if there are none
 */
export async function failedInputs(properties: object, dependsOn: unknown): Promise<string | undefined> {
  const names = new Set<string>();
  for (const resource of await inputsOf(properties, dependsOn)) {
    if (CustomResource.isInstance(resource) && (await isUnknown(resource.id))) {
      names.add(await nameOf(resource));
    }
  }
  return names.size === 0 ? undefined : [...names].join(", ");
}

/** The resources that a program makes one depend on: those behind its values, and those of `dependsOn`. */
export async function inputsOf(values: object, dependsOn: unknown): Promise<Resource[]> {
  // At once, because the caller can add what waits for this result to the values.
  const behind = resourcesBehind(output(values));
  const named = [await knownValue(output(dependsOn ?? []))].flat() as Resource[];
  return [...(await behind), ...named];
}

async function nameOf({ urn }: Resource): Promise<string> {
  return partsOfUrn(await new Promise<string>((resolve) => void urn.apply(resolve))).name;
}
