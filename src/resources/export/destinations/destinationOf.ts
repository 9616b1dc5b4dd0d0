import type { Destination } from "./destination";
import { DiskDestination } from "./diskDestination";

/**
 * The destination of a path or of a name.
 * @param folder the program's folder
 */
export async function destinationOf(path: string, folder: string): Promise<Destination> {
  return new DiskDestination(path, folder);
}
