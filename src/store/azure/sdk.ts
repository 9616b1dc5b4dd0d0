import type * as Identity from "@azure/identity";
import type * as Sdk from "@azure/storage-blob";
import { limits } from "../limits";
import { azureIdentity, partsOf } from "../storeAddress";
import { clientsOf, loadSdk } from "../storeSdk";
import { azureAccount } from "./account";

/**
 * A client with the key or the signature of the account, otherwise with the default credential.
 * @throws StoreError if the SDK is not installed
 */
export const azureClient = clientsOf((context, address): Sdk.ContainerClient => {
  const { bucket, options } = partsOf(address);
  const { account = "", url, key, sas } = azureAccount(options);
  const place = `${url}/${bucket}`;
  const sdk = loadSdk("@azure/storage-blob", "azblob", context) as typeof Sdk;
  const retrying = { retryOptions: { maxTries: limits.mostTries, retryDelayInMs: 500, maxRetryDelayInMs: 10_000 } };
  if (key !== undefined) {
    return new sdk.ContainerClient(place, new sdk.StorageSharedKeyCredential(account, key), retrying);
  }
  if (sas !== undefined) {
    return new sdk.ContainerClient(`${place}?${sas}`, new sdk.AnonymousCredential(), retrying);
  }
  const { DefaultAzureCredential } = loadSdk(azureIdentity, "azblob", context) as typeof Identity;
  return new sdk.ContainerClient(place, new DefaultAzureCredential(), retrying);
});
