import type { runtime } from "@pulumi/pulumi";

/**
 * Resolves when a program has ended, with success or not, and the outputs of its stack are known. Outputs that the stack does not export
 * can still come later. Private part of the SDK: if it is not as expected, the program counts as ended at once.
 */
export async function programEnd(stack: ReturnType<typeof runtime.getStackResource>): Promise<void> {
  try {
    await (stack?.outputs as unknown as { promise?(): Promise<unknown> } | undefined)?.promise?.();
  } catch {
    // The SDK reports why the program failed.
  }
}
