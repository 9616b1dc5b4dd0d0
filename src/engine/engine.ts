import type { Ending } from "./endings";
import { engineEndings } from "./endings";
import { dropEchoes } from "./errorEcho";
import { hostModules } from "./hostModules";
import { engineInterruption } from "./interruption";
import type { EngineLog } from "./log";
import { engineLog } from "./log";
import { watchCalls, watchRequests } from "./requests";
import { connectTraces } from "./traces";

/** What a provider process uses of the engine beyond the calls for its resources. */
export interface Engine {
  readonly log: EngineLog;
  /** Aborted when the user interrupts the command. */
  readonly interrupted: AbortSignal;
  /** Calls back at the end of the engine. */
  onEnd(ending: Ending): void;
}

/**
 * The engine behind the SDK's host of dynamic resources. These are private parts of the SDK and of the engine. If a
 * part is not as expected, its function does nothing, and the provider works without it.
 */
export function connectedEngine(): Engine {
  watchRequests();
  const enterCall = connectTraces(() => hostModules()("@grpc/grpc-js"));
  if (enterCall !== undefined) watchCalls(enterCall);
  dropEchoes();
  return { log: engineLog(), interrupted: engineInterruption(), onEnd: engineEndings };
}
