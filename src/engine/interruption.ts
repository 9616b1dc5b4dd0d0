import { hostModules } from "./hostModules";

interface GrpcServer {
  prototype: { _retrieveHandler?: (this: unknown, path: unknown) => unknown };
}

const cancelPath = "/pulumirpc.ResourceProvider/Cancel";

/**
 * Aborted when the engine says that the command is to end: at a first Ctrl-C, or at a first SIGTERM, as a cancelled CI job sends. The engine then waits for the
 * steps under way, however long they take. The engine tells the provider host, which does nothing, and a signal to the processes of the terminal does not
 * reach the host. So the message is noticed where the gRPC server of the host looks up its handler. Otherwise nothing is ever aborted, and a wait ends by its own
 * time.
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
    // Not in a provider host of the known kind.
  }
  return interruption.signal;
}
