import { ProviderError } from "../providerErrors";
import type { Layer } from "../step";

/**
 * Refuses a step at another service than the one where the resource was made. The state contains the origin of that
 * service.
 */
export const checkOrigin: Layer = async (step, host, next) => {
  const here = host.origin(step.profile);
  const made = step.state.origin;
  const isElsewhere = typeof made === "string" && here !== undefined && made !== here;
  if (isElsewhere && !host.config.movedFrom.includes(made)) {
    throw new ProviderError(
      `This resource was made at ${made}, and the configuration names ${here}. Nothing was changed. If this is the same service at another address, ` +
        `run "pulumi config set webextract:movedFrom ${made}" (a refresh or a destroy takes it from WEBEXTRACT_MOVED_FROM). If not, set webextract:baseUrl back ` +
        `and run "pulumi up" without --refresh: a refresh or a destroy uses the configuration of the last up.`,
    );
  }
  const { state, difference, ...outcome } = await next(step, host);
  return {
    ...outcome,
    ...(state && { state: { ...state, origin: here } }),
    // Only an update writes the new origin into the state.
    ...(difference && { difference: isElsewhere ? { ...difference, forced: true } : difference }),
  };
};
