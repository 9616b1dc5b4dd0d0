import { stat } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { packagesFolder } from "../../optionalPackage";
import type { CheckContext, Context } from "../../resource";
import { fixedFolder } from "../outputPath";
import type { Destination } from "./destination";
import { DiskDestination } from "./diskDestination";
import { exists, isFolder } from "./diskFile";
import { S3Destination } from "./s3/s3Destination";
import { isS3Path } from "./s3/s3Path";
import { isSdkInstalled, sdkIsMissing } from "./s3/sdk";

/** The destination of a path or of a name. */
export async function destinationOf(path: string, context: Context): Promise<Destination> {
  return isRemote(path) ? S3Destination.of(path, context) : new DiskDestination(path, context.folder);
}

/** Whether a path is on another machine. */
export function isRemote(path: unknown): boolean {
  return isS3Path(path);
}

/** Why this machine cannot write to a path. Makes no request. */
export async function pathProblem(
  path: string,
  context: Pick<CheckContext, "folder" | "settings">,
): Promise<string | undefined> {
  if (isRemote(path)) {
    return isSdkInstalled(packagesFolder(context)) ? undefined : sdkIsMissing;
  }
  const { folder } = context;
  const isPossible = await stat(resolve(folder, fixedFolder(path))).then(
    (found) => found.isDirectory(),
    (error: NodeJS.ErrnoException) => error.code !== "ENOTDIR",
  );
  const isFolderName = path.endsWith("/") || path.endsWith(sep) || (await isFolder(resolve(folder, path)));
  return isPossible && !isFolderName
    ? undefined
    : `leads to "${resolve(folder, path)}", which is a folder or is behind a file: name a file such as "rows/all.ndjson"`;
}

/** Whether a file of this machine has the name. Makes no request. */
export async function existsHere(name: string, folder: string): Promise<boolean> {
  return !isRemote(name) && (await exists(resolve(folder, name)));
}
