import { createHash } from "node:crypto";
import { chmod, lstat } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { makePrivateFolder } from "../../../../service/files/privateFile";
import { ResourceError } from "../../../resource";

/** Longest part of a key in the name of a temporary file. */
const longestEnd = 80;

/**
 * The folder with the temporary files of all exports to S3. Only its owner can read it. It has a fixed name, so that a later export finds what a
 * killed one has left.
 * @throws ResourceError if another user owns a folder of that name
 */
export async function workFolder(): Promise<string> {
  const folder = join(tmpdir(), `pulumi-webextract-${userInfo().username.replace(/[^\w-]/g, "_")}`);
  await makePrivateFolder(folder);
  const found = await lstat(folder);
  const isOurs = found.isDirectory() && (process.getuid === undefined || found.uid === process.getuid());
  if (!isOurs) {
    throw new ResourceError(
      `"${folder}" belongs to another user or is no folder, so no temporary file of an export can be there. Remove it, or set TMPDIR to another folder.`,
    );
  }
  await chmod(folder, 0o700);
  return folder;
}

/** The path with which each temporary file of an object begins. */
export function workPathIn(folder: string, object: string): string {
  const digest = createHash("sha256").update(object).digest("hex").slice(0, 16);
  const end = object
    .slice(object.lastIndexOf("/") + 1)
    .replace(/[^\w.-]/g, "_")
    .slice(-longestEnd);
  return join(folder, `${digest}-${end}`);
}
