import { crc32 } from "node:zlib";
import type { S3 } from "@aws-sdk/client-s3";

const otherTag = "0123456789abcdef0123456789abcdef";

/** An upload that is aborted takes away the object of its name. */
export const abortOverObject = "AbortMultipartUpload removes an object";

function checksum(text: string): { ChecksumCRC32: string } {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(text));
  return { ChecksumCRC32: bytes.toString("base64") };
}

/** What a store accepts although it must refuse it, asked directly. */
export async function acceptedBy(store: S3, bucket: string): Promise<string[]> {
  const object = { Bucket: bucket, Key: "conditions" };
  const write = (): Promise<unknown> => store.putObject({ ...object, Body: "theirs" });
  const start = async (): Promise<{ Bucket: string; Key: string; UploadId: string | undefined }> => {
    const { UploadId } = await store.createMultipartUpload({ ...object, ChecksumAlgorithm: "CRC32" });
    return { ...object, UploadId };
  };
  const complete = async (condition: { IfNoneMatch: string } | { IfMatch: string }): Promise<unknown> => {
    const upload = await start();
    const part = { PartNumber: 1, ...checksum("ours") };
    const { ETag } = await store.uploadPart({ ...upload, ...part, Body: "ours" });
    return store.completeMultipartUpload({ ...upload, MultipartUpload: { Parts: [{ ...part, ETag }] }, ...condition });
  };
  const requests: Record<string, () => Promise<unknown>> = {
    "PutObject with another CRC-32": () => store.putObject({ ...object, Body: "ours", ...checksum("x") }),
    "UploadPart with another CRC-32": async () => {
      const part = { PartNumber: 1, ...checksum("x") };
      return store.uploadPart({ ...(await start()), ...part, Body: "ours" });
    },
    "PutObject if there is an object": () => store.putObject({ ...object, Body: "ours", IfNoneMatch: "*" }),
    "PutObject if the object has changed": () => store.putObject({ ...object, Body: "ours", IfMatch: otherTag }),
    "CompleteMultipartUpload if there is an object": () => complete({ IfNoneMatch: "*" }),
    "CompleteMultipartUpload if the object has changed": () => complete({ IfMatch: otherTag }),
    "DeleteObject if the object has changed": () => store.deleteObject({ ...object, IfMatch: otherTag }),
  };
  const accepted: string[] = [];
  for (const [name, send] of Object.entries(requests)) {
    await write();
    // A refusal is a response: a store that has ended fails the request before.
    await send().then(
      () => accepted.push(name),
      () => undefined,
    );
  }
  await write();
  await store.abortMultipartUpload(await start());
  const { KeyCount } = await store.listObjectsV2({ Bucket: bucket, Prefix: object.Key });
  return KeyCount === 0 ? [...accepted, abortOverObject] : accepted;
}
