import type { Ending } from "./endings";
import { engineEndings } from "./endings";
import { dropEchoOf } from "./errorEcho";
import { engineInterruption } from "./interruption";
import type { EngineLog } from "./log";
import { engineLog } from "./log";
import { urnOf, watchRequests } from "./requests";
import type { Properties } from "./serialization";

/** What a provider process uses of the engine beyond the calls for its resources. */
export interface Engine {
  readonly log: EngineLog;
  /** Aborted when the user interrupts the command. */
  readonly interrupted: AbortSignal;
}

/**
 * The engine behind the SDK's host of dynamic resources. These are private parts of the SDK and of the engine. If a part is not as expected,
 * its function does nothing, and the provider works without it.
 */
export interface DynamicEngine extends Engine {
  /** The resource that a request is about, found by the properties that came with the request. */
  urnOf(properties: Properties): string | undefined;
  /** Keeps an error that is returned to the engine from showing a second time. */
  dropEchoOf(error: Error): void;
  /** Calls back at the end of the engine. */
  onEnd(ending: Ending): void;
}

/** The engine that started this process, a host of dynamic resources. */
export function connectedEngine(): DynamicEngine {
  watchRequests();
  return {
    log: engineLog(),
    interrupted: engineInterruption(),
    urnOf,
    dropEchoOf,
    onEnd: engineEndings,
  };
}
