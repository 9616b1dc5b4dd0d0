import { resolve, sep } from "node:path";
import { packagesFolder } from "../../optionalPackage";
import type { CheckContext, Context } from "../../resource";
import { fixedFolder } from "../outputPath";
import type { Destination } from "./destination";
import { DiskDestination } from "./diskDestination";
import { exists, fileInPlaceOf, isFolder } from "./diskFile";
import { isS3Path } from "./s3/s3Path";
import { isSdkInstalled, sdkIsMissing } from "./s3/sdk";

/** The destination of a path or of a name. */
export async function destinationOf(path: string, context: Context): Promise<Destination> {
  if (isRemote(path)) {
    // biome-ignore lint/style/noCommonJs: an import cannot name a file of this package in CommonJS. Loaded here, because few exports need it.
    const { S3Destination } = require("./s3/s3Destination") as typeof import("./s3/s3Destination");
    return S3Destination.of(path, context);
  }
  return new DiskDestination(path, context.folder);
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
  const example = 'name a file in it, such as "rows/all.ndjson"';
  if (path.endsWith("/") || path.endsWith(sep)) {
    return `ends like a folder: ${example}`;
  }
  const { folder } = context;
  const file = await fileInPlaceOf(resolve(folder, fixedFolder(path)));
  if (file !== undefined) {
    return `leads through "${file}", which is not a folder: use another path`;
  }
  const isFolderItself = !path.includes("{") && (await isFolder(resolve(folder, path)));
  return isFolderItself ? `names an existing folder, "${resolve(folder, path)}": ${example}` : undefined;
}

/** Whether a file of this machine has the name. Makes no request. */
export async function existsHere(name: string, folder: string): Promise<boolean> {
  return !isRemote(name) && (await exists(resolve(folder, name)));
}
