import { runtime } from "@pulumi/pulumi";

/**
 * What is kept for one program and no other. A process may run several, one after the other or side by side, as the Automation API's inline
 * programs do: each has a stack of its own, and a preview and an update are two. Outside of any, as in some unit tests of
 * programs, nothing is kept: what one test declares must not get into the way of the next.
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
