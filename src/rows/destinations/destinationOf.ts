import { isStoreAddress } from "../../store/storeAddress";
import type { Destination, Surroundings } from "./destination";
import { DiskDestination } from "./diskDestination";
import { ObjectDestination } from "./objectDestination";

/** The destination of a path or of a name. */
export function destinationOf(path: string, context: Surroundings): Destination {
  return isStoreAddress(path) ? new ObjectDestination(path, context) : new DiskDestination(path, context.folder);
}
