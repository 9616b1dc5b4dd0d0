import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ServiceClientOptions } from "../../../src/service/options";
import { serviceAddress } from "../../../src/service/serviceAddress";
import { tokenStoreOf } from "../../../src/service/settings";
import { isStoreAddress } from "../../../src/store/storeAddress";
import { makePrivateFolder, writePrivateFile } from "../../../src/system/privateFile";

/** Beside the tokens of the service. The name has no address of the service. */
function noteIn(folder: string, options: ServiceClientOptions): string {
  const hash = createHash("sha256").update(serviceAddress(options.baseUrl)).digest("hex");
  return join(folder, `${hash.slice(0, 32)}.probed`);
}

/** What machines share is in a store, and this note in the default folder. */
function folderOf({ tokenStore }: ServiceClientOptions): string | undefined {
  return tokenStoreOf({ tokenStore: isStoreAddress(tokenStore) ? undefined : tokenStore });
}

/** Notes that a probe with writes ended, for `doctor`. A folder that cannot be written costs only its advice. */
export async function noteProbe(options: ServiceClientOptions): Promise<void> {
  const folder = folderOf(options);
  if (folder === undefined) return;
  await makePrivateFolder(folder)
    .then(() => writePrivateFile(noteIn(folder, options), "\n", false))
    .catch(() => undefined);
}

/** Whether a probe with writes has ended at this service, on this machine. */
export function isProbed(options: ServiceClientOptions): boolean {
  const folder = folderOf(options);
  return folder !== undefined && existsSync(noteIn(folder, options));
}
