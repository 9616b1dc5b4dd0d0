import type { Bench } from "../figure";
import { emulatorStart } from "./emulatorStart";
import { exportAlone, exportPeers, exportRows } from "./exportRows";
import { npmStart } from "./npmStart";
import { providerHost } from "./providerHost";
import { upload, uploadAlone } from "./upload";

/** All benches, in the order in which they run. */
export const benches: readonly Bench[] = [
  emulatorStart,
  npmStart,
  providerHost,
  upload,
  uploadAlone,
  exportRows,
  exportAlone,
  exportPeers,
];
