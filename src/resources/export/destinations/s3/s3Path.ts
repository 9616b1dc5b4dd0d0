/** A path or a name such as `s3://bucket/folder/rows.ndjson`. A path can have placeholders in its key. */

const scheme = "s3://";

/** The limit of S3, in bytes of UTF-8. */
const longestKey = 1024;

/** Written as S3 shows it, in lower case. */
export function isS3Path(path: unknown): path is string {
  return typeof path === "string" && path.startsWith(scheme);
}

/** The parts of a path that {@link s3PathProblem} accepts. */
export function bucketAndKey(path: string): { bucket: string; key: string } {
  const rest = path.slice(scheme.length);
  const slash = rest.indexOf("/");
  return slash < 0 ? { bucket: rest, key: "" } : { bucket: rest.slice(0, slash), key: rest.slice(slash + 1) };
}

export function s3Path(bucket: string, key: string): string {
  return `${scheme}${bucket}/${key}`;
}

/** What is wrong with a path that names no file on the disk, as far as the string shows it. Undefined for a file on the disk. */
export function remotePathProblem(path: string): string | undefined {
  const given = /^[a-z][a-z0-9+.-]+:\/\//i.exec(path)?.[0];
  if (given === undefined) {
    return undefined;
  }
  if (!isS3Path(path)) {
    return `begins with "${given}"; allowed are a file on the disk and an object such as "s3://bucket/rows/{lotNo}.ndjson"`;
  }
  const { bucket, key } = bucketAndKey(path);
  return bucketProblem(bucket) ?? keyProblem(key);
}

function bucketProblem(bucket: string): string | undefined {
  const example = 'a path in S3 is like "s3://bucket/rows/{lotNo}.ndjson"';
  if (bucket === "") {
    return `names no bucket: ${example}`;
  }
  if (bucket.includes("{")) {
    return `has a placeholder in the bucket's name, "${bucket}": placeholders are replaced only behind it`;
  }
  const isName =
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) && !bucket.includes("..") && !/^\d+\.\d+\.\d+\.\d+$/.test(bucket);
  return isName
    ? undefined
    : `names the bucket "${bucket}"; a bucket's name has 3 to 63 lower case letters, digits, hyphens and single dots, begins and ends with a letter or a digit, and is no IP address`;
}

function keyProblem(key: string): string | undefined {
  const example = 'name an object, such as "s3://bucket/rows/all.ndjson"';
  if (key === "" || key.endsWith("/")) {
    return key === "" ? `names no object in the bucket: ${example}` : `ends like a folder: ${example}`;
  }
  if (key.split("/").some((part) => part === "" || part === "." || part === "..")) {
    return 'has an empty part, "." or ".." between slashes: many programs cannot read such an object';
  }
  if (/\p{Cc}/u.test(key)) {
    return "contains a control character: use another name";
  }
  const length = Buffer.byteLength(key);
  return length > longestKey ? `has a key of ${length} bytes; S3 allows ${longestKey}` : undefined;
}
