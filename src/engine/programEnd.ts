import type { runtime } from "@pulumi/pulumi";

/**
 * Resolves when a program has ended, well or not, and its outputs are known; values that are no output of the stack may still come later. Private
 * surface: where the SDK does not tell, it resolves at once.
 */
export async function programEnd(stack: ReturnType<typeof runtime.getStackResource>): Promise<void> {
  try {
    await (stack?.outputs as unknown as { promise?(): Promise<unknown> } | undefined)?.promise?.();
  } catch {
    // The SDK reports why the program failed.
  }
}
