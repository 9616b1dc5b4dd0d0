import { runtime } from "@pulumi/pulumi";

/**
 * Whether a key of the program's configuration is encrypted. A map with one encrypted value counts as encrypted. Private part of the SDK:
 * if it is not as expected, every key counts as encrypted, and there is no warning.
 */
export function isEncrypted(key: string): boolean {
  const { isConfigSecret } = runtime as unknown as { isConfigSecret?: (key: string) => boolean };
  return typeof isConfigSecret !== "function" || isConfigSecret(key);
}
