import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ServiceClientOptions } from "../../../src/service/options";
import { serviceAddress } from "../../../src/service/serviceAddress";
import { makePrivateFolder, writePrivateFile } from "../../../src/system/privateFile";
import { tokenStoreOf } from "../connection/storedTokens";

/** Beside the tokens of the service. The name has no address of the service. */
function noteOf(options: ServiceClientOptions): string {
  const hash = createHash("sha256").update(serviceAddress(options.baseUrl)).digest("hex");
  return join(tokenStoreOf(options), `${hash.slice(0, 32)}.probed`);
}

/** Notes that a probe with writes ended, for `doctor`. A folder that cannot be written costs only its advice. */
export async function noteProbe(options: ServiceClientOptions): Promise<void> {
  await makePrivateFolder(tokenStoreOf(options))
    .then(() => writePrivateFile(noteOf(options), "\n", false))
    .catch(() => undefined);
}

/** Whether a probe with writes has ended at this service, on this machine. */
export function isProbed(options: ServiceClientOptions): boolean {
  return existsSync(noteOf(options));
}
