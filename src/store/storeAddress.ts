import { azureAccount } from "./azure/account";

/**
 * What an address of an object store is: `SCHEME://BUCKET/KEY`, for Azure with options behind a question mark. The path
 * of an export is one whose key can have placeholders; the journal and the token store have one whose key is a prefix.
 */

interface Kind {
  /** What users call the store, and a bucket. */
  readonly title: string;
  readonly word: string;
  /** Which names a bucket can have. */
  readonly bucket: RegExp;
  readonly rule: string;
  /** An optional peer dependency. */
  readonly sdk: string;
  /** The values that options can have. */
  readonly options?: Readonly<Record<string, RegExp>>;
}

const account = /^[a-z0-9]{3,24}$/;
const kinds: Readonly<Record<StoreScheme, Kind>> = {
  s3: {
    ...{ title: "S3", word: "bucket", sdk: "@aws-sdk/client-s3" },
    bucket: /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    rule: '3 to 63 characters, which are lower-case letters, digits, "." and "-"',
  },
  gs: {
    ...{ title: "Google Cloud Storage", word: "bucket", sdk: "@google-cloud/storage" },
    bucket: /^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/,
    rule: '3 to 222 characters, which are lower-case letters, digits, ".", "_" and "-"',
  },
  azblob: {
    ...{ title: "Azure Blob Storage", word: "container", sdk: "@azure/storage-blob" },
    bucket: /^(?!.*--)[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/,
    rule: '3 to 63 characters, which are lower-case letters, digits and single "-"',
    // As Pulumi's own state backend has them.
    options: {
      ...{ storage_account: account, domain: /^[\w.-]+(?::\d{1,5})?$/ },
      ...{ protocol: /^https?$/, localemu: /^(?:true|false)$/ },
    },
  },
};

type StoreScheme = "s3" | "gs" | "azblob";

/** For the default credential of Azure. */
export const azureIdentity = "@azure/identity";

const form = new RegExp(`^(${Object.keys(kinds).join("|")})://([^/]*)(?:/(.*))?$`, "s");

/** Whether it is the address of an object store, and no path of a file. The scheme is in lower case. */
export function isStoreAddress(text: string): boolean;
export function isStoreAddress(text: unknown): text is string;
export function isStoreAddress(text: unknown): boolean {
  return typeof text === "string" && form.test(text);
}

/** A name of a file or of an object up to its ending. In a store that has no options, "?" is a character of the key. */
export function withoutOptions(name: string): string {
  const [, scheme] = form.exec(name) ?? [];
  return scheme === "azblob" ? name.replace(/\?.*$/s, "") : name;
}

export function partsOf(address: string) {
  const name = withoutOptions(address);
  const [, scheme = "s3", bucket = "", key = ""] = form.exec(name) ?? [];
  return { scheme: scheme as StoreScheme, bucket, key, options: new URLSearchParams(address.slice(name.length)) };
}

/** The address of another key in the same store. */
export function withKey(address: string, key: string): string {
  const { scheme, bucket } = partsOf(address);
  return `${scheme}://${bucket}/${key}${address.slice(withoutOptions(address).length)}`;
}

/** The same string for each spelling of an address. */
export function identityOf(address: string): string {
  const { scheme, bucket, key, options } = partsOf(address);
  return scheme === "azblob" ? `azblob:${azureAccount(options).url}/${bucket}/${key}` : address;
}

/** Whether two addresses name the same bucket. */
export function isOneStore(one: string, other: string): boolean {
  return identityOf(withKey(one, "")) === identityOf(withKey(other, ""));
}

export function storeTitle(address: string): string {
  return kinds[partsOf(address).scheme].title;
}

/** What the store calls the bucket, and its name. */
export function bucketTitle(address: string): string {
  const { scheme, bucket } = partsOf(address);
  return `${kinds[scheme].word} "${bucket}"`;
}

/** The packages that the store of an address needs. */
export function sdksOf(address: string): string[] {
  const { scheme, options } = partsOf(address);
  const { key, sas } = azureAccount(options);
  return [kinds[scheme].sdk, ...(scheme === "azblob" && key === undefined && sas === undefined ? [azureIdentity] : [])];
}

/**
 * What is wrong with a path that names no file on the disk, as far as the string shows it. Undefined for a file on the
 * disk.
 */
export function remotePathProblem(path: string): string | undefined {
  const [, scheme = "", slashes] = schemed(path);
  if (slashes === undefined) return undefined;
  const kind = Object.hasOwn(kinds, scheme) ? kinds[scheme as StoreScheme] : undefined;
  const { bucket, key } = partsOf(path);
  if (kind !== undefined && bucket !== "" && !kind.bucket.test(bucket)) {
    return `${invalidName(kind)}, and can have no placeholder`;
  }
  // Many programs cannot read an object with another key.
  if (isStoreAddress(path) && bucket !== "" && isKey(key)) return optionProblem(path);
  const titles = Object.values(kinds).map(({ title }) => title);
  const title = kind?.title ?? `${titles.slice(0, -1).join(", ")} or ${titles.at(-1)}`;
  const example = `${kind === undefined ? "s3" : scheme}://${kind?.word ?? "bucket"}/rows/{lotNo}.ndjson`;
  return `names no object of ${title}${slashes.length === 1 ? " (path.join makes one slash of two)" : ""}: write it like "${example}", with a key that has no empty part, "." or ".."`;
}

/** What is wrong with an address below which machines share what they have, as a part of a sentence. Undefined for a folder. */
export function storeAddressProblem(text: unknown): string | undefined {
  if (typeof text !== "string" || schemed(text).length === 0) return undefined;
  const { scheme, bucket, key } = partsOf(text);
  if (isStoreAddress(text) && bucket !== "" && !kinds[scheme].bucket.test(bucket)) return invalidName(kinds[scheme]);
  const prefix = key.replace(/\/$/, "");
  const isPrefix = prefix === "" || (isKey(prefix) && !/[\s?#]/.test(prefix));
  return isStoreAddress(text) && bucket !== "" && isPrefix
    ? optionProblem(text)
    : 'must be a folder, or an address such as "s3://bucket/prefix", "gs://bucket/prefix" or "azblob://container/prefix?storage_account=NAME", whose prefix has no empty part, ".", "..", "?", "#" or space';
}

function invalidName({ word, rule }: (typeof kinds)[StoreScheme]): string {
  return `has an invalid ${word} name: it must have ${rule}, must begin and end with a letter or a digit`;
}

/** The scheme, and the slashes behind it, which a known one can lack. A drive of Windows is one letter. */
function schemed(text: string): readonly string[] {
  const lacking = /^(s3|gs|gcs|azblob|arn|file):()/i;
  return /^([a-z][a-z0-9+.-]+):([\\/]+)/i.exec(text) ?? lacking.exec(text) ?? [];
}

function isKey(key: string): boolean {
  return !key.split("/").some((part) => ["", ".", ".."].includes(part));
}

function optionProblem(address: string): string | undefined {
  const { scheme, options } = partsOf(address);
  const { options: allowed = {} } = kinds[scheme];
  for (const [name, value] of options) {
    const known = Object.keys(allowed).join(", ");
    if (!Object.hasOwn(allowed, name)) return `has the unknown option "${name}": known are ${known}`;
    if (allowed[name]?.test(value) === false) return `has a value of "${name}" that is not possible`;
  }
  return scheme === "azblob" && !account.test(azureAccount(options).account ?? "")
    ? "names no storage account: add ?storage_account=NAME, or set AZURE_STORAGE_ACCOUNT"
    : undefined;
}
