import { isS3Path } from "../../store/s3/s3Path";
import type { Destination, Surroundings } from "./destination";
import { DiskDestination } from "./diskDestination";
import { S3Destination } from "./s3Destination";

/** The destination of a path or of a name. */
export function destinationOf(path: string, context: Surroundings): Destination {
  return isS3Path(path) ? new S3Destination(path, context) : new DiskDestination(path, context.folder);
}
