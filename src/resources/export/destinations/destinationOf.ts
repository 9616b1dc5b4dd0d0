import type { Context } from "../../resource";
import type { Destination } from "./destination";
import { DiskDestination } from "./diskDestination";
import { isS3Path } from "./s3/s3Path";

/** The destination of a path or of a name. */
export async function destinationOf(path: string, context: Context): Promise<Destination> {
  if (isS3Path(path)) {
    // biome-ignore lint/style/noCommonJs: an import cannot name a file of this package in CommonJS. Loaded here, because few exports need it.
    const { S3Destination } = require("./s3/s3Destination") as typeof import("./s3/s3Destination");
    return S3Destination.of(path, context);
  }
  return new DiskDestination(path, context.folder);
}
