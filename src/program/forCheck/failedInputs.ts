import type { Resource } from "@pulumi/pulumi";
import { Output, runtime } from "@pulumi/pulumi";
import { isUnknown, resourcesBehind } from "../../engine/sdk/dependencies";
import { partsOfUrn } from "../../resources/urn";
import { isPlainMap } from "../../resources/values";
import { isMocked } from "../providerText";

/**
 * With `--continue-on-error`, the engine skips what depends on a resource that has failed, after a `check` that lacks the outputs of that resource. So each
 * resource is sent with the names of those that have failed: `check` must not call their outputs missing.
 */

/** A longer list is data, not outputs of resources. */
const mostItems = 100;

/** The names of resources that this one needs and that have failed or were skipped; undefined if there are none, and in a preview. */
export function failedInputs(
  args: Readonly<Record<string, unknown>>,
  dependsOn: unknown,
): Promise<string | undefined> | undefined {
  const outputs = [...outputsIn(args), ...resourcesIn(dependsOn).flatMap((each) => idOf(each) ?? [])];
  return outputs.length === 0 || isMocked() || runtime.isDryRun() ? undefined : describe(outputs);
}

async function describe(outputs: readonly Output<unknown>[]): Promise<string | undefined> {
  const names = new Set<string>();
  for (const output of outputs) {
    const isLacking = await isUnknown(output);
    for (const resource of await resourcesBehind(output)) {
      const id = idOf(resource);
      // A hash of arguments, as in `rerunOn`, is known although its resource was not made.
      if (isLacking || (id !== undefined && (await isUnknown(id)))) {
        names.add(await nameOf(resource));
      }
    }
  }
  return names.size === 0 ? undefined : [...names].join(", ");
}

function* outputsIn(value: unknown): Generator<Output<unknown>, void, void> {
  if (Output.isInstance(value)) {
    yield value;
  } else if (Array.isArray(value) && value.length <= mostItems) {
    for (const item of value) {
      yield* outputsIn(item);
    }
  } else if (isPlainMap(value)) {
    for (const each of Object.values(value)) {
      yield* outputsIn(each);
    }
  }
}

function resourcesIn(dependsOn: unknown): Resource[] {
  const all: unknown[] = Array.isArray(dependsOn) ? dependsOn : [dependsOn];
  return all.filter((each): each is Resource => typeof each === "object" && each !== null && "urn" in each);
}

/** An output that a resource has once it was created. */
function idOf(resource: Resource): Output<unknown> | undefined {
  const { id } = resource as { id?: unknown };
  return Output.isInstance(id) ? id : undefined;
}

async function nameOf({ urn }: Resource): Promise<string> {
  return partsOfUrn(await new Promise<string>((resolve) => void urn.apply(resolve))).name;
}
