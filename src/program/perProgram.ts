import type { Resource } from "@pulumi/pulumi";
import { log, runtime } from "@pulumi/pulumi";

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
    await log.warn(message, resource);
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
