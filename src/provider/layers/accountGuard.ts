import { isGone } from "../../resources/task/taskPresence";
import { ProviderError } from "../providerErrors";
import type { Layer } from "../step";

/** Refuses a read that finds its task gone if the account is probably wrong. */
export const guardAccount: Layer = async (step, host, next) => {
  if (step.call !== "read") {
    return next(step, host);
  }
  const guard = host.tasksOf(step.profile).guard;
  return guard.during(async () => {
    const outcome = await next(step, host);
    if (outcome.id === undefined) {
      const source = step.resource.copiedFrom?.(step.state);
      const doubt = await guard.doubt(source, (taskId) => isGone(taskId, host.context(step.profile, step.urn)));
      if (doubt !== undefined) {
        throw new ProviderError(doubt);
      }
    }
    return outcome;
  });
};
