import type { ObjectStore, StoreContext } from "./objectStore";
import { Bucket } from "./s3/bucket";

/**
 * The store of an address or of an object's name. Makes no request.
 * @throws StoreError if the SDK is not installed
 */
export function storeOf(address: string, context: StoreContext): ObjectStore {
  return new Bucket(address, context);
}
