import type { Layer } from "../step";

/** Keeps what the engine shows of an instance that it may replace: a create gets only the arguments of the new one. */
export const noteReplaced: Layer = async (step, host, next) => {
  const outcome = await next(step, host);
  const { call, resource, urn, id, state, args } = step;
  if (resource.knowsEarlier && urn !== undefined && id !== undefined && (call === "diff" || call === "delete")) {
    const asks = (outcome.difference?.replaces.length ?? 0) > 0;
    const wanted = asks ? args : host.replaced.get(urn)?.wanted;
    host.replaced.set(urn, { id, state, isAskedFor: call === "delete" || asks, wanted });
  }
  return outcome;
};
