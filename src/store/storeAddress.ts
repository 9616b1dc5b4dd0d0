import { bucketAndKey, isS3Path } from "./s3/s3Path";

/** Whether it is the address of an object store, such as `s3://bucket/prefix`, and no folder. */
export function isStoreAddress(text: unknown): text is string {
  return isS3Path(text);
}

/** What is wrong with an address of an object store, as a part of a sentence. Undefined for a folder. */
export function storeAddressProblem(text: unknown): string | undefined {
  // A drive of Windows is one letter.
  if (typeof text !== "string" || !/^[a-z][a-z0-9+.-]+:[\\/]/i.test(text)) {
    return undefined;
  }
  const { bucket, key } = bucketAndKey(text);
  const parts = key.replace(/\/$/, "").split("/");
  const isKey = key === "" || !parts.some((part) => ["", ".", ".."].includes(part) || /[\s?#]/.test(part));
  return isS3Path(text) && /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) && isKey
    ? undefined
    : 'must be a folder, or an address such as "s3://bucket/prefix", whose prefix has no empty part, ".", "..", "?", "#" or space';
}
