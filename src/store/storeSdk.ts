import type { StoreContext, StoreSettings } from "./objectStore";
import { importOptional, isInstalled, packagesFolder, toInstall } from "./optionalPackage";
import { partsOf, sdksOf } from "./storeAddress";
import { StoreError } from "./storeError";

/**
 * The SDK of a store, an optional peer dependency because few programs need it. Loaded only when its store is used.
 * @throws StoreError if it is not installed
 */
export function loadSdk(name: string, scheme: string, context: StoreContext): unknown {
  const sdk = importOptional(name, packagesFolder(context));
  if (sdk === undefined) throw notInstalled(name, scheme);
  return sdk;
}

/** Loads none, because that takes longer than an unchanged `up` of a few resources. @throws StoreError if one is not installed */
export function requireSdks(address: string, context: Pick<StoreContext, "folder" | "settings">): void {
  const missing = sdksOf(address).find((name) => !isInstalled(name, packagesFolder(context)));
  if (missing !== undefined) throw notInstalled(missing, partsOf(address).scheme);
}

function notInstalled(name: string, scheme: string): StoreError {
  return new StoreError(
    `A path that begins with "${scheme}://" needs the package ${name}: ${toInstall(name)}. Then run the same command again.`,
    "refused",
  );
}

/** One client for each configuration and place, so that credentials are requested once for all uses. */
export function clientsOf<T>(make: (context: StoreContext, place: string) => T) {
  const clients = new WeakMap<StoreSettings, Map<string, T>>();
  return (context: StoreContext, place = ""): T => {
    const known = clients.get(context.settings) ?? new Map<string, T>();
    clients.set(context.settings, known);
    const client = known.get(place) ?? make(context, place);
    known.set(place, client);
    return client;
  };
}
