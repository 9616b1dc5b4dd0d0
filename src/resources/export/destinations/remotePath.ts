import { isS3Path } from "./s3/s3Path";
import { isSdkInstalled, sdkIsMissing } from "./s3/sdk";

/** Whether the rows are safe only when the whole file is at its destination. On the disk, they are safe as soon as they are written. */
export function isRemote(path: unknown): path is string {
  return isS3Path(path);
}

/** What this machine lacks for a remote path. Makes no request. */
export function remoteSetupProblem(folder: string): string | undefined {
  return isSdkInstalled(folder) ? undefined : sdkIsMissing;
}
