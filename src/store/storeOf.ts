import { AzureContainer } from "./azure/azureContainer";
import { GcsBucket } from "./gcs/gcsBucket";
import type { ObjectStore, StoreContext } from "./objectStore";
import { S3Bucket } from "./s3/s3Bucket";
import { partsOf } from "./storeAddress";

const stores = { s3: S3Bucket, gs: GcsBucket, azblob: AzureContainer };

/**
 * The store of an address or of an object's name. Makes no request.
 * @throws StoreError if the SDK is not installed
 */
export function storeOf(address: string, context: StoreContext): ObjectStore {
  return new stores[partsOf(address).scheme](address, context);
}
