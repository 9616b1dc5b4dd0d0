import type { Properties } from "../engine/serialization";
import type { AnyResource } from "../resources/index";
import { taskNamedBy } from "../resources/ownership";
import { unknown } from "../resources/values";

/** What a preview knows of a resource that the up will create. The id is empty while it is unknown. */
export function outputsOfCreate(resource: AnyResource, args: Properties): { id: string; state: Properties } {
  const named = resource.idIs === "taskId" ? taskNamedBy(args) : args.adoptLotNo;
  const id = typeof named === "string" ? named : "";
  return { id, state: { ...args, ...outputs(resource, id === "" ? unknown : id) } };
}

/** What a preview knows of a resource that the up will update: its arguments and its id. */
export function outputsOfUpdate(resource: AnyResource, state: Properties, args: Properties): Properties {
  return { ...args, ...outputs(resource, state[resource.idIs]) };
}

function outputs({ outputs, idIs }: AnyResource, id: unknown): Properties {
  return { ...Object.fromEntries(outputs.map((name) => [name, unknown])), [idIs]: id };
}
