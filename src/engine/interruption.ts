import { hostModules } from "./hostModules";

interface GrpcServer {
  prototype: { _retrieveHandler?: (this: unknown, path: unknown) => unknown };
}

const cancelPath = "/pulumirpc.ResourceProvider/Cancel";

/**
 * Aborted when the user interrupts the command: at the first Ctrl-C, or at the first SIGTERM, which a cancelled CI job
 * sends. The engine then waits for the steps in progress, however long they take. It sends Cancel to the provider host,
 * which does nothing, and a signal to the processes of the terminal does not reach the host. So this function watches
 * where the gRPC server of the host looks up the handler of Cancel. If that part is not as expected, the signal is
 * never aborted, and a wait ends at its own timeout.
 */
export function engineInterruption(): AbortSignal {
  const interruption = interruptionBySignals();
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
    // This process is not a provider host, or a host with other internals.
  }
  return interruption.signal;
}

/**
 * Aborted by a signal: the end of a container or a service, or of a session, can signal this process too. The engine
 * then ends it as usual, after the steps in progress. A second signal ends it at once.
 */
export function interruptionBySignals(): AbortController {
  const interruption = new AbortController();
  let signals = 0;
  for (const [signal, code] of [
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const) {
    process.on(signal, () => {
      signals++;
      if (signals > 1) {
        process.exit(code);
      }
      interruption.abort();
    });
  }
  return interruption;
}
