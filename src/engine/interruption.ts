import { hostModules } from "./engineSurface";

interface GrpcServer {
  prototype: { _retrieveHandler?: (this: unknown, path: unknown) => unknown };
}

const cancelPath = "/pulumirpc.ResourceProvider/Cancel";

/**
 * Aborted when the engine says that the command is to end: a first Ctrl-C, or a first SIGTERM, as a cancelled CI job sends. The engine
 * then waits for the steps under way, however long they take. It does tell the provider host, whose answer is to do nothing, and a signal to the terminal's
 * processes doesn't reach the host; so the message is noticed where the host's server looks up whom it is for. Private surface: where it
 * isn't as expected, nothing is ever aborted, and a wait ends by its own time.
 */
export function engineInterruption(): AbortSignal {
  const interruption = new AbortController();
  try {
    const grpc: { Server: GrpcServer } = hostModules()("@grpc/grpc-js");
    const { prototype } = grpc.Server;
    const original = prototype._retrieveHandler;
    if (typeof original === "function") {
      prototype._retrieveHandler = function (path: unknown): unknown {
        if (path === cancelPath) {
          interruption.abort();
        }
        return original.call(this, path);
      };
    }
  } catch {
    // Not in a provider host of the kind that we know.
  }
  return interruption.signal;
}
