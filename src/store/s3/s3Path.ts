/** A path or a name such as `s3://bucket/folder/rows.ndjson`. A path can have placeholders in its key. */

const scheme = "s3://";

/** Written as S3 shows it, in lower case. */
export function isS3Path(path: unknown): boolean {
  return typeof path === "string" && path.startsWith(scheme);
}

/** The parts of a path that {@link remotePathProblem} accepts. */
export function bucketAndKey(path: string): { bucket: string; key: string } {
  const [bucket = "", ...key] = path.slice(scheme.length).split("/");
  return { bucket, key: key.join("/") };
}

export function s3Path(bucket: string, key: string): string {
  return `${scheme}${bucket}/${key}`;
}

/**
 * What is wrong with a path that names no file on the disk, as far as the string shows it. Undefined for a file on the
 * disk.
 */
export function remotePathProblem(path: string): string | undefined {
  // A drive of Windows is one letter.
  const [, slashes] = /^[a-z][a-z0-9+.-]+:([\\/]+)/i.exec(path) ?? [];
  if (slashes === undefined) {
    return undefined;
  }
  const { bucket, key } = bucketAndKey(path);
  if (isS3Path(path) && bucket !== "" && !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    return 'has an invalid bucket name: it must have 3 to 63 characters, which are lower-case letters, digits, "." and "-", must begin and end with a letter or a digit, and can have no placeholder';
  }
  // Many programs cannot read an object with another key.
  const isKey = !key.split("/").some((part) => ["", ".", ".."].includes(part));
  return isS3Path(path) && bucket !== "" && isKey
    ? undefined
    : `names no object of S3${slashes.length > 1 ? "" : " (path.join makes one slash of two)"}: write it like "s3://bucket/rows/{lotNo}.ndjson", with a key that has no empty part, "." or ".."`;
}
