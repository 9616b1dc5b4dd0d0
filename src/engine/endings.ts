import { fstatSync } from "node:fs";
import { connect } from "node:net";
import { engineAddress } from "./hostModules";

/** What to do when the engine ends. */
export interface Ending {
  /** The engine has saved all results that it got, and ends this process. */
  saved(): void;
  /** The engine was killed. */
  gone(): void;
}

/**
 * How the engine ends its host, as observed. At the end of a command, and after the steps in progress at a first
 * Ctrl-C, the engine saves all results and sends SIGINT. At a second Ctrl-C it cancels the steps in progress first. A
 * killed engine sends nothing, and the standard input of the host ends.
 */
export function engineEndings({ saved, gone }: Ending): void {
  process.once("SIGINT", saved);
  // The pipes of a killed engine are closed. Without a listener, a line of the log would end this process before the
  // responses to its requests are noted.
  for (const output of [process.stdout, process.stderr]) {
    output.on("error", () => undefined);
  }
  const address = engineAddress();
  if (address === undefined || !inputIsPipe()) {
    return;
  }
  process.stdin.once("end", () => whenRefused(address, gone));
  process.stdin.resume();
  process.stdin.unref();
}

/** Other inputs can be a terminal, or can end at once for another reason. */
function inputIsPipe(): boolean {
  try {
    const input = fstatSync(0);
    return input.isFIFO() || input.isSocket();
  } catch {
    return false;
  }
}

/**
 * An engine that is ending can still accept a connection, and then drops it. Other engines drop a silent connection
 * only after minutes.
 */
function whenRefused(address: string, then: () => void): void {
  const colon = address.lastIndexOf(":");
  const socket = connect({ host: address.slice(0, colon), port: Number(address.slice(colon + 1)) });
  let isRefused = false;
  socket.once("error", (error: NodeJS.ErrnoException) => {
    isRefused = error.code === "ECONNREFUSED";
  });
  socket.once("close", () => {
    if (isRefused) {
      then();
    } else {
      setTimeout(() => whenRefused(address, then), 100).unref();
    }
  });
  socket.unref();
}
