import type { Resource } from "@pulumi/pulumi";
import { log, RunError, runtime } from "@pulumi/pulumi";

/**
 * A value for each program. One process can run several programs, one after the other or in parallel, as the inline
 * programs of the Automation API do. Each has its own stack; a preview and an update are two programs. Outside of a
 * program, as in some unit tests, nothing is kept, so that one test does not affect the next.
 */
export function perProgram<T>(make: () => T): () => T {
  const made = new WeakMap<object, T>();
  return () => {
    const stack = runtime.getStackResource();
    if (stack === undefined) {
      return make();
    }
    const kept = made.get(stack) ?? make();
    made.set(stack, kept);
    return kept;
  };
}

const warned = perProgram(() => new Set<string>());

/** Warns once in a program, whatever the names in the message are. */
export async function warnOnce(about: string, message: string, resource?: Resource): Promise<void> {
  const soFar = warned();
  if (!soFar.has(about)) {
    soFar.add(about);
    // The SDK shows a message after those before it, and one of a resource once that is registered: of one that never
    // is, it would keep all errors after it.
    await new Promise((resolve) => void (resource === undefined ? resolve("") : resource.urn.apply(resolve)));
    await log.warn(message, resource);
  }
}

const waiting = new Set<string>();
let isWatched = false;

/**
 * Says what a program waits for if it ends before that: with an output that gets its value later, a program can make a
 * cycle, and the SDK only counts its promises. An error that is only logged would hide even that count, and the engine
 * would take the program for complete and delete what it has not declared.
 */
export async function orStuck<T>(message: string, work: Promise<T>): Promise<T> {
  if (!isWatched) {
    process.on("beforeExit", () => {
      if (waiting.size > 0) {
        void failed(new ProgramError([...waiting].join("\n")));
        waiting.clear();
      }
    });
  }
  isWatched = true;
  waiting.add(message);
  return work.finally(() => waiting.delete(message));
}

/** Ends the program with a message alone: after the program's end, the SDK would show the stack of a RunError. */
export class ProgramError extends RunError {
  constructor(message: string) {
    super(message);
    this.stack = message;
  }
}

/**
 * Ends the program with an error that is found later. The SDK would show an error in an output with a stack, so this is
 * a rejection of its own, and the result never resolves.
 */
export function failed(error: unknown): Promise<never> {
  void Promise.reject(error);
  return new Promise(() => undefined);
}
